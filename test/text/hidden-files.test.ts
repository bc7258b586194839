import { expect, test } from "vitest";
import { adapter as discord } from "../../src/adapters/discord/index.ts";
import {
  asItIs as onDiscord,
  type DiscordRenderedFile,
  renderMessages as renderDiscord,
} from "../../src/adapters/discord/render.ts";
import { attachmentsOf } from "../../src/adapters/discord/uploads.ts";
import { fileBlock } from "../../src/adapters/kit/words.ts";
import { adapter as irc } from "../../src/adapters/irc/index.ts";
import { renderPost as renderIrc } from "../../src/adapters/irc/render.ts";
import { charsetOf } from "../../src/adapters/irc/wire/charset.ts";
import { adapter as matrix } from "../../src/adapters/matrix/index.ts";
import { fileContent, renderPost as renderMatrix } from "../../src/adapters/matrix/render.ts";
import { adapter as mattermost } from "../../src/adapters/mattermost/index.ts";
import { renderPost as renderMattermost } from "../../src/adapters/mattermost/render.ts";
import { adapter as slack } from "../../src/adapters/slack/index.ts";
import { NOTHING_SENT } from "../../src/adapters/slack/progress.ts";
import { asItIs as onSlack, renderMessages as renderSlack, writtenAs } from "../../src/adapters/slack/render.ts";
import { adapter as telegram } from "../../src/adapters/telegram/index.ts";
import { adapter as web } from "../../src/adapters/web/index.ts";
import { adapter as xmpp } from "../../src/adapters/xmpp/index.ts";
import { renderPost as renderXmpp } from "../../src/adapters/xmpp/render.ts";
import { hiddenFileMessage } from "../../src/adapters/xmpp/stanzas.ts";
import { renderMattermost as renderMarkdown } from "../../src/content/mattermost-render.ts";
import { hiddenWords } from "../../src/content/hidden-file.ts";
import type { Capabilities } from "../../src/contract/capabilities.ts";
import type { SharedFile } from "../../src/contract/content.ts";
import type { FileId } from "../../src/contract/ids.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import { encodeStored } from "../../src/gateway/codec.ts";
import { aStored, planOf, postOf } from "../../src/gateway/plan.suite.ts";
import { aFile, anAccount } from "../../src/gateway/samples.suite.ts";
import { compileView } from "../../src/gateway/view.ts";

/** What each network is given of a hidden picture: never its content, a preview or its description in the open. */

const LINK = "https://media.example/f/abc/cat.png";
const WORDS = "hidden picture: the ending";
const SECRET = "a cat on a throne";
const CAT = "cat" as FileId;

const stored = aStored(
  {
    text: "look",
    account: "net.a",
    protocol: "net",
    Extra: { file: [aFile({ Name: "cat.png", Data: "", URL: "", Comment: SECRET, Size: 9, Spoiler: "the ending" })] },
  },
  { files: [CAT] },
);

function draftFor(capabilities: Capabilities, url: string | null = LINK): PostDraft {
  const found: SharedFile = {
    name: "cat.png",
    comment: SECRET,
    mime: "image/png",
    bytes: 9,
    url,
    id: CAT,
    missing: null,
    spoiler: "the ending",
  };
  return postOf(planOf({ remoteNickFormat: "" }, [], capabilities), stored, { files: [found] });
}

const RENDER = {
  irc: () => {
    const charset = charsetOf("utf-8");
    if (charset === null) throw new Error("there is no UTF-8");
    const options = { colorNicks: false, stripMarkdown: false, messageLines: 9, lineBytes: 400, textBytes: 400 };
    const { lines } = renderIrc(draftFor(irc.capabilities), { ...options, charset, resume: null, rest: null });
    return lines.map(({ text }) => text);
  },
  xmpp: () =>
    renderXmpp(draftFor(xmpp.capabilities), { textMax: 9_000, resume: null }).map((part) =>
      part.is === "text"
        ? part.text
        : String(hiddenFileMessage({ room: "a@b", id: "1" }, LINK, hiddenWords(part.file))),
    ),
  "matrix, as a link": () => matrixParts(draftFor(matrix.capabilities), true),
  "matrix, as a file": () => matrixParts(draftFor(matrix.capabilities, null), true),
  "matrix, as it is there": () => matrixParts(draftFor(matrix.capabilities), false),
  discord: () => discordParts(draftFor(discord.capabilities), onDiscord),
  "discord, where it is refused": () =>
    discordParts(draftFor(discord.capabilities), (file) => ({ file, goes: "in the text" })),
  mattermost: () => {
    const draft = draftFor(mattermost.capabilities);
    const files = draft.body.files.map((file) => ({ file, id: file.id }));
    return renderMattermost(draft, { textMax: 9_000, prefix: false, names: new Set(), files }).parts;
  },
  slack: () => {
    const draft = draftFor(slack.capabilities);
    const options = { named: "none", exact: true, people: new Map(), hasEmoji: () => false } as const;
    const files = draft.body.files.map(onSlack);
    const { parts } = renderSlack(draft, { ...options, files, sent: NOTHING_SENT });
    return parts.map((part) => [writtenAs(part.blocks, "id", () => false).text, part.files]);
  },
  telegram: () => draftFor(telegram.capabilities).body.blocks,
  web: () => draftFor(web.capabilities).body.files.map((file) => [hiddenWords(file), file.id, file.comment]),
  "/api": () => {
    const reader = { ...anAccount("api.reader"), settings: {} };
    const line = compileView(reader, new Map(), () => LINK).line({ seq: 1, account: "net.a", payload }, "main");
    const { text, Extra } = JSON.parse(line) as { readonly text: string; readonly Extra: unknown };
    return [text, Extra];
  },
} satisfies Readonly<Record<string, () => unknown>>;

const payload = encodeStored(stored);

function discordParts(draft: PostDraft, wayOf: (file: SharedFile) => DiscordRenderedFile): unknown {
  const options = { textMax: 2_000, prefix: false, lead: "", people: new Map(), emoji: () => null };
  const here = { user: () => false, channel: () => false, emoji: () => false, role: () => false };
  const sent = { parts: 0, text: null, thread: null, files: new Set<number>() };
  const files = draft.body.files.map(wayOf);
  const { parts } = renderDiscord(draft, { ...options, here, files, sent });
  return parts.map((part) => ({ content: part.content, attachments: attachmentsOf(part.files, true) }));
}

function matrixParts(draft: PostDraft, linksHidden: boolean): unknown {
  const options = { textIdentity: { is: "own" }, html: true, mayPing: draft.mayPing, find: () => null } as const;
  return renderMatrix(draft, { ...options, resume: null, linksHidden }).parts.map((part) => {
    if (part.is === "text") return part.content;
    const media = { mxc: "mxc://a/b", mime: "image/png", bytes: 9, size: { w: 1, h: 1 } };
    return fileContent(part.file, part.caption, media, linksHidden);
  });
}

const AS_A_LINK = `[${WORDS}]: ${LINK}`;

test.each<[keyof typeof RENDER, unknown]>([
  ["irc", ["look", `(${WORDS}) ${LINK}`]],
  [
    "xmpp",
    [
      "look",
      `<message to="a@b" type="groupchat" id="1"><spoiler xmlns="urn:xmpp:spoiler:0">${WORDS}</spoiler>` +
        `<body>[${WORDS}] ${LINK}</body><origin-id xmlns="urn:xmpp:sid:0" id="1"/></message>`,
    ],
  ],
  [
    "matrix, as a link",
    [
      {
        msgtype: "m.text",
        body: `look\n${AS_A_LINK}`,
        format: "org.matrix.custom.html",
        formatted_body: `look<br><span data-mx-spoiler="the ending"><code><a href="${LINK}">hidden picture</a></code></span>`,
        "m.mentions": {},
      },
    ],
  ],
  [
    "matrix, as a file",
    expect.arrayContaining([
      expect.objectContaining({ msgtype: "m.file", info: { mimetype: "application/octet-stream", size: 9 } }),
    ]),
  ],
  [
    "matrix, as it is there",
    expect.arrayContaining([
      expect.objectContaining({
        msgtype: "m.image",
        body: "cat.png",
        "page.codeberg.everypizza.msc4193.spoiler": true,
        "page.codeberg.everypizza.msc4193.spoiler.reason": "the ending",
      }),
    ]),
  ],
  [
    "discord",
    [
      {
        content: `look\n||${SECRET}||`,
        attachments: [{ id: 0, filename: "SPOILER_cat.png", is_spoiler: true }],
      },
    ],
  ],
  ["discord, where it is refused", [{ content: `look\n||${SECRET}||\n[${WORDS}](${LINK})`, attachments: [] }]],
  ["mattermost", [{ end: "end", message: `look\n[${WORDS}](${LINK})`, fileIds: [] }]],
  ["slack", [[`look\n<${LINK}|${WORDS}>`, []]]],
  ["web", [[WORDS, null, ""]]],
  [
    "/api",
    [
      `look\n(${WORDS}) ${LINK}`,
      { file: [expect.objectContaining({ Data: "", Comment: "", URL: LINK, Spoiler: "the ending" })] },
    ],
  ],
])("a hidden picture on %s", (network, expected) => {
  expect(RENDER[network]()).toEqual(expected);
});

test.each(Object.entries(RENDER))("nothing describes a hidden picture in the open on %s", (_network, render) => {
  const shown = JSON.stringify(render());
  const open = shown.replaceAll(`||${SECRET}||`, "").replaceAll(/\{"of":\[[^\]]*\],"t":"spoiler"\}/gu, "");
  expect(open.replaceAll(/\{"t":"spoiler","of":\[[^\]]*\]\}/gu, "")).not.toContain(SECRET);
});

test.each([
  ["a reason that breaks links", "it](x) `a` <b> https://e.example/x.png", "it x a b https: e.example x.png"],
  ["no reason", true, ""],
] as const)("a link hides its address behind words: %s", (_case, spoiler, reason) => {
  const file = { name: "a.png", comment: "", mime: null, bytes: 1, url: LINK, id: null, missing: null, spoiler };
  const label = reason === "" ? "hidden picture" : `hidden picture: ${reason}`;
  expect(renderMarkdown([fileBlock(file)])).toBe(`[${label}](${LINK})`);
});

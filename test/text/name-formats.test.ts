import { describe, expect, test } from "vitest";
import { adapter as discord } from "../../src/adapters/discord/index.ts";
import { hookName } from "../../src/adapters/discord/identity.ts";
import { renderMessages as renderDiscord } from "../../src/adapters/discord/render.ts";
import { NOTHING_SENT as NOTHING_OF_DISCORD } from "../../src/adapters/discord/progress.ts";
import { adapter as irc } from "../../src/adapters/irc/index.ts";
import { renderPost as renderIrc } from "../../src/adapters/irc/render.ts";
import { charsetOf } from "../../src/adapters/irc/wire/charset.ts";
import { adapter as matrix } from "../../src/adapters/matrix/index.ts";
import { textOf as matrixText } from "../../src/adapters/matrix/text.ts";
import { adapter as mattermost } from "../../src/adapters/mattermost/index.ts";
import { authorName } from "../../src/adapters/mattermost/identity.ts";
import { renderPost as renderMattermost } from "../../src/adapters/mattermost/render.ts";
import { adapter as slack } from "../../src/adapters/slack/index.ts";
import { speakerOf } from "../../src/adapters/slack/identity.ts";
import { NOTHING_SENT as NOTHING_OF_SLACK } from "../../src/adapters/slack/progress.ts";
import { renderMessages as renderSlack } from "../../src/adapters/slack/render.ts";
import { adapter as telegram } from "../../src/adapters/telegram/index.ts";
import { NOTHING_SENT as NOTHING_OF_TELEGRAM } from "../../src/adapters/telegram/progress.ts";
import { renderPost as renderTelegram } from "../../src/adapters/telegram/render.ts";
import { adapter as xmpp } from "../../src/adapters/xmpp/index.ts";
import { renderPost as renderXmpp } from "../../src/adapters/xmpp/render.ts";
import type { Block, Inline } from "../../src/contract/content.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import { parse } from "../../src/content/formats.ts";
import { plainText } from "../../src/content/plain.ts";
import { renderSlack as slackText } from "../../src/content/slack-render.ts";
import { aStored, NOTHING_HERE } from "../../src/gateway/plan.suite.ts";
import { compilePlan } from "../../src/gateway/plan.ts";
import { anAccount } from "../../src/gateway/samples.suite.ts";
import type { Message } from "../../src/contract/message.ts";

/** RemoteNickFormat in the markup of each network, from the plan to what an adapter sends. */

const ADAPTERS = { discord, irc, matrix, mattermost, slack, telegram, xmpp };
type Network = keyof typeof ADAPTERS;
type Said = Partial<Message>;
const BOB: Said = { account: "irc.a", protocol: "irc", username: "bob", userid: "bob@host", channel: "#c" };

function draftOf(network: Network, format: string, said: Said = {}, settings: Record<string, unknown> = {}): PostDraft {
  const account = { ...anAccount(`${network}.z`, { remoteNickFormat: format }), settings };
  const plan = compilePlan(account, new Map([[account.key, account]]), ADAPTERS[network].capabilities);
  const planned = plan.op(aStored({ text: "hi", ...BOB, ...said }), "main", NOTHING_HERE);
  if (planned.is !== "op" || planned.op.kind !== "post") throw new Error("not a post");
  return planned.op;
}

/** As HTML, with entities as tags. */
function telegramOf(draft: PostDraft): string {
  const { said } =
    renderTelegram(draft, { idOf: () => "7", files: [], uploadMax: 1, sent: NOTHING_OF_TELEGRAM }).parts[0] ?? {};
  const marks = (said?.entities ?? []).flatMap(({ type, offset, length }) => [
    { at: offset, tag: `<${type}>` },
    { at: offset + length, tag: `</${type}>` },
  ]);
  return marks
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, tag }) => text.slice(0, at) + tag + text.slice(at), said?.text ?? "");
}

const slackBlocks = (draft: PostDraft): readonly Block[] =>
  renderSlack(draft, {
    named: "first",
    exact: true,
    people: new Map([["bob", "U1"]]),
    hasEmoji: () => false,
    files: [],
    sent: NOTHING_OF_SLACK,
  }).parts[0]?.blocks ?? [];

const WRITTEN: Readonly<Record<Network, (draft: PostDraft) => string>> = {
  telegram: telegramOf,
  mattermost: (draft) =>
    renderMattermost(draft, { textMax: 4000, prefix: true, names: new Set(["bob", "all"]), files: [] }).parts[0]
      ?.message ?? "",
  discord: (draft) =>
    renderDiscord(draft, {
      textMax: 2000,
      prefix: true,
      lead: "",
      people: new Map([["bob", "7"]]),
      files: [],
      sent: NOTHING_OF_DISCORD,
      here: { userOf: () => null } as never,
      emoji: (name) => (name === "irc" ? "<:irc:42>" : null),
    }).parts[0]?.content ?? "",
  slack: (draft) => slackText(slackBlocks(draft)),
  matrix: (draft) => {
    const options = {
      textIdentity: { is: "prefix" },
      html: true,
      mayPing: draft.mayPing,
      find: () => "@bob:x",
    } as const;
    const { html, body } = matrixText(draft.body.blocks, draft.body.source, draft.author, options);
    return html ?? body;
  },
  irc: (draft) => {
    const charset = charsetOf("utf-8");
    if (charset === null) throw new Error("there is no UTF-8");
    const options = { colorNicks: false, stripMarkdown: false, messageLines: 10, lineBytes: 400, textBytes: 400 };
    return renderIrc(draft, { ...options, charset, resume: null, rest: null }).lines[0]?.text ?? "";
  },
  xmpp: (draft) => {
    const [part] = renderXmpp(draft, { textMax: 1000, resume: null });
    return part?.is === "text" ? part.text : "";
  },
};

const written = (network: Network, format: string, said: Said = {}, settings: Record<string, unknown> = {}): string =>
  WRITTEN[network](draftOf(network, format, said, settings));

describe("the format is read as the network writes", () => {
  test.each([
    ["HTMLNick", "&lt;{NICK}&gt; ", "<bob> hi"],
    ["HTMLNick", "&lt;<b>{NICK}</b>@{PROTOCOL}&gt;: ", "<<bold>bob</bold>@\u200birc>: hi"],
    ["HTMLNick", "({PROTOCOL}) &lt;{NICK}&gt; ", "(irc) <bob> hi"],
    ["HTML", "<b>{NICK}</b>: ", "<bold>bob</bold>: hi"],
    ["HTML", "<b>{NICK}</b>\r\n", "<bold>bob</bold>\nhi"],
    ["HTML", "<i><b>{NICK}</b></i> ", "<italic><bold>bob</italic></bold> hi"],
    ["HTML", '<a href="https://x.example/?u={USERID}&p={PROTOCOL}">{NICK}</a>: ', "<text_link>bob</text_link>: hi"],
    ["HTML", "<tg-spoiler>{NICK}</tg-spoiler> <code>{PROTOCOL}</code> ", "<spoiler>bob</spoiler> <code>irc</code> hi"],
    ["HTML", "<{NICK}> <irc> <b>  ", "<bob> <irc> <b>  hi"],
    ["HTML", "[{PROTOCOL}] <{NICK}> ", "[irc] <bob> hi"],
    ["Markdown", "*{NICK}*: ", "<bold>bob</bold>: hi"],
    ["Markdown", "_{NICK}_ `{PROTOCOL}` ", "<italic>bob</italic> <code>irc</code> hi"],
    ["Markdown", "[{NICK}](https://x.example/{USERID}) *", "<text_link>bob</text_link> *hi"],
    ["Markdown", "[{PROTOCOL}] <{NICK}> ", "[irc] <bob> hi"],
    ["MarkdownV2", "*{NICK}*: ", "<bold>bob</bold>: hi"],
    ["MarkdownV2", "\\<*{NICK}*\\@{PROTOCOL}\\>: ", "<<bold>bob</bold>@\u200birc>: hi"],
    [
      "MarkdownV2",
      "__{NICK}__ ~{PROTOCOL}~ ||{GATEWAY}|| ",
      "<underline>bob</underline> <strikethrough>irc</strikethrough> <spoiler>main</spoiler> hi",
    ],
    ["MarkdownV2", "\\*{NICK}\\* ", "*bob* hi"],
    ["", "<b>{NICK}</b>: ", "<b>bob</b>: hi"],
    ["", "*{NICK}*: ", "*bob*: hi"],
  ])("by Telegram with MessageFormat %j: %j", (MessageFormat, format, text) => {
    expect(written("telegram", format, {}, { MessageFormat })).toBe(text);
  });

  test.each<[Network, string, string]>([
    ["mattermost", "**{NICK}** : ", "**bob** : hi"],
    ["mattermost", ":{NICK}: **{NICK}**\n", ":\u200bbob: **bob**\nhi"],
    ["mattermost", "`irc` <{NICK}> ", "`irc` <bob> hi"],
    ["mattermost", "[{PROTOCOL}] <{NICK}> ", "[irc] <bob> hi"],
    ["mattermost", "# {NICK} ", "\\# bob hi"],
    ["mattermost", "_{NICK}_ ~~{PROTOCOL}~~ ", "_bob_ ~~irc~~ hi"],
    ["discord", "**{NICK}**: ", "**bob**: hi"],
    ["discord", "**{NICK}**\n", "**bob**\nhi"],
    ["discord", "__{NICK}__ ||{PROTOCOL}|| ", "__bob__ ||irc|| hi"],
    ["discord", "<:irc:42> {NICK}: ", "<:irc:42> bob: hi"],
    ["discord", "<@{USERID}> <@42> <@&7> {NICK}: ", "<@bob@host> @unknown-user @deleted-role bob: hi"],
    ["discord", "[{PROTOCOL}] <{NICK}> ", "[irc] <bob> hi"],
    ["slack", "*{NICK}*: ", "*bob*\u200b: hi"],
    ["slack", "<{NICK}> ", "&lt;bob&gt; hi"],
    ["slack", "&lt;_{NICK}_&gt; ", "&lt;_bob_&gt; hi"],
    ["slack", "*{NICK}*\n", "*bob*\nhi"],
    ["matrix", "<b>{NICK}</b>: ", "<strong>bob</strong>: hi"],
    ["matrix", '<font color="#ff0000">{NICK}</font><br>', '<span data-mx-color="#ff0000">bob</span><br>hi'],
    ["matrix", "<{NICK}> ", "<bob> hi"],
    ["matrix", "{NICK}\n", "bob\nhi"],
    ["irc", "\x02{NICK}\x02: ", "\x02bob\x02: hi"],
    ["irc", "{NICK}\n", "bob hi"],
    ["irc", "<{NICK}>\n\n", "<bob> hi"],
    ["irc", "{NICK}\r\n{PROTOCOL}: ", "bob irc: hi"],
    ["xmpp", "{NICK}\n", "bob\nhi"],
    ["xmpp", "<{NICK}>\n\n", "<bob>\n\nhi"],
  ])("by %s: %j", (network, format, text) => {
    expect(written(network, format)).toBe(text);
  });
});

const SETTINGS = { MessageFormat: "HTML" };
const FORMATS: Readonly<Record<Exclude<Network, "irc" | "xmpp">, string>> = {
  telegram: "<b>{NICK}</b>: ",
  mattermost: "**{NICK}**: ",
  discord: "**{NICK}**: ",
  slack: "*{NICK}*: ",
  matrix: "<b>{NICK}</b>: ",
};

const READ_BACK = { mattermost: "mattermost", discord: "discord", slack: "slack", matrix: "html" };

/** Names of people are plain text, whatever they hold: a reader of the network's format finds the same words. */
describe.each(Object.entries(READ_BACK))("names on %s", (key, format) => {
  const network = key as keyof typeof READ_BACK;
  const plain = (text: string): string => text.replaceAll(/[\u200b\u2060\ufeff]/gu, "");

  test.each([
    "**x**",
    "*x*",
    "_x_",
    "__x__",
    "~~x~~",
    "||x||",
    "`x`",
    "x`",
    "x\\",
    "# x",
    "> x",
    "- x",
    "1. x",
    "<b>x</b>",
    "</b>x",
    "&lt;x&gt;",
    "&amp;",
    "<@7>",
    "<#7>",
    "<!channel>",
    "<@U1>",
    "@everyone",
    "@bob",
    "@here",
    "[x](https://evil.example)",
    "](https://evil.example",
    "<https://evil.example|x>",
    ":smile:",
    "{NICK}",
    "{USERID}",
    "n\u{f0000}n",
    "n\u{f0001}n",
    "$&",
    "名前",
    "😀",
    "**",
    "*",
    "_",
  ])("the name %j is plain text", (username) => {
    const draft = draftOf(network, FORMATS[network], { username });
    // What Slack shows are blocks, which need no protection.
    const [block, ...rest] = network === "slack" ? slackBlocks(draft) : parse(format, WRITTEN[network](draft));
    expect(rest).toEqual([]);
    if (block?.t !== "para") throw new Error("no paragraph");
    expect(plain(plainText([block]))).toBe(`${username}: hi`);
    const kinds = (of: readonly Inline[]): readonly string[] =>
      of.flatMap((inline) =>
        "of" in inline ? [inline.t, ...kinds(inline.of)] : inline.t === "text" ? [] : [inline.t],
      );
    // Where a mark cannot stand beside the signs of a name, the name is without it.
    const shown = kinds(block.of);
    expect(["", "bold", "emoji", "bold emoji"]).toContain(shown.join(" "));
    if (/^[\p{L}\p{N}].*[\p{L}\p{N}]$/u.test(username)) expect(shown).toContain("bold");
  });
});

test.each(["**x**", "@bob", "<b>x</b>", "&lt;", "_x_", "@everyone"])(
  "the name %j is plain text on Telegram",
  (username) => {
    const text = written("telegram", FORMATS.telegram, { username }, SETTINGS).replaceAll("\u200b", "");
    expect(text).toBe(`<bold>${username}</bold>: hi`);
  },
);

test("a name stands in an address as a part of it", () => {
  const [link] =
    draftOf("telegram", '<a href="https://x.example/?u={USERID}">{NICK}</a>: ', { userid: 'a&b=c/д"' }, SETTINGS).author
      ?.marks ?? [];
  expect(link).toMatchObject({ t: "link", href: "https://x.example/?u=a%26b%3Dc%2F%D0%B4%22" });
});

test("a link whose words are the address of another place shows where it leads", () => {
  const format = '<a href="https://x.example/">{NICK}</a>: ';
  expect(written("telegram", format, { username: "bank.example" }, SETTINGS)).toContain("x.example");
});

test.each<[Network, string, string]>([
  ["discord", "**{NICK}** ", "bob"],
  ["discord", "[`{PROTOCOL}`] **{NICK}**\n", "[irc] bob"],
  ["mattermost", "**{NICK}**: ", "bob:"],
  ["slack", "*{NICK}*\n", "bob"],
])("outside of a text, on %s, %j shows no marks", (network, format, name) => {
  const { author } = draftOf(network, format);
  if (author === null) throw new Error("no author");
  const outside = {
    discord: hookName(author.shown),
    mattermost: authorName(author),
    slack: speakerOf(author)?.username,
  };
  expect(outside[network as keyof typeof outside]).toBe(name);
});

describe("a name of which nothing is seen", () => {
  test.each(["{LABEL}", "{TENGO}", " ", "\u200b", "**{LABEL}** ", "{LABEL}\n"])(
    "%j takes the default format",
    (format) => {
      expect(written("mattermost", format)).toBe("[irc] <bob> hi");
    },
  );

  test("{LABEL} is the name where there is a label", () => {
    const account = anAccount("mattermost.z", { remoteNickFormat: "{LABEL}: " });
    const labelled = anAccount("irc.a", { label: "Town" });
    const plan = compilePlan(
      account,
      new Map([account, labelled].map((one) => [one.key, one])),
      mattermost.capabilities,
    );
    const planned = plan.op(aStored({ text: "hi", ...BOB }), "main", NOTHING_HERE);
    expect(planned).toMatchObject({ op: { author: { shown: "Town: " } } });
  });
});

test.each<[Network, string]>([
  ["telegram", "<bob> <italic>waves</italic>"],
  ["mattermost", "&lt;bob> _waves_"],
  ["discord", "<bob> *waves*"],
  ["slack", "&lt;bob&gt; _waves_"],
])("what people do is in italics without their names, on %s", (network, text) => {
  const draft = draftOf(network, "<{NICK}> ", { text: "waves", event: "user_action" });
  expect(WRITTEN[network](draft)).toBe(text);
});

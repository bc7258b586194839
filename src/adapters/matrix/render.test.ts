import { describe, expect, test } from "vitest";
import { parseHtml } from "../../content/html-parse.ts";
import { parseMarkdown } from "../../content/markdown-parse.ts";
import type { Body, SharedFile } from "../../contract/content.ts";
import { END, type FileId, type MessageRef, type OpId, type Progress } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import type { Json } from "../kit/json.ts";
import { editContent, fileContent, type MatrixPart, type MatrixRenderOptions, renderPost, txnOf } from "./render.ts";

const alice: OpAuthor = { id: "alice@irc", name: "alice", shown: "<alice> ", avatar: null, account: "irc" };

function plain(text: string, more: Partial<Body> = {}): Body {
  const blocks: Body["blocks"] = text === "" ? [] : [{ t: "para", of: [{ t: "text", text }] }];
  return { style: "normal", source: { format: "plain", text }, blocks, files: [], ...more };
}

const marked = (text: string): Body =>
  plain(text, { source: { format: "markdown", text }, blocks: parseMarkdown(text) });

function draft(body: Body, more: Partial<PostDraft> = {}): PostDraft {
  return { author: alice, body, reply: null, thread: null, mayPing: { users: false, everyone: false }, ...more };
}

const options: MatrixRenderOptions = {
  textIdentity: { is: "prefix" },
  html: true,
  mayPing: { users: true, everyone: false },
  find: (name) => (name.toLowerCase() === "bob" ? "@bob:a" : null),
  resume: null,
};

const contents = (parts: readonly MatrixPart[]): readonly Json[] =>
  parts.map((part) =>
    part.is === "text" ? part.content : { file: part.file.name, ...part.caption, ...part.relation },
  );
const rendered = (wanted: PostDraft, more: Partial<MatrixRenderOptions> = {}) =>
  renderPost(wanted, { ...options, ...more });
const only = (wanted: PostDraft, more?: Partial<MatrixRenderOptions>): Json | undefined =>
  contents(rendered(wanted, more).parts)[0];

function file(name: string, more: Partial<SharedFile> = {}): SharedFile {
  return { name, comment: "", mime: null, bytes: 3, url: null, id: name as FileId, missing: null, ...more };
}

describe("texts", () => {
  test.each<[string, PostDraft, Json]>([
    [
      "plain stays plain",
      draft(plain("2 * 3 * 4 <b>")),
      { msgtype: "m.text", body: "<alice> 2 * 3 * 4 <b>", "m.mentions": {} },
    ],
    ["nobody is named", draft(plain("x"), { author: null }), { msgtype: "m.text", body: "x", "m.mentions": {} }],
    [
      "an action",
      draft(plain("waves", { style: "action" })),
      { msgtype: "m.emote", body: "<alice> waves", "m.mentions": {} },
    ],
    ["a notice", draft(plain("x", { style: "notice" })), { msgtype: "m.notice", body: "<alice> x", "m.mentions": {} }],
    [
      "formatting",
      draft(marked("a **b**")),
      {
        msgtype: "m.text",
        body: "<alice> a b",
        format: "org.matrix.custom.html",
        formatted_body: "&lt;alice&gt; a <strong>b</strong>",
        "m.mentions": {},
      },
    ],
    [
      "control characters",
      draft(plain("a\0b\u0007c\u0085\ud800")),
      { msgtype: "m.text", body: "<alice> abc\u0085\ufffd", "m.mentions": {} },
    ],
    [
      "line breaks in a name",
      draft(plain("x"), { author: { ...alice, shown: "<a\r\nb> " } }),
      { msgtype: "m.text", body: "<a\nb> x", "m.mentions": {} },
    ],
  ])("%s", (_, wanted, content) => {
    expect(only(wanted)).toEqual(content);
  });

  test("the same format passes as it is, with the name in its first paragraph", () => {
    const source = { format: "html", text: '<p>a <b data-x="1">b</b></p><ul><li>c</li></ul>' };
    const body = plain("", { source, blocks: parseHtml(source.text) });
    expect(only(draft(body))).toMatchObject({
      formatted_body: '<p>&lt;alice&gt; a <b data-x="1">b</b></p><ul><li>c</li></ul>',
    });
  });

  test.each<[string, OpAuthor["marks"], string | null, string]>([
    [
      "{}: ",
      [
        { t: "bold", of: [{ t: "text", text: "{}" }] },
        { t: "text", text: ": " },
      ],
      "<strong>{}</strong>: ",
      "{}: ",
    ],
    ["<b>MyUser</b> ", undefined, null, "<b>MyUser</b> "],
  ])("marks of a name: %s", (shown, marks, html, text) => {
    const content = only(draft(plain("x"), { author: { ...alice, shown, ...(marks !== undefined && { marks }) } }));
    expect([content?.["formatted_body"] ?? null, content?.["body"]]).toEqual([
      html === null ? null : `${html}x`,
      `${text}x`,
    ]);
  });

  test("HTMLDisable", () => {
    expect(only(draft(marked("a **b**")), { html: false })).toEqual({
      msgtype: "m.text",
      body: "<alice> a b",
      "m.mentions": {},
    });
  });

  test("a message's own profile, with the name for programs that do not know it (MSC4144)", () => {
    const textIdentity = { is: "profile", id: "irc:alice", name: "al<i>ce", avatar: null } as const;
    expect(only(draft(plain("x")), { textIdentity })).toMatchObject({
      body: "al<i>ce: x",
      formatted_body: "<strong data-mx-profile-fallback>al&lt;i&gt;ce: </strong>x",
    });
  });

  test("a user of one's own needs no name", () => {
    expect(only(draft(plain("x")), { textIdentity: { is: "own" } })).toMatchObject({ body: "x" });
  });
});

describe("mentions", () => {
  test("who is present is linked and notified, when that is allowed", () => {
    expect(only(draft(plain("bob: look, @Bob!")))).toEqual({
      msgtype: "m.text",
      body: expect.stringContaining("bob: look, @Bob!") as string,
      format: "org.matrix.custom.html",
      formatted_body:
        '&lt;alice&gt; <a href="https://matrix.to/#/%40bob%3Aa">bob</a>: look, <a href="https://matrix.to/#/%40bob%3Aa">@Bob</a>!',
      "m.mentions": { user_ids: ["@bob:a"] },
    });
    expect(only(draft(plain("bob: look")), { mayPing: { users: false, everyone: false } })).toMatchObject({
      body: "<alice> bob: look",
      "m.mentions": {},
    });
  });

  test("the room is notified only when that is allowed", () => {
    expect(only(draft(plain("@room fire")))).toMatchObject({ body: "<alice> @room fire", "m.mentions": {} });
    expect(only(draft(plain("@room fire")), { mayPing: { users: true, everyone: true } })).toMatchObject({
      "m.mentions": { room: true },
    });
  });

  test("whom another network means is nobody here", () => {
    const blocks: Body["blocks"] = [{ t: "para", of: [{ t: "mention", user: "@eve:evil" as never, text: "eve" }] }];
    expect(only(draft(plain("", { blocks })))).toEqual({ msgtype: "m.text", body: "<alice> eve", "m.mentions": {} });
  });
});

describe("relations", () => {
  const reply = { target: "$0" as MessageRef, name: "bob", excerpt: "x" };
  test.each<[string, Partial<PostDraft>, Json]>([
    ["a reply", { reply }, { "m.in_reply_to": { event_id: "$0" } }],
    [
      "a thread",
      { thread: "$r" as MessageRef },
      { rel_type: "m.thread", event_id: "$r", is_falling_back: true, "m.in_reply_to": { event_id: "$r" } },
    ],
    [
      "a reply in a thread",
      { reply, thread: "$r" as MessageRef },
      { rel_type: "m.thread", event_id: "$r", is_falling_back: false, "m.in_reply_to": { event_id: "$0" } },
    ],
  ])("%s", (_, more, relation) => {
    expect(only(draft(plain("x"), more))?.["m.relates_to"]).toEqual(relation);
  });

  test("only the first part answers, and all of them are in the thread", () => {
    const body = plain("x", { files: [file("a"), file("b")] });
    const relations = (more: Partial<PostDraft>) =>
      contents(rendered(draft(body, more)).parts).map((content) => content["m.relates_to"]);
    expect(relations({ reply }).map((relation) => relation !== undefined)).toEqual([true, false, false]);
    expect(relations({ reply, thread: "$r" as MessageRef })).toMatchObject([
      { is_falling_back: false },
      { is_falling_back: true },
      { is_falling_back: true },
    ]);
  });
});

describe("parts", () => {
  test("the text, then each file with its caption; who speaks is said once", () => {
    const body = plain("see", { files: [file("a.png", { comment: "the bridge" }), file("b.png")] });
    expect(rendered(draft(body)).parts).toMatchObject([
      { is: "text", index: 0, end: "1", content: { body: "<alice> see" } },
      { is: "file", index: 1, end: "2", caption: { body: "the bridge" } },
      { is: "file", index: 2, end: END, caption: { body: "" } },
    ]);
    expect(rendered(draft(plain("", { files: [file("a.png", { comment: "the bridge" })] }))).parts).toMatchObject([
      { is: "file", end: END, caption: { body: "<alice> the bridge" } },
    ]);
  });

  test("a file that is not there is a link, or is named with the reason", () => {
    const files = [
      file("a.png", { id: null, url: "https://x/a.png", comment: "the bridge" }),
      file("b.png", { id: null, missing: "it is too large" }),
    ];
    expect(only(draft(plain("", { files })))).toMatchObject({
      body: "<alice> the bridge: https://x/a.png\nb.png was shared, but could not be copied here (it is too large)",
    });
  });

  test("what was sent is not sent again", () => {
    const body = plain("see", { files: [file("a"), file("b")] });
    expect(rendered(draft(body), { resume: "1" as Progress }).parts.map(({ index }) => index)).toEqual([1, 2]);
    expect(rendered(draft(body), { resume: END }).parts).toEqual([]);
  });

  test("a very long text takes several that break at words, each with its formatting and its mentions", () => {
    const words = Array.from({ length: 2_000 }, (_, at) => `größer${at}`).join(" ");
    const { parts, losses } = rendered(draft(marked(`**x ${words}** @Bob ${words}\nbob: ${words}`)));
    const all = contents(parts);
    const texts = all.map((content) => String(content["body"]));
    expect(texts.join(" ").split(/\s+/)).toEqual(`<alice> x ${words} @Bob ${words} bob: ${words}`.split(" "));
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
    expect(all.slice(0, 2).map((content) => content["formatted_body"])).toEqual([
      expect.stringMatching(/^&lt;alice&gt; <strong>x größer0 .*<\/strong>$/s),
      expect.stringMatching(/^<strong>größer.*<\/strong> <a href="https:\/\/matrix.to\/#\/%40bob%3Aa">@Bob<\/a>/s),
    ]);
    const called = all.filter((content) => JSON.stringify(content["m.mentions"]) !== "{}");
    expect(called.map((content) => content["m.mentions"])).toEqual([{ user_ids: ["@bob:a"] }]);
    expect(losses).toEqual([]);
    expect(parts.at(-1)?.end).toBe(END);
  });

  test("formatting that does not fit into one message stands in several", () => {
    const { parts, losses } = rendered(draft(marked(`**a${"&".repeat(12_000)}**`)));
    const all = contents(parts);
    expect(all.length).toBeGreaterThan(2);
    for (const content of all) {
      expect(content["formatted_body"]).toMatch(/<strong>[^<]*<\/strong>$/);
      expect(Buffer.byteLength(JSON.stringify(content)) * 2).toBeLessThanOrEqual(60_000);
    }
    expect(all.map((content) => content["body"]).join("")).toBe(`<alice> a${"&".repeat(12_000)}`);
    expect(losses).toEqual([]);
  });
});

test.each([
  ["image/png", "m.image"],
  ["image/svg+xml", "m.file"],
  ["video/mp4", "m.video"],
  ["audio/ogg", "m.audio"],
  ["application/pdf", "m.file"],
])("a file of type %s is %s", (mime, msgtype) => {
  const media = { mxc: "mxc://a/b", mime, bytes: 3, size: null };
  const caption = { body: "", html: null, mentions: {} };
  expect(fileContent({ name: "x" }, caption, media)).toEqual({
    msgtype,
    body: "x",
    filename: "x",
    url: "mxc://a/b",
    info: { mimetype: mime, size: 3 },
    "m.mentions": {},
  });
  expect(fileContent({ name: "x" }, { ...caption, body: "seen " }, media)).toMatchObject({
    body: "seen",
    filename: "x",
  });
});

test("an edit notifies nobody again, and answers nothing", () => {
  const content = {
    msgtype: "m.text",
    body: "b",
    "m.mentions": { user_ids: ["@bob:a"] },
    "m.relates_to": { "m.in_reply_to": { event_id: "$0" } },
  };
  expect(editContent("$1", content)).toEqual({
    msgtype: "m.text",
    body: "* b",
    "m.mentions": {},
    "m.new_content": { msgtype: "m.text", body: "b", "m.mentions": { user_ids: ["@bob:a"] } },
    "m.relates_to": { rel_type: "m.replace", event_id: "$1" },
  });
});

test("a transaction is the same for one part of one op, and no other", () => {
  const op = "op-1" as OpId;
  expect(txnOf(op, "0")).toBe(txnOf(op, "0"));
  expect(new Set([txnOf(op, "0"), txnOf(op, "1"), txnOf("op-2" as OpId, "0")]).size).toBe(3);
  expect(txnOf(op, "0")).toMatch(/^rialto-[\w-]{32}$/u);
});

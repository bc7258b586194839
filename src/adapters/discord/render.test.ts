import { describe, expect, test } from "vitest";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import type { SharedFile } from "../../contract/content.ts";
import { mint } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { parseDiscordWords } from "../../content/discord-inline.ts";
import { parse } from "../../content/formats.ts";
import { NOTHING_SENT, progressOf, sentBy } from "./progress.ts";
import { allowedIn, asItIs, type DiscordPostOptions, leadOf, renderMessages, replyLine } from "./render.ts";

const draftOf = (text: string, more: Partial<PostDraft> & { format?: string; files?: readonly SharedFile[] } = {}) => {
  const { format = "plain", files = [], ...draft } = more;
  const body = { style: "normal", source: { format, text }, blocks: parse(format, text), files } as const;
  const author = { id: "b", name: "Bob", shown: "<Bob> ", avatar: null, account: "irc.a" };
  const mayPing = { users: true, everyone: false };
  return { author, body, reply: null, thread: null, mayPing, ...draft } satisfies PostDraft;
};

const OPTIONS: DiscordPostOptions = {
  textMax: 2_000,
  prefix: false,
  lead: "",
  people: new Map(),
  here: { user: () => false, role: () => false, channel: () => false },
  emoji: () => null,
  files: [],
  sent: NOTHING_SENT,
};

const contents = (draft: PostDraft, options: Partial<DiscordPostOptions> = {}): readonly string[] =>
  renderMessages(draft, { ...OPTIONS, files: draft.body.files.map(asItIs), ...options }).parts.map(
    ({ content }) => content,
  );

const people = new Map([
  ["ann", "7"],
  ["ann lee", "8"],
]);

describe("a post as messages", () => {
  test.each([
    ["plain words", draftOf("a *b*"), {}, [String.raw`a \*b\*`]],
    ["formats", draftOf("a **b** ~~c~~ ||d||", { format: "markdown" }), {}, ["a **b** ~~c~~ ||d||"]],
    ["the name before it", draftOf("hi"), { prefix: true }, ["<Bob> hi"]],
    [
      "the name on a line before code",
      draftOf("```\nx\n```", { format: "markdown" }),
      { prefix: true },
      ["<Bob>\n```\nx\n```"],
    ],
    ["Rialto itself", draftOf("hi", { author: null }), { prefix: true }, ["hi"]],
    ["nothing at all", draftOf(""), {}, ["\u200b"]],
    ["a member", draftOf("@ann hi"), { people }, ["<@7> hi"]],
    ["a member of two names", draftOf("@Ann Lee, hi"), { people }, ["<@8>, hi"]],
    [
      "a member who may not be notified",
      draftOf("@ann hi", { mayPing: { users: false, everyone: false } }),
      { people },
      ["@ann hi"],
    ],
    ["everybody, who may be", draftOf("@all hi", { mayPing: { users: true, everyone: true } }), {}, ["@everyone hi"]],
    ["a lead", draftOf("hi"), { lead: "-# x" }, ["-# x\nhi"]],
    ["a lead alone", draftOf(""), { lead: "-# x" }, ["-# x"]],
    [
      "its own format",
      draftOf("**a** ||b|| <@1|Ann> <@2|Bo>", { format: "discord" }),
      { here: { ...OPTIONS.here, user: (id: string) => id === "1" } },
      ["**a** ||b|| <@1> @Bo"],
    ],
    ["a text of its own that is a quote", draftOf("> a", { format: "discord" }), { prefix: true }, ["<Bob>\n> a"]],
  ] satisfies [string, PostDraft, Partial<DiscordPostOptions>, string[]][])("%s", (_, draft, options, expected) => {
    expect(contents(draft, options)).toEqual(expected);
  });

  test("that notifies nobody has no mention, however it is written", () => {
    for (const text of ["@everyone", "@here", "<@1>", "<@&1>", "<#1>", "</a:1>", "<t:1>", "<a:b:1>"]) {
      const [content = ""] = contents(draftOf(text));
      expect(allowedIn(content, { users: new Set(), everyone: false })).toEqual({
        parse: [],
        users: [],
        replied_user: false,
      });
      expect(content).not.toMatch(/(?<!\\)<(?:@|#|\/|t:|a:)/);
    }
  });

  test("an action is said in italics", () => {
    const draft = draftOf("waves");
    const acting = (text: string): PostDraft => ({ ...draft, body: { ...draftOf(text).body, style: "action" } });
    expect(contents(acting("waves"))).toEqual(["_waves_"]);
    expect(contents(acting("waves"), { lead: "-# x" })).toEqual(["-# x\n_waves_"]);
    expect(contents(acting("waves _a_"))[0]).toMatch(/^\*waves .*\*$/);
  });

  test("of more than fits is several, the first with less room; words, lines and code stay whole", () => {
    const text = Array.from({ length: 300 }, (_, at) => `word${at} \u{1f600}*`).join(" ");
    const lead = `-# ${"x".repeat(500)}`;
    const texts = contents(draftOf(text), { lead });
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every((one) => one.length <= 2_000 && one.isWellFormed())).toBe(true);
    expect(texts[0]?.startsWith(`${lead}\n`)).toBe(true);
    expect(texts.join(" ").match(/word\d+/g)).toEqual(text.match(/word\d+/g));
    const code = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
    const blocks = contents(draftOf(`before\n\`\`\`js\n${code}\n\`\`\`\nafter`, { format: "markdown" }));
    expect(blocks.every((one) => one.length <= 2_000 && (one.match(/```/g) ?? []).length % 2 === 0)).toBe(true);
    expect(blocks.join("\n").match(/line \d+/g)).toEqual(code.match(/line \d+/g));
  });

  test("its files go with the last text, ten to a message; what does not go is said", () => {
    const files = Array.from({ length: 12 }, (_, at) => aSharedFile({ name: `f${at}`, id: mint("FileId", `f${at}`) }));
    const gone = aSharedFile({ name: "g", comment: "look" });
    const draft = draftOf("hi", { files: [...files, gone] });
    const { parts } = renderMessages(draft, { ...OPTIONS, files: draft.body.files.map(asItIs) });
    expect(parts.map((part) => [part.content, part.files.length])).toEqual([
      ["hi\nlook: g was shared, but could not be copied here (it is too large)", 10],
      ["", 2],
    ]);
    expect(parts.at(-1)?.sent).toBeNull();
    // One of the last two does not go after all.
    const late = { file: { ...files[11], ...gone, url: "https://e.example/g" }, goes: "in the text" } as const;
    const again = [...files.slice(0, 11).map(asItIs), late, asItIs(gone)];
    const rest = renderMessages(draft, { ...OPTIONS, files: again, sent: parts[0]?.sent ?? NOTHING_SENT });
    expect(rest.parts.map((part) => [part.content, part.files.length])).toEqual([["look: https://e.example/g", 1]]);
  });

  test("captions are read by everybody; of the network's own files they are alt texts", () => {
    const file = aSharedFile({ name: "f", comment: "a cat", id: mint("FileId", "f") });
    expect(contents(draftOf("hi", { files: [file] }))).toEqual(["hi\na cat"]);
    expect(contents(draftOf("hi", { files: [file], format: "discord" }))).toEqual(["hi"]);
  });
});

const numbered = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(" ");

describe("what is left of a post, when another try cuts it otherwise", () => {
  const gone = { ...aSharedFile({ name: "g" }), url: "https://e.example/link" };
  const LONG = `${numbered("a", 300)} @ann\n\n\`\`\`\n${numbered("b", 500)}\n\`\`\`\n> ${numbered("c", 800)}\n\n${numbered("d", 50)}`;
  const draft = draftOf(LONG, { format: "markdown", files: [gone] });
  const said: DiscordPostOptions = { ...OPTIONS, files: [asItIs(gone)] };
  const going: DiscordPostOptions = { ...OPTIONS, files: [{ file: gone, goes: "natively" }] };
  const TRIES: readonly DiscordPostOptions[] = [
    { ...said, lead: `-# ${"x".repeat(300)}` },
    { ...said, prefix: true },
    { ...going, people: new Map([["ann", "123456789012345678"]]) },
    { ...said, textMax: 700 },
    { ...said, textMax: 700, lead: `-# ${"x".repeat(600)}`, prefix: true },
    going,
  ];

  test.each(
    TRIES.flatMap((one, at) => TRIES.filter((other) => other !== one).map((other, to) => [at, to, one, other])),
  )("%i, %i", (_, __, one, other) => {
    const words = LONG.match(/[abcd]\d+/g) ?? [];
    const first = renderMessages(draft, one as DiscordPostOptions).parts;
    expect(first.length).toBeGreaterThan(3);
    for (const [at, { sent }] of first.slice(0, -1).entries()) {
      const resumed = sentBy(progressOf(sent ?? NOTHING_SENT));
      expect(resumed).toEqual(sent);
      const rest = renderMessages(draft, { ...(other as DiscordPostOptions), sent: resumed }).parts;
      const all = [...first.slice(0, at + 1), ...rest];
      const text = all.map(({ content }) => content).join(" ");
      expect(text.match(/\b[abcd]\d+\b/g)).toEqual(words);
      expect(text.split("e.example/link").length - 1 + all.flatMap(({ files }) => files).length).toBe(1);
      expect(text.split("<Bob>").length - 1).toBeLessThanOrEqual(1);
      expect(all.every(({ content }) => content.length <= 2_000)).toBe(true);
      expect(rest.at(-1)?.sent).toBeNull();
    }
  });

  test("is the file that goes by itself, when its words do not fit", () => {
    const full = draftOf("y".repeat(1_990), { files: [gone] });
    const [first, second, ...others] = renderMessages(full, said).parts;
    expect([first?.content, second?.content, others]).toEqual(["y".repeat(1_990), "g: https://e.example/link", []]);
    const rest = renderMessages(full, { ...going, sent: first?.sent ?? NOTHING_SENT }).parts;
    expect(rest.map(({ content, files }) => [content, files.length])).toEqual([["", 1]]);
  });

  test("is nothing in the end: not even a message of which nothing can be seen", () => {
    const [first] = renderMessages(draftOf("hi"), { ...OPTIONS, prefix: true, lead: `-# ${"x".repeat(1_996)}` }).parts;
    const sent = { ...(first?.sent ?? NOTHING_SENT), text: { block: 1, at: 0 } };
    expect(renderMessages(draftOf("hi"), { ...OPTIONS, prefix: true, sent }).parts).toEqual([]);
  });
});

const MANY = Array.from({ length: 150 }, (_, at) => String(at));

test.each([
  ["<@1> <@2> <@1> <@3>", ["1", "2", "4"], false, { parse: [], users: ["1", "2"] }],
  ["<@1> @everyone", [], false, { parse: [], users: [] }],
  ["<@1> @everyone", [], true, { parse: ["everyone"], users: [] }],
  [MANY.map((id) => `<@${id}>`).join(""), MANY, false, { parse: [], users: MANY.slice(0, 100) }],
])("%s notifies whom it may", (content, users, everyone, expected) => {
  expect(allowedIn(content, { users: new Set(users), everyone })).toEqual({ ...expected, replied_user: false });
});

describe("the line of a reply", () => {
  const jump = "https://discord.com/channels/1/2/3";

  test.each([
    ["Ann", "what is [this] **here**?", "Ann: what is (this)"],
    ["Ann", "see https://e.example/x", "Ann: see https"],
    ["", "", "a message"],
    ["Ann", "in C:\\dir\\", "Ann: in C:"],
    ["n".repeat(3_000), "hi", "nnn"],
  ])("of %s", (name, excerpt, begin) => {
    const line = replyLine({ name, excerpt }, jump);
    expect(line.startsWith(`-# \u21aa [${begin}`)).toBe(true);
    expect(line.endsWith(`](<${jump}>)`)).toBe(true);
    expect(line.length).toBeLessThan(600);
    expect(line).not.toMatch(/\n|:\/\/(?!discord)/);
    expect(leadOf(`${line}\nyes`, "https://discord.com/channels/1/")).toBe(line);
    expect(parseDiscordWords(line).filter(({ t }) => t === "link")).toMatchObject([{ href: jump }]);
  });

  test("is none of what people write", () => {
    expect(leadOf("-# small", "https://discord.com/channels/1/")).toBe("");
    expect(leadOf("hi", "https://discord.com/channels/1/")).toBe("");
    const line = replyLine({ name: "Ann", excerpt: "hi" }, jump);
    expect(leadOf(line, "https://discord.com/channels/2/")).toBe("");
    expect(leadOf(line.replace("discord.com", "e.example"), "https://discord.com/channels/1/")).toBe("");
    expect(leadOf(`${line.slice(0, -1)}?)`, "https://discord.com/channels/1/")).toBe("");
  });
});

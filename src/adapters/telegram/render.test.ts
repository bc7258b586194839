import { describe, expect, test } from "vitest";
import { bodyOf, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile, fileIdOf } from "../../../test/contract/shared-file.ts";
import * as fc from "../../../test/support/property.ts";
import type { Block, SharedFile } from "../../contract/content.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { channelRef, userRef } from "./ids.ts";
import { kindOf } from "./kinds.ts";
import { NOTHING_SENT, progressOf, sentBy, type TelegramReach } from "./progress.ts";
import { renderPost, renderTexts, type TelegramPart, type TelegramPostOptions } from "./render.ts";

const MB = 1024 * 1024;
const draftOf = (text: string, more: Partial<PostDraft> = {}): PostDraft => ({
  ...postOf(channelRef({ chat: -1, topic: null }), text),
  ...more,
});
const nobody: Partial<PostDraft> = { author: null };
const NO_PING = { mayPing: { users: false, everyone: false } };
const options: TelegramPostOptions = {
  idOf: (name) => (name === "alice" || name === "alice smith" ? "7" : null),
  files: [],
  uploadMax: 50 * MB,
  sent: NOTHING_SENT,
};
const fileOf = (name: string, bytes = 10, more: Partial<SharedFile> = {}): SharedFile =>
  aSharedFile({ name, id: fileIdOf(name), bytes, ...more });
const goingOf = (files: readonly SharedFile[]): TelegramPostOptions["files"] =>
  files.map((file) => ({ file, goes: file.id === null ? "in the text" : kindOf(file) }));

function partsOf(draft: PostDraft, files: readonly SharedFile[] = [], more: Partial<TelegramPostOptions> = {}) {
  const body = { ...draft.body, files };
  return renderPost({ ...draft, body }, { ...options, files: goingOf(files), ...more }).parts;
}

const textOf = ({ said }: Pick<TelegramPart, "said">): string => (said?.text ?? "").replaceAll("\u200b", "·");
/** As `words [kind name, kind name]`. */
const shown = (part: TelegramPart): string =>
  [textOf(part), ...part.files.map(({ kind, file }) => `[${kind} ${file.name}]`)].filter((one) => one !== "").join(" ");
const signs = (text: string): number => Array.from(text).length;

describe("one message", () => {
  test.each<[string, PostDraft, string]>([
    ["plain words", draftOf("a & <b> *c*", nobody), "a & <b> *c*"],
    ["the name before the words", draftOf("a"), "[irc] <Bob> a"],
    ["code first", draftOf("", { body: bodyOf("```\na\n```", [], "markdown") }), "[irc] <Bob>\na"],
    ["an action", draftOf("", { body: { ...bodyOf("waves"), style: "action" } }), "[irc] <Bob> waves"],
    ["somebody here", draftOf("alice: hi @Alice Smith", nobody), "alice: hi @Alice Smith"],
    ["somebody who may be here", draftOf("hi @carol, @dave.", nobody), "hi @carol, @dave."],
    [
      "nobody is to be called",
      draftOf("@alice, @carol", { ...nobody, mayPing: { users: false, everyone: true } }),
      "@·alice, @·carol",
    ],
    ["everybody", draftOf("@all @here", { ...nobody, mayPing: { users: true, everyone: true } }), "@·all @·here"],
    [
      "mail and addresses",
      draftOf("a@b.c https://x.y/@bob?q=@carol @d", { ...nobody, ...NO_PING }),
      "a@b.c https://x.y/@bob?q=@carol @·d",
    ],
    [
      "an address without a scheme",
      draftOf("a.org/@bob b.c@d.e /@f", { ...nobody, ...NO_PING }),
      "a.org/@bob b.c@d.e /@·f",
    ],
    [
      "an address with quotes behind it",
      draftOf("https://x.org«@bob»", { ...nobody, ...NO_PING }),
      "https://x.org«@·bob»",
    ],
    ["blanks alone", draftOf(" \n "), "[irc] <Bob>"],
    ["code that begins with blanks", draftOf("", { ...nobody, body: bodyOf("```\n  a\n```", [], "markdown") }), "·  a"],
    ["no name at all", draftOf("1 @ 2 @@ @-", nobody), "1 @ 2 @@ @-"],
  ])("%s", (_what, draft, written) => {
    expect(partsOf(draft).map(textOf)).toEqual([written]);
  });

  test("who speaks comes before what is seen, however many blanks are before that", () => {
    const [text = "", ...more] = partsOf(draftOf(`${" ".repeat(9_000)}hello`)).map(textOf);
    expect(text).toMatch(/^\[irc\] <Bob> +hello$/);
    expect(more).toEqual([]);
  });

  test("a name of somebody elsewhere calls nobody", () => {
    const author = { id: "c", name: "@carol", shown: "<@carol> ", avatar: null, account: "irc.a" };
    expect(partsOf(draftOf("hi", { author })).map(textOf)).toEqual(["<@·carol> hi"]);
  });

  test("a name that is half in bold calls nobody", () => {
    const of = [
      { t: "text", text: "@" },
      { t: "bold", of: [{ t: "text", text: "carol" }] },
    ] as const;
    const body = { ...bodyOf(""), blocks: [{ t: "para", of }] } as const;
    expect(partsOf(draftOf("", { ...nobody, ...NO_PING, body })).map(textOf)).toEqual(["@·carol"]);
  });

  test("code stays as it is", () => {
    expect(
      partsOf(draftOf("", { ...nobody, ...NO_PING, body: bodyOf("`@carol`", [], "markdown") })).map(textOf),
    ).toEqual(["@carol"]);
  });

  test("whom another network means is whoever has that name here", () => {
    const blocks = [{ t: "para", of: [{ t: "mention", user: userRef(99), text: "@alice" }] }] as const;
    const [part] = partsOf(draftOf("", { ...nobody, body: { ...bodyOf(""), blocks } }));
    expect(part?.said?.entities).toEqual([{ type: "text_mention", user: { id: 7 }, offset: 0, length: 6 }]);
  });
});

describe("texts of all lengths", () => {
  test.each([
    [4_096, 1],
    [4_097, 2],
    [20_000, 6],
  ])("%d characters are %d messages, each as long as it may be", (length, count) => {
    const text = "abc ".repeat(length / 4 + 1).slice(0, length - 1) + "z";
    const texts = partsOf(draftOf(text, nobody)).map(textOf);
    expect(texts).toHaveLength(count);
    expect(texts.every((one) => signs(one) <= 4_096)).toBe(true);
    expect(texts.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
  });

  test("the name and the words are one message as long as that takes them", () => {
    expect(partsOf(draftOf("x".repeat(4_096 - "[irc] <Bob> ".length)))).toHaveLength(1);
  });

  test("code without a place of its own calls nobody", () => {
    const styles = Array.from({ length: 100 }, (_, at) => `<b>x${at}</b>`).join(" ");
    const html = `<p>${styles} <code>@carol</code></p>`;
    const [only = ""] = partsOf(draftOf("", { ...nobody, ...NO_PING, body: bodyOf(html, [], "html") })).map(textOf);
    expect(only).toMatch(/ @·carol$/);
  });

  test.each([true, false])("who is known may be another at the next try (first: %s)", (isKnown) => {
    const words = Array.from({ length: 700 }, (_, at) => (at % 5 === 0 ? "@alice" : `word${at}`));
    const draft = draftOf(words.join(" "), nobody);
    const idOf = (is: boolean) => (name: string) => (is && name === "alice" ? "7" : null);
    const [first] = partsOf(draft, [], { idOf: idOf(isKnown) });
    const rest = partsOf(draft, [], { idOf: idOf(!isKnown), sent: first?.sent ?? NOTHING_SENT });
    const said = [first, ...rest].map((part) => part?.said?.text.trim() ?? "").join(" ");
    expect(said.split(" ")).toEqual(words);
  });

  test("the name has room in the first message", () => {
    const texts = partsOf(draftOf("x".repeat(4_096))).map(textOf);
    expect(texts.map(signs).every((count) => count <= 4_096)).toBe(true);
    expect(texts.join("")).toBe(`[irc] <Bob> ${"x".repeat(4_096)}`);
  });

  test("emoji count as what they are, and none is broken", () => {
    const text = "😀".repeat(5_000);
    const texts = partsOf(draftOf(text, nobody)).map(textOf);
    expect(texts.map(signs)).toSatisfy((counts: number[]) => counts.every((count) => count <= 4_096));
    expect(texts.join("")).toBe(text);
  });

  test("no message has more formatting than is kept", () => {
    const blocks = Array.from({ length: 250 }, (_, at): Block => {
      return { t: "para", of: [{ t: "bold", of: [{ t: "text", text: `b${at}` }] }] };
    });
    const parts = partsOf(draftOf("", { ...nobody, body: { ...bodyOf(""), blocks } }));
    const counts = parts.map(({ said }) => said?.entities.length ?? 0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(250);
  });

  test("a room may take less", () => {
    const texts = partsOf(draftOf("word ".repeat(100), { ...nobody, textMax: 50 })).map(textOf);
    expect(texts.every((one) => signs(one) <= 50)).toBe(true);
  });

  test.each([" \n ", "\u200b", "\u2060", ""])("nothing to be seen (%j)", (text) => {
    expect(partsOf(draftOf(text, nobody))).toEqual([]);
  });
});

describe("files", () => {
  test.each<[string, SharedFile, string]>([
    ["a picture", fileOf("a.jpg", 10, { mime: "image/jpeg" }), "photo"],
    ["a picture by its name", fileOf("a.PNG"), "photo"],
    ["a large picture", fileOf("a.jpg", 10 * MB + 1), "document"],
    ["a picture of another kind", fileOf("a.svg", 10, { mime: "image/svg+xml" }), "document"],
    ["a moving picture", fileOf("a.gif", 10, { mime: "image/gif" }), "animation"],
    ["a film", fileOf("a.mp4", 10, { mime: "video/mp4; codecs=x" }), "video"],
    ["a film of another kind", fileOf("a.webm", 10, { mime: "video/webm" }), "document"],
    ["music", fileOf("a.mp3", 10, { mime: "audio/mpeg" }), "audio"],
    ["a voice", fileOf("a.oga", 10, { mime: "audio/ogg" }), "voice"],
    ["what says that it is nothing", fileOf("a.jpg", 10, { mime: "application/octet-stream" }), "photo"],
    ["what is not what it is called", fileOf("a.jpg", 10, { mime: "text/plain" }), "document"],
    ["no name to speak of", fileOf("jpg"), "document"],
  ])("%s", (_what, file, kind) => {
    expect(kindOf(file)).toBe(kind);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    ["words stand with a picture", "hi", ["a.jpg"], ["hi [photo a.jpg]"]],
    [
      "pictures and films stand together",
      "",
      ["a.jpg", "b.mp4", "c.png"],
      ["[photo a.jpg] [video b.mp4] [photo c.png]"],
    ],
    [
      "documents stand alone",
      "hi",
      ["a.txt", "b.pdf", "c.jpg"],
      ["hi [document a.txt] [document b.pdf]", "[photo c.jpg]"],
    ],
    ["music stands alone", "", ["a.mp3", "b.mp3", "c.txt"], ["[audio a.mp3] [audio b.mp3]", "[document c.txt]"]],
    [
      "voices and moving pictures are in no album",
      "",
      ["a.ogg", "b.ogg", "c.gif", "d.gif"],
      ["[voice a.ogg]", "[voice b.ogg]", "[animation c.gif]", "[animation d.gif]"],
    ],
    ["the order stays", "", ["a.jpg", "b.txt", "c.jpg"], ["[photo a.jpg]", "[document b.txt]", "[photo c.jpg]"]],
  ])("%s", (_what, text, names, messages) => {
    expect(
      partsOf(
        draftOf(text, nobody),
        names.map((name) => fileOf(name)),
      ).map(shown),
    ).toEqual(messages);
  });

  test("an album has ten at most", () => {
    const files = Array.from({ length: 21 }, (_, at) => fileOf(`${at}.jpg`));
    expect(partsOf(draftOf(""), files).map((part) => part.files.length)).toEqual([10, 10, 1]);
  });

  test("files of an unknown size are in no album", () => {
    const files = ["a.txt", "b.txt", "c.txt"].map((name) => fileOf(name, 10, name === "b.txt" ? { bytes: null } : {}));
    expect(partsOf(draftOf(""), files).map((part) => part.files.length)).toEqual([1, 1, 1]);
  });

  test("an album is no larger than a request may be", () => {
    const files = [30, 15, 10, 50, 1].map((size, at) => fileOf(`${at}.txt`, size * MB));
    expect(partsOf(draftOf(""), files).map((part) => part.files.length)).toEqual([2, 1, 1, 1]);
  });

  test.each([
    [1_024, 1],
    [1_025, 2],
  ])("words of %d characters: %d messages", (length, count) => {
    const parts = partsOf(draftOf("x".repeat(length), nobody), [fileOf("a.jpg")]);
    expect(parts).toHaveLength(count);
    expect(parts.map(textOf).join("")).toBe("x".repeat(length));
    expect(parts.at(-1)?.files).toHaveLength(1);
  });

  test("what has no words says whose it is", () => {
    const files = [fileOf("a.jpg"), fileOf("b.txt")];
    expect(partsOf(draftOf("hi"), files).map(shown)).toEqual([
      "[irc] <Bob> hi [photo a.jpg]",
      "[irc] <Bob> [document b.txt]",
    ]);
    expect(partsOf(draftOf("")).map(shown)).toEqual(["[irc] <Bob>"]);
  });

  test("captions, and what does not go, are said", () => {
    const files = [fileOf("a.jpg", 10, { comment: "a gull" }), aSharedFile({ name: "b.iso" })];
    const words = "hi\na gull\nb.iso was shared, but could not be copied here (it is too large)";
    expect(partsOf(draftOf("hi", nobody), files).map(shown)).toEqual([`${words} [photo a.jpg]`]);
  });

  test("what is refused after the words is said behind them", () => {
    const files = [fileOf("a.jpg"), fileOf("b.txt", 10, { comment: "the bill" })];
    const [first] = partsOf(draftOf("hi", nobody), files);
    const going = [
      { file: fileOf("a.jpg"), goes: "photo" },
      { file: { ...fileOf("b.txt", 10, { comment: "the bill" }), missing: "no" }, goes: "in the text" },
    ] as const;
    const rest = partsOf(draftOf("hi", nobody), files, { files: going, sent: first?.sent ?? NOTHING_SENT });
    expect(first === undefined ? "" : shown(first)).toBe("hi\nthe bill [photo a.jpg]");
    expect(rest.map(shown)).toEqual(["b.txt was shared, but could not be copied here (no)"]);
    expect(partsOf(draftOf("hi", nobody), files, { files: going, sent: rest[0]?.sent ?? NOTHING_SENT })).toEqual([]);
  });
});

test("a message goes on where it was left, wherever that is", () => {
  const word = fc.constantFrom(
    "lorem",
    "ipsum dolor",
    "**sit**",
    "@amet",
    "\n\n",
    "`code`",
    "x".repeat(900),
    "😀".repeat(400),
  );
  const name = fc.constantFrom("a.jpg", "b.mp4", "c.txt", "d.pdf", "e.gif", "f.mp3");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(name, { maxLength: 6 }), (words, names) => {
      const draft = draftOf("", { body: bodyOf(words.join(" "), [], "markdown"), textMax: 1_000 });
      const files = names.map((one, at) => fileOf(`${at}${one}`));
      const whole = partsOf(draft, files);
      for (const [at, { sent, isLast }] of whole.entries()) {
        const again: TelegramReach = sentBy(progressOf(sent, at));
        expect(again).toEqual(sent);
        const rest = partsOf(draft, files, { sent: again });
        expect(isLast).toBe(at === whole.length - 1);
        expect(withoutSpace(rest)).toBe(withoutSpace(whole.slice(at + 1)));
        expect(rest.flatMap((part) => part.files)).toEqual(whole.slice(at + 1).flatMap((part) => part.files));
      }
    }),
  );
});

/** How much stands with a file, and how much alone, may be another; who speaks is named where there are no words. */
const withoutSpace = (parts: readonly TelegramPart[]): string =>
  parts.map(textOf).join("").replaceAll(/\s/gu, "").replaceAll("[irc]<Bob>", "");

test("an edit of what stands with a file has less room in its first message", () => {
  const draft = draftOf("word ".repeat(1_200), nobody);
  const counts = renderTexts(draft, { ...options, firstMax: 1_024 }).texts.map(({ text }) => signs(text));
  expect(counts[0]).toBeLessThanOrEqual(1_024);
  expect(counts[1]).toBeGreaterThan(1_024);
});

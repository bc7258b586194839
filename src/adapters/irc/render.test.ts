import * as fc from "../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Body, SharedFile } from "../../contract/content.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import { parse } from "../../content/formats.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { charsetOf } from "./wire/charset.ts";
import { type Rendered, type IrcRenderOptions, renderPost, textRoom } from "./render.ts";
import { formatLine, parseLine } from "./wire/wire.ts";

const utf8 = charsetOf("utf-8")!;
const OPTIONS: IrcRenderOptions = {
  colorNicks: false,
  stripMarkdown: false,
  messageLines: 30,
  lineBytes: 400,
  textBytes: 512,
  charset: utf8,
  resume: null,
  rest: null,
};

function draft(text: string, more: { shown?: string | null; format?: string } & Partial<Body> = {}): PostDraft {
  const { shown = "<alice> ", format = "plain", ...body } = more;
  const author = shown === null ? null : { id: "a@h", name: "alice", shown, avatar: null, account: "test" };
  return {
    author,
    body: { style: "normal", source: { format, text }, blocks: parse(format, text), files: [], ...body },
    reply: null,
    thread: null,
    mayPing: { users: true, everyone: false },
  };
}

const render = (post: PostDraft, options: Partial<IrcRenderOptions> = {}): Rendered =>
  renderPost(post, { ...OPTIONS, ...options });
const lines = (rendered: Rendered): readonly string[] => rendered.lines.map(({ text }) => text);

describe("text", () => {
  test("each line carries the name; empty lines are left out; the last one is the end", () => {
    expect(render(draft("one\n\ntwo"))).toStrictEqual({
      command: "PRIVMSG",
      lines: [
        { text: "<alice> one", end: "4" },
        { text: "<alice> two", end: END },
      ],
      losses: [],
    });
  });

  test("without an author, without a name", () => {
    expect(lines(render(draft("hi", { shown: null })))).toStrictEqual(["hi"]);
  });

  test("an action and a notice", () => {
    const action = render(draft("waves\x01\nagain", { style: "action", shown: "alice " }));
    expect(action.command).toBe("PRIVMSG");
    expect(lines(action)).toStrictEqual(["\x01ACTION alice waves\x01", "\x01ACTION alice again\x01"]);
    const notice = render(draft("beware", { style: "notice" }));
    expect([notice.command, ...lines(notice)]).toStrictEqual(["NOTICE", "<alice> beware"]);
  });

  test.each(["", "\n \n", "\x02\x01"])("nothing to say: %j", (text) => {
    expect(render(draft(text))).toStrictEqual({ command: "PRIVMSG", lines: [], losses: [] });
  });

  test("formatting becomes codes; codes in the words of others do not", () => {
    const post = draft("x", { blocks: [{ t: "para", of: [{ t: "bold", of: [{ t: "text", text: "b\x0304" }] }] }] });
    expect(lines(render(post))).toStrictEqual(["<alice> \x02b04\x0f"]);
  });

  test("what comes from the same kind of network passes untouched, but cannot end its line", () => {
    const text = "\x02\x0304bold\x0f \x16\ttab\r\0\x01x";
    expect(lines(render(draft(text, { format: "irc" })))).toStrictEqual(["<alice> \x02\x0304bold\x0f \x16\ttabx"]);
  });

  test("StripMarkdown, but not for what comes from the same kind of network", () => {
    const options = { stripMarkdown: true };
    expect(lines(render(draft("**a** 2 * 3 * 4"), options))).toStrictEqual(["<alice> a 2 * 3 * 4"]);
    expect(lines(render(draft("**a**", { format: "irc" }), options))).toStrictEqual(["<alice> **a**"]);
    const html = draft("<b>a</b> **b**", { format: "html", blocks: parse("html", "<b>a</b> **b**") });
    expect(lines(render(html, options))).toStrictEqual(["<alice> a **b**"]);
    for (const text of ["1. a", "# b", "__c__", "2*3*4", "> d"])
      expect(lines(render(draft(text), options))).toStrictEqual([`<alice> ${text}`]);
    expect(lines(render(draft("**a**")))).toStrictEqual(["<alice> **a**"]);
  });
});

describe("the name", () => {
  test.each([
    ["<al\r\nice> ", "<al ice> hi"],
    ["\x01VERSION\x01 \x1b[1m\0", "VERSION [1mhi"],
    ["\x0304alice\x0f: ", "\x0304alice\x0f: hi"],
    // Formatting that a name leaves open does not reach the text.
    ["\x02alice ", "\x02alice\x0f hi"],
    ["", "hi"],
    ["   ", "   hi"],
    ["      ", "    hi"],
  ])("%j", (shown, line) => {
    expect(lines(render(draft("hi", { shown })))).toStrictEqual([line]);
  });

  test.each([
    // crc32("alice") % 14 + 2 = 7
    ["<alice> ", "\x0307<alice>\x0f hi"],
    ["alice", "\x0307alice\x0fhi"],
    [",1alice: ", "\x0307\x02\x02,1alice:\x0f hi"],
    ["", "hi"],
  ])("ColorNicks: %j", (shown, line) => {
    expect(lines(render(draft("hi", { shown }), { colorNicks: true }))).toStrictEqual([line]);
  });

  test("one longer than half a line is cut, and that is told", () => {
    const rendered = render(draft("hi there", { shown: `${"é".repeat(100)}: ` }), { lineBytes: 100 });
    expect(lines(rendered)).toStrictEqual([`${"é".repeat(20)} hi there`]);
    expect(rendered.losses.map(({ what }) => what)).toStrictEqual(["identity"]);
  });
});

test.each([
  // What MessageLength says, and how long each line is with the name before it.
  [100, [108, 108, 108]],
  [300, [308]],
  [512, [308]],
])("MessageLength %i counts the text without the name", (textBytes, lengths) => {
  const rendered = render(draft("x".repeat(300)), { textBytes });
  expect(lines(rendered).map((line) => line.length)).toStrictEqual(lengths);
});

test("MessageLength is no more than the server has room for", () => {
  const rendered = render(draft("x".repeat(600)), { textBytes: 8192 });
  expect(lines(rendered).map((line) => line.length)).toStrictEqual([400, 216]);
});

describe("files", () => {
  const file = (more: Partial<SharedFile>): SharedFile => aSharedFile({ name: "cat.png", missing: null, ...more });

  test.each<[Partial<SharedFile>, string]>([
    [{ url: "https://e.example/c" }, "<alice> cat.png: https://e.example/c"],
    [{ url: "https://e.example/c", comment: "my\ncat" }, "<alice> my cat: https://e.example/c"],
    [{ url: "https://e.example/c\r\nQUIT", name: "" }, "<alice> https://e.example/c QUIT"],
    [{}, "<alice> cat.png was shared, but has no public link"],
    [{ bytes: 12_345 }, "<alice> cat.png (12 KiB) was shared, but has no public link"],
    [{ bytes: 12, comment: "look" }, "<alice> look: cat.png (12 bytes) was shared, but has no public link"],
    [{ bytes: 3 << 20 }, "<alice> cat.png (3.0 MiB) was shared, but has no public link"],
  ])("%j", (more, line) => {
    const rendered = render(draft("", { files: [file(more)] }));
    expect(lines(rendered)).toStrictEqual([line]);
    expect(rendered.losses.map(({ what }) => what)).toStrictEqual(more.url === undefined ? ["file"] : []);
  });

  test("come after the text, a line each", () => {
    const files = [file({ url: "https://e.example/1" }), file({ url: "https://e.example/2" })];
    expect(lines(render(draft("look", { files })))).toStrictEqual([
      "<alice> look",
      "<alice> cat.png: https://e.example/1",
      "<alice> cat.png: https://e.example/2",
    ]);
  });
});

describe("the charset", () => {
  test("what it lacks becomes a question mark, and is told once", () => {
    const rendered = render(draft("日本\né日", { shown: "<日> " }), { charset: charsetOf("iso-8859-1")! });
    expect(lines(rendered)).toStrictEqual(["<?> ??", "<?> é?"]);
    expect(rendered.losses).toHaveLength(1);
    expect(rendered.losses[0]).toMatchObject({ what: "charset", note: expect.stringContaining("日 本") as string });
  });
});

describe("many lines", () => {
  const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index}`).join("\n");

  test("as many as allowed pass", () => {
    expect(render(draft(tenLines), { messageLines: 10 }).lines).toHaveLength(10);
  });

  test("over that, the last one counts the rest", () => {
    const rendered = render(draft(tenLines), { messageLines: 4 });
    expect(lines(rendered)).toStrictEqual([
      "<alice> line 0",
      "<alice> line 1",
      "<alice> line 2",
      "<alice> (7 more lines)",
    ]);
    expect(rendered.lines.at(-1)?.end).toBe(END);
    expect(rendered.losses.map(({ what }) => what)).toStrictEqual(["length"]);
  });

  test("with one line allowed, it is the first", () => {
    expect(lines(render(draft(tenLines), { messageLines: 1 }))).toStrictEqual(["<alice> line 0"]);
  });

  test("an attempt continues after the last one, and they make up the whole", () => {
    const all = render(draft(tenLines), { messageLines: 4 }).lines;
    for (const [index, { end }] of all.entries()) {
      expect(render(draft(tenLines), { messageLines: 4, resume: end }).lines).toStrictEqual(all.slice(index + 1));
    }
  });

  test("also when the room for a line is another one by then", () => {
    const text = Array.from({ length: 60 }, (_, index) => `w${index}`).join(" ");
    const [first] = render(draft(text), { lineBytes: 100 }).lines;
    const rest = render(draft(text), { lineBytes: 80, resume: first!.end });
    const words = [first!.text, ...lines(rest)].map((line) => line.slice("<alice> ".length)).join(" ");
    expect(words).toBe(text);
  });

  test("a huge message takes no time", () => {
    const text = "word ".repeat(2_000_000);
    const rendered = render(draft(text), { charset: charsetOf("koi8-r")! });
    expect(rendered.lines).toHaveLength(30);
    expect(rendered.lines.at(-1)?.text).toMatch(/\(about 2\d{4} more lines\)$/);
  });

  test("a text of millions of lines is not read to its end, nor is its end dropped in silence", () => {
    const many = render(draft("a\n".repeat(4_000_000)));
    expect(many.lines.at(-1)?.text).toMatch(/\(about (?:39|40)\d{5} more lines\)$/);
    const hidden = render(draft(`${"\n".repeat(1_000_000)}x`));
    expect(hidden.lines).toHaveLength(1);
    expect(hidden.losses).toMatchObject([{ what: "length" }]);
    expect(render(draft("\n".repeat(1_000_000))).lines).toEqual([]);
  });

  test("a progress nobody can read begins at the beginning", () => {
    expect(lines(render(draft("a\nb"), { resume: "x" as Progress }))).toHaveLength(2);
  });
});

describe("on the wire", () => {
  test("textRoom: what the server sends is exactly the longest line", () => {
    const line = { lineBytes: 512, prefix: "rialto!rialto@host.example", command: "PRIVMSG", target: "#chän" };
    const text = "x".repeat(textRoom(line));
    expect(Buffer.byteLength(`:${line.prefix} PRIVMSG ${line.target} :${text}\r\n`)).toBe(512);
  });

  const nasty = fc.oneof(
    fc.constantFrom("\r\nQUIT :x", "\n", "\0", "\x01VERSION\x01", "\x01", " :", ":", "\x0304", "a".repeat(100), "日本"),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const nastyText = fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join(""));

  test("nobody's text, name or file makes another line, another command or a CTCP; every line fits", () => {
    const style = fc.constantFrom("normal" as const, "action" as const, "notice" as const);
    const options = fc.record({
      colorNicks: fc.boolean(),
      stripMarkdown: fc.boolean(),
      lineBytes: fc.integer({ min: 64, max: 450 }),
      textBytes: fc.integer({ min: 100, max: 450 }),
      charset: fc.constantFrom("utf-8", "koi8-r", "gbk").map((name) => charsetOf(name)!),
    });
    fc.assert(
      fc.property(
        nastyText,
        nastyText,
        nastyText,
        style,
        fc.constantFrom("plain", "irc"),
        options,
        (text, shown, name, style, format, more) => {
          const files = [
            aSharedFile({ name, bytes: 1, missing: text }),
            aSharedFile({ name: "", comment: name, url: text }),
          ];
          const rendered = render(draft(text, { shown, format, style, files }), more);
          expect(rendered.command).toBe(style === "notice" ? "NOTICE" : "PRIVMSG");
          for (const { text: payload } of rendered.lines) {
            const sent = Buffer.from(more.charset.encode(formatLine(rendered.command, ["#c", payload]) ?? ""));
            expect(sent.includes(10) || sent.includes(13) || sent.includes(0)).toBe(false);
            const back = parseLine(more.charset.decode(sent));
            expect([back?.command, back?.params[0], back?.params.length]).toStrictEqual([rendered.command, "#c", 2]);
            expect(payload.startsWith("\x01ACTION ")).toBe(style === "action");
            expect(payload.slice(1, -1)).not.toContain("\x01");
            expect(more.charset.measure(payload)).toBeLessThanOrEqual(more.lineBytes);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

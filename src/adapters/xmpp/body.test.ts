import { describe, expect, test } from "vitest";
import { renderDiscord } from "../../content/discord-render.ts";
import { parse } from "../../content/formats.ts";
import { readBody } from "./body.ts";
import { NS } from "./ns.ts";
import { parsed } from "./xml.suite.ts";

function body(inner: string) {
  return readBody(parsed(`<message>${inner}</message>`));
}

const oob = (url: string, desc = ""): string => `<x xmlns="${NS.oob}"><url>${url}</url>${desc}</x>`;

const replyRange = (start: number, end: number): string =>
  `<fallback xmlns="${NS.fallback}" for="${NS.reply}"><body start="${start}" end="${end}"/></fallback>`;

describe("text", () => {
  const ranges = (...each: readonly string[]): string =>
    `<fallback xmlns="${NS.fallback}" for="${NS.reply}">${each.join("")}</fallback>`;

  test.each([
    ["backwards", `<body start="3" end="1"/>`, "abcdef"],
    ["no number", `<body start="x" end="2"/>`, "abcdef"],
    ["before the beginning", `<body start="0" end="-1"/>`, "abcdef"],
    ["after the end", `<body start="2000" end="3000"/>`, "abcdef"],
    ["with an open end", `<body start="2"/>`, "ab"],
    ["twice the same", `<body start="0" end="2"/><body start="0" end="2"/>`, "cdef"],
  ])("a range: %s", (_, range, text) => {
    expect(body(`<body>abcdef</body>${ranges(range)}`)?.source.text).toBe(text);
  });

  test("of very many ranges only some are looked at", () => {
    const many = Array.from({ length: 1000 }, (_, at) => `<body start="${at}" end="${at + 1}"/>`);
    expect(body(`<body>${"x".repeat(1000)}</body>${ranges(...many)}`)?.source.text.length).toBeGreaterThan(900);
  });

  test.each([
    ["<body>hi *there*</body>", "normal", "styling", "hi *there*"],
    ["<body>/me waves</body>", "action", "styling", "waves"],
    ["<body>/men</body>", "normal", "styling", "/men"],
    [`<body>2 * 3</body><unstyled xmlns="${NS.styling}"/>`, "normal", "plain", "2 * 3"],
    [`<body>abc</body><fallback xmlns="${NS.fallback}" for="urn:other"/>`, "normal", "styling", "abc"],
    [`<body>&gt; base text\nyes</body>${replyRange(0, 15)}`, "normal", "styling", "yes"],
    [`<body>&gt; base text\nyes</body>${replyRange(0, 999)}`, "normal", "styling", "yes"],
    [`<body>&gt; 👍\nanswer</body>${replyRange(0, 5)}`, "normal", "styling", "answer"],
    // Counted in bytes, in graphemes, without the line feed; a blank line or a quote of one's own behind it.
    [`<body>&gt; grüße\nja</body>${replyRange(0, 11)}`, "normal", "styling", "ja"],
    [`<body>&gt; 👩‍👩‍👧 hi\nyes</body>${replyRange(0, 7)}`, "normal", "styling", "yes"],
    [`<body>&gt; base\nyes</body>${replyRange(0, 6)}`, "normal", "styling", "yes"],
    [`<body>&gt; a\n&gt; b 👍👍👍\nyes</body>${replyRange(0, 9)}`, "normal", "styling", "yes"],
    [`<body>&gt; a\n&gt; mine\nyes</body>${replyRange(0, 4)}`, "normal", "styling", "> mine\nyes"],
    [`<body>&gt; a\n\nyes</body>${replyRange(0, 4)}`, "normal", "styling", "yes"],
    [`<body>&gt; alone</body>${replyRange(0, 999)}`, "normal", "styling", "> alone"],
    [`<body>abc</body>${replyRange(0, 999)}`, "normal", "styling", "abc"],
    [
      `<body>abcdef</body><fallback xmlns="${NS.fallback}" for="${NS.reply}"><body start="1" end="99"/></fallback>`,
      "normal",
      "styling",
      "a",
    ],
    [`<body>&gt; a\nyes</body><fallback xmlns="${NS.fallback}" for="${NS.reply}"/>`, "normal", "styling", "yes"],
    [
      `<body>abc</body><fallback xmlns="${NS.fallback}" for="${NS.reply}"><subject/></fallback>`,
      "normal",
      "styling",
      "abc",
    ],
    [
      `<body>abcdef</body><fallback xmlns="${NS.fallbackOld}" for="${NS.reply}"><body start="0" end="2"/></fallback>`,
      "normal",
      "styling",
      "cdef",
    ],
  ])("%s", (inner, style, format, text) => {
    expect(body(inner)).toMatchObject({ style, source: { format, text }, files: [] });
  });

  test.each(["", "<body/>", `<body>x</body><fallback xmlns="${NS.fallback}" for="${NS.oob}"/>`])(
    "nothing: %s",
    (inner) => {
      expect(body(inner)).toBeNull();
    },
  );
});

describe("spoilers", () => {
  const spoiler = (hint = ""): string => `<spoiler xmlns="${NS.spoiler}">${hint}</spoiler>`;

  test.each([
    [`<body>the *butler*</body>${spoiler()}`, "||the **butler**||"],
    [`<body>they die</body>${spoiler("Love story\nend")}`, "Love story end:\n||they die||"],
    [`<body>they die</body>${spoiler()}${spoiler("Ende")}`, "Ende:\n||they die||"],
    [`<body>&lt;b&gt; &amp; x</body>${spoiler()}`, "||<b> & x||"],
    [`<body>a\n\nb</body>${spoiler()}`, "||a||\n\n||b||"],
    [`<body>&gt; quoted\nwords</body>${spoiler()}`, "> ||quoted||\n||words||"],
    [`<body>*no* styling</body>${spoiler()}<unstyled xmlns="${NS.styling}"/>`, "||\\*no\\* styling||"],
    [`<body>&gt; a\nyes</body>${spoiler()}${replyRange(0, 4)}`, "||yes||"],
  ])("all words are hidden: %s", (inner, wanted) => {
    const source = body(inner)?.source;
    expect(renderDiscord(parse(source?.format ?? "", source?.text ?? ""))).toBe(wanted);
  });

  test("an action stays one, and what has no words is no spoiler", () => {
    expect(body(`<body>/me dies</body>${spoiler()}`)).toMatchObject({ style: "action", source: { format: "html" } });
    expect(body(`<body/>${spoiler("hint")}`)).toBeNull();
    const url = "https://x.example/a.png";
    expect(body(`<body>${url}</body>${oob(url)}${spoiler()}`)).toMatchObject({
      source: { format: "styling", text: "" },
    });
  });
});

describe("files", () => {
  test("an address alone is a file and no text", () => {
    const url = "https://up.example/a%20b/caf%C3%A9.png";
    expect(body(`<body>${url}</body>${oob(url)}`)).toMatchObject({
      source: { text: "" },
      files: [{ name: "café.png", url, ref: null, mime: null, bytes: null, comment: "" }],
    });
  });

  test("a text beside it stays", () => {
    expect(body(`<body>look</body>${oob("https://x.example/a", "<desc>of\nme</desc>")}`)).toMatchObject({
      source: { text: "look" },
      files: [{ name: "a", comment: "of me" }],
    });
  });

  test.each([
    ["code points", 5, 26],
    ["UTF-16 units", 7, 28],
    ["UTF-16 units, the space before it too", 6, 28],
  ])("an address beside words is cut by its range in %s", (_, start, end) => {
    const url = "https://x.example/a.p";
    const range = `<fallback xmlns="${NS.fallback}" for="${NS.oob}"><body start="${start}" end="${end}"/></fallback>`;
    const found = body(`<body>👍👍 x ${url} ok</body>${oob(url)}${range}`);
    expect([found?.source.text.replaceAll("  ", " "), found?.files.length]).toEqual(["👍👍 x ok", 1]);
  });

  test.each(["aesgcm://x.example/a#00", "javascript:alert(1)", "file:///etc/passwd", "https://", "/a"])(
    "%s is no file, and stays text",
    (url) => {
      expect(body(`<body>${url}</body>${oob(url)}`)).toMatchObject({ source: { text: url }, files: [] });
    },
  );

  test.each([
    ["https://x.example/%E0%A4%A", "%E0%A4%A"],
    ["https://x.example/..%2f..%2fetc", "....etc"],
    ["https://x.example/", "file"],
  ])("the name in %s", (url, name) => {
    expect(body(oob(url))).toMatchObject({ files: [{ name }] });
  });

  test("stateless sharing says more, and counts once", () => {
    const url = "https://x.example/a.jpg";
    const file = `<file xmlns="${NS.fileMetadata}"><name>sea.jpg</name><media-type>image/jpeg</media-type><size>7</size><desc>the sea</desc></file>`;
    const sources = `<sources><url-data xmlns="${NS.urlData}" target="${url}"/></sources>`;
    const sharing = `<file-sharing xmlns="${NS.sfs}">${file}${sources}</file-sharing>`;
    expect(body(`<body>${url}</body>${sharing}${oob(url)}`)?.files).toEqual([
      { name: "sea.jpg", comment: "the sea", mime: "image/jpeg", bytes: 7, url, ref: null },
    ]);
  });

  test.each([
    ["the\nending", "the ending"],
    ["", true],
  ])("a hint of %j hides the file (XEP-0382)", (hint, spoiler) => {
    const url = "https://x.example/a.jpg";
    const hidden = `<spoiler xmlns="urn:xmpp:spoiler:0">${hint}</spoiler>`;
    expect(body(`<body>${url}</body>${hidden}${oob(url)}`)).toMatchObject({ files: [{ url, spoiler }] });
  });
});

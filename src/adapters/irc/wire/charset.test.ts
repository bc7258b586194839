import * as fc from "../../../../test/support/property.ts";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { type Charset, charsetOf } from "./charset.ts";

function charset(name: string): Charset {
  const found = charsetOf(name);
  if (found === null) throw new Error(`no charset ${name}`);
  return found;
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));

describe("charsetOf", () => {
  test.each(["", "utf-8", "UTF8", "autodetect", " utf-8 "])("%j is UTF-8", (name) => {
    expect(charset(name).name).toBe("utf-8");
  });

  test.each([
    "iso-8859-1",
    "ISO-8859-15",
    "windows-1251",
    "koi8-r",
    "cp437",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "euc-kr",
  ])("%s is known", (name) => {
    expect(charsetOf(name)).not.toBeNull();
  });

  test.each(["nonsense", "utf-16", "utf-16le", "utf-7", "utf-7-imap", "utf-32", "base64", "hex", "binary"])(
    "%s is refused",
    (name) => {
      expect(charsetOf(name)).toBeNull();
    },
  );
});

describe("decode", () => {
  const line = ":a!u@h PRIVMSG #c :";
  const cyrillic = Buffer.from("а".repeat(40));
  test.each<[string, readonly (string | Uint8Array | readonly number[])[], string]>([
    ["a line that was cut", [line, "grüße ", [0xf0, 0x9f, 0x98]], "grüße "],
    ["a line that ngircd cut", [line, "é", cyrillic.subarray(0, 41), "[CUT]"], `é${"а".repeat(20)}[CUT]`],
    ["an emoji that was cut", [line, "hello ", [0xf0, 0x9f, 0x98]], "hello "],
    ["the second half of a line", [line, cyrillic.subarray(1, 40), " é"], `${"а".repeat(19)} é`],
    ["a line cut at both ends", [line, cyrillic.subarray(1, 40), [0xd0], " é"], `${"а".repeat(19)}\ufffd é`],
    ["the rest of a character", [line, cyrillic.subarray(1, 80)], "а".repeat(39)],
    ["a bad byte amid valid text", [line, "äöü", [0xff], "äöü"], "äöü\ufffdäöü"],
    ["an action", [line, "\u0001ACTION ", cyrillic.subarray(1, 41), "\u0001"], `\u0001ACTION ${"а".repeat(19)}\u0001`],
    ["an action that was cut", [line, "\u0001ACTION ", cyrillic.subarray(0, 41)], `\u0001ACTION ${"а".repeat(20)}`],
    ["Latin-1", [line, "caf", [0xe9]], "café"],
    ["Latin-1 with two letters", [line, "na", [0xef], "ve caf", [0xe9]], "naïve café"],
    ["windows-1251", [line, [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xe2, 0xf1, 0xe5, 0xec]], "Привет всем"],
  ])("%s", (_, parts, text) => {
    const whole = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([...part])));
    expect(charset("utf-8").decode(Buffer.concat(whole))).toBe(`${line}${text}`);
  });

  test.each([
    ["utf-8", "c3a9", "é"],
    ["utf-8", "e9", "é"],
    ["utf-8", "80", "€"],
    ["utf-8", "efbbbf61", "\ufeffa"],
    ["windows-1251", "cff0e8", "При"],
    ["windows-1251", "d09fd180", "Пр"],
    ["gbk", "c4e3", "你"],
  ])("%s: %s", (name, hex, text) => {
    expect(charset(name).decode(bytes(hex))).toBe(text);
  });

  test.each([
    ["utf-8", "iso-2022-jp", "1b2442467c4b5c1b2842", "日本"],
    ["iso-2022-jp", "iso-2022-jp", "68691b2442467c4b5c1b284221", "hi日本!"],
    ["iso-2022-jp", "JIS-Roman, old JIS", "1b2440467c1b284a61", "日a"],
    ["iso-2022-jp", "half-width kana", "1b2849311b2842", "ｱ"],
    ["iso-2022-jp", "JIS X 0212", "1b242844306b1b2842", "佌"],
    ["iso-2022-jp", "a code within", "1b2442467c024b5c1b2842", "日\u0002本"],
    ["iso-2022-jp", "half a pair", "1b244246", "F"],
    ["iso-2022-jp", "UTF-8 all the same", "e697a5", "日"],
    ["utf-8", "an escape that is none", "1b5b306d61", "\u001b[0ma"],
  ])("%s, %s", (name, _, hex, text) => {
    expect(charset(name).decode(bytes(hex))).toBe(text);
  });

  test("no bytes make it throw, and ASCII is ASCII", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom("utf-8", "iso-8859-1", "gbk", "euc-jp"), (input, name) => {
        const text = charset(name).decode(input);
        if (input.every((byte) => byte < 128)) expect(text).toBe(Buffer.from(input).toString("latin1"));
      }),
    );
  });
});

describe("encode, measure and fit", () => {
  test.each([
    ["<a\u200blice>", "<alice>", []],
    ["\u2764\ufe0f", "?", ["\u2764"]],
    ["\u200b", "?", []],
    ["soft\u00adhyphen", "soft\u00adhyphen", []],
  ])("what nobody sees is not missed: %j", (text, fit, lost) => {
    expect(charset("iso-8859-1").fit(text)).toStrictEqual({ text: fit, lost });
  });

  test.each([
    ["iso-8859-1", "é日😀é日", "é??é?", ["日", "😀"]],
    ["windows-1251", "Привет, é", "Привет, ?", ["é"]],
    ["gb18030", "你好😀", "你好😀", []],
    ["utf-8", "日😀", "日😀", []],
    ["utf-8", "a\ud800b", "a\ufffdb", []],
  ])("%s: %j", (name, text, fit, lost) => {
    expect(charset(name).fit(text)).toStrictEqual({ text: fit, lost });
  });

  test("what fits is read back as it was, and measured as it is encoded", () => {
    const names = ["utf-8", "iso-8859-15", "koi8-r", "gbk", "gb18030", "big5", "euc-jp", "euc-kr"];
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...names), (text, name) => {
        const { fit, encode, measure } = charset(name);
        const fitting = fit(text).text;
        const encoded = encode(fitting);
        expect(iconv.decode(Buffer.from(encoded), name)).toBe(fitting.replace(/^\ufeff/, ""));
        expect(measure(fitting)).toBe(encoded.length);
      }),
    );
  });

  test.each([
    ["hi", "6869", "hi", []],
    ["日本", "1b2442467c4b5c1b2842", "日本", []],
    ["a日b", "611b2442467c1b284262", "a日b", []],
    ["ｶﾞ", "1b244225 2c1b2842".replace(" ", ""), "ガ", []],
    ["é日", "3f1b2442467c1b2842", "?日", ["é"]],
    ["\u001b$Bx", "3f244278", "?$Bx", ["\u001b"]],
  ])("iso-2022-jp: %j", (text, hex, fit, lost) => {
    const { fit: fitted, encode } = charset("ISO-2022-JP");
    expect(fitted(text)).toStrictEqual({ text: fit, lost });
    expect(Buffer.from(encode(fit)).toString("hex")).toBe(hex);
  });

  test("iso-2022-jp: what fits is read back as it was, in seven bits, and every line ends in ASCII", () => {
    const japanese = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...Array.from("日本語のテスト、ｶﾞabc \u0002é😀")),
        fc.string({ unit: "binary", maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(japanese, (text) => {
        const { fit, encode, measure, decode } = charset("iso-2022-jp");
        const fitting = fit(text).text;
        const encoded = Buffer.from(encode(fitting));
        expect(decode(encoded)).toBe(fitting);
        expect(encoded.every((byte) => byte < 0x80)).toBe(true);
        expect(measure(fitting)).toBe(encoded.length);
        const last = encoded.toString("latin1").lastIndexOf("\u001b");
        expect(last === -1 || encoded.toString("latin1").startsWith("\u001b(B", last)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  /** The library's own list, aliases included. */
  function everyName(): readonly string[] {
    iconv.encodingExists("utf-8");
    const { encodings } = iconv as unknown as { encodings: Readonly<Record<string, unknown>> };
    return Object.keys(encodings).filter((name) => !name.startsWith("_"));
  }

  test("in no charset anybody can configure does a character become CR, LF or NUL", () => {
    const points = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => !/[\r\n\0\ud800-\udfff]/.test(character),
    );
    const text = `${points.join("")}😀𠀀`;
    const known = everyName().filter((name) => charsetOf(name) !== null);
    expect(known.length).toBeGreaterThan(100);
    const breaking = known.filter((name) =>
      charset(name)
        .encode(text)
        .some((byte) => byte === 13 || byte === 10 || byte === 0),
    );
    expect(breaking).toStrictEqual([]);
  });
});

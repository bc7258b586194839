import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { charsetOf } from "./charset.ts";

const utf8 = charsetOf("")!;

const RUSSIAN = [
  "да",
  "нет",
  "привет",
  "ПРИВЕТ",
  "Всем привет",
  "ну и что?",
  "ок, понял",
  "lol да ладно",
  "Ёлки-палки",
  "Сегодня хорошая погода, пойдём гулять",
  "смотри https://example.org/page там всё есть",
];
const WESTERN = [
  "é",
  "für",
  "Jürgen",
  "ÄÖÜ ist da, schöne Grüße",
  "schöne Grüße an alle, ich wünsche euch ein frohes Fest",
  "HÖRT AUF DAMIT, GRÜSSE",
  "10 € für 20 £",
  "ça va très bien, merci à tous",
  "été",
  "ñandú, mañana será otro día",
  "São Paulo não é a capital",
  "hyvää päivää, mitä kuuluu",
];
const JAPANESE = ["こんにちは世界", "今日はいい天気ですね", "テスト", "alice: これは何？"];

describe.each([
  ["windows-1251", RUSSIAN],
  ["koi8-r", RUSSIAN],
  ["windows-1252", WESTERN],
  ["shift_jis", JAPANESE],
  ["euc-jp", JAPANESE],
  ["iso-8859-7", ["καλημέρα σε όλους", "τι κάνεις"]],
  ["iso-8859-2", ["dzień dobry, jak się masz"]],
  ["utf-8", [...RUSSIAN, ...WESTERN, ...JAPANESE]],
])("without a Charset, a line in %s is read as such", (charset, texts) => {
  test.each(texts)("%s", (text) => {
    const line = `:vasya!v@host.example PRIVMSG #chan :${text}`;
    expect(utf8.decode(iconv.encode(line, charset))).toBe(line);
  });
});

test("a line that nobody can tell is read as Windows-1252, however long it is", () => {
  const noise = Buffer.alloc(100_000, Buffer.from("a\u00ffb ", "latin1"));
  expect(utf8.decode(noise).slice(0, 4)).toBe("aÿb ");
});

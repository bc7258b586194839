import { expect, test } from "vitest";
import { skeleton } from "./look-alikes.ts";

test.each([
  ["paypal", "PayPal"],
  ["paypal", "pаypаl"],
  ["paypal", "paypa1"],
  ["alice", "аlісе"],
  ["bob", "ВОВ"],
  ["Rialto", "Ria1to"],
  ["ann lee", "annlee"],
  ["modern", "modem"],
  ["wow", "vvow"],
  ["oliver", "0l1ver"],
  ["illy", "IlIy"],
  ["Ελένη", "ελένη"],
  ["Ελένη", "ΕΛΕΝΗ"],
  ["Алиса", "АЛИСА"],
  ["Ümit", "umit"],
  ["ann", "ΑΝΝ"],
  ["ⲁнн", "ahh"],
])("%j looks like %j", (one, other) => expect(skeleton(one)).toBe(skeleton(other)));

test.each([
  ["small capitals", ["aliᴄe", "alɪce", "ᴀʟɪᴄᴇ", "ᴀlice"]],
  ["Greek, also the lunate sigma", ["aliϲe", "ALIϹE", "αlice", "Αlice", "alιce"]],
  ["Cyrillic", ["аlісе", "АLІСЕ", "aӏice"]],
  ["Lisu", ["ꓮlice", "ꓮꓡꓲꓚꓰ"]],
  ["Cherokee", ["Ꭺlice", "ꭺlice", "ᎪᏞᏆᏟᎬ"]],
  ["Coptic", ["ⲁlice", "ⲀLICE", "aliⲥe", "aliⲤe", "alicⲉ"]],
  ["Armenian and others", ["a|ice", "aاice", "alicҽ", "a𐌠ice", "aⵏice"]],
  ["lines", ["aǀice", "a∣ice", "a|ice", "a⏽ice", "a1ice", "aIice", "a!ice"]],
  ["marks", ["a\u0301lice", "álice", "ali\u0327ce", "a\u034flice", "alice\u20e3", "a̶l̶i̶c̶e̶"]],
  [
    "what nobody sees",
    ["alice\u{1d159}", "al\ufe0fice", "al\u200dice", "alice\u{e0061}", "al\u115fice", "ali\u2800ce"],
  ],
  ["other widths", ["ａｌｉｃｅ", "ＡＬＩＣＥ"]],
  ["mathematical", ["𝐚𝐥𝐢𝐜𝐞", "𝒶𝓁𝒾𝒸ℯ", "𝔞𝔩𝔦𝔠𝔢", "𝙰𝙻𝙸𝙲𝙴", "𝛂lice"]],
  ["in shapes", ["ⓐⓛⓘⓒⓔ", "🄰🄻🄸🄲🄴", "🅐🅛🅘🅒🅔", "🅰🅻🅸🅲🅴", "🇦🇱🇮🇨🇪", "⒜⒧⒤⒞⒠", "🄐🄛🄘🄒🄔"]],
  ["modified", ["ᵃlice", "aₗice", "ałice", "aƚice", "alıce", "alİce"]],
  ["spaces and signs", ["a l i c e", "a.l-i_c'e", "al\u2009ice"]],
])("%s do not make another alice", (_what, names) => {
  expect(names.map((name) => [name, skeleton(name)])).toEqual(names.map((name) => [name, skeleton("alice")]));
});

test("names of all scripts are free beside each other", () => {
  const names = [
    "alice",
    "bob",
    "Ελένη",
    "Νίκος",
    "Алиса",
    "Борис",
    "Юлия",
    "日本",
    "田中",
    "さくら",
    "Việt",
    "Ümit",
    "Zoë",
  ];
  const more = [
    "김민수",
    "שרה",
    "محمد",
    "हिन्दी",
    "สมชาย",
    "Արամ",
    "ნინო",
    "🦊",
    "🐻",
    "Łukasz",
    "Åsa",
    "Øyvind",
    "Þór",
  ];
  const all = [...names, ...more].map(skeleton);
  expect(new Set(all).size).toBe(all.length);
  expect(all).not.toContain("");
});

test.each([
  ["ann", "anna"],
  ["bob", "rob"],
  ["иван", "мария"],
])("%j does not look like %j", (one, other) => expect(skeleton(one)).not.toBe(skeleton(other)));

import { describe, expect, test } from "vitest";
import * as fc from "../support/property.ts";
import type { Block } from "../../src/contract/content.ts";
import { parse } from "../../src/content/formats.ts";
import { plainText } from "../../src/content/plain.ts";
import { dialectWords } from "../../src/content/tree.suite.ts";
import { bodyOf, postOf } from "../contract/ops.ts";
import type { ChannelRef } from "../../src/contract/ids.ts";
import { NETWORKS, RESUMED, signsOf } from "./parts.ts";

/**
 * The law over many parts: what a reader sees of a text that needs several messages is what was typed, each sign with
 * its formatting, and a member who is named is notified once for each time.
 */

const CASES = 2_000;
/** Those of Matrix take long. */
const casesOn = (network: string): number => (network === "matrix" ? CASES / 10 : CASES);

/** Texts that need many parts: those of Matrix are long. */
const stretched = (text: string, network: string): string =>
  network === "matrix" ? [text, LONG, text, LONG, text].join("\n") : text;
const LONG = `**${"filling ".repeat(2_500)}x** _${"words ".repeat(2_500)}x_`;

const words = fc.array(fc.stringMatching(/^[a-zé]{1,9}$/), { minLength: 1, maxLength: 40 }).map((all) => all.join(" "));
const line = fc.oneof(
  { weight: 3, arbitrary: words },
  words.map((some) => `**${some}**`),
  words.map((some) => `_${some}_`),
  words.map((some) => `~~${some}~~`),
  words.map((some) => `**a _${some}_ b**`),
  words.map((some) => `||${some}||`),
  words.map((some) => `\`${some}\``),
  words.map((some) => `[${some}](https://e.example/x)`),
  fc.constantFrom("@Tom", "**hi @Tom**"),
  fc.constant("https://e.example/a/quite/long/address?with=words&and=more"),
);
const lines = fc.array(line, { minLength: 1, maxLength: 12 }).map((some) => some.join(" "));
const block = fc.oneof(
  { weight: 3, arbitrary: lines },
  lines.map((some) => `> ${some}`),
  words.map((some) => `\`\`\`ts\n${some.replaceAll(" ", "\n")}\n\`\`\``),
);
const tame = fc.array(block, { minLength: 1, maxLength: 8 }).map((blocks) => `x\n${blocks.join("\n")}`);
/** What means something in many formats, often enough for several parts. */
const hostile = fc.array(dialectWords, { minLength: 1, maxLength: 12 }).map((some) => some.join(" ").toWellFormed());

const draftOf = (text: string, format: string) => ({
  ...postOf("#c" as ChannelRef, "", { author: null, body: bodyOf(text, [], format) }),
  mayPing: { users: true, everyone: false },
});
/** Without what formats may rightly change, and the marks that each part of a quote or a list has. */
const justSigns = (blocks: readonly Block[]): string =>
  plainText(blocks)
    .normalize()
    .replaceAll("%3B", ";")
    .replaceAll(/[\s\p{C}@>-]|\d+\./gu, "");

describe.each(Object.entries(NETWORKS))("parts on %s", (network, { max, parts, shows }) => {
  test(`each sign has its formatting, each call is one: ${casesOn(network)} texts`, () => {
    let [most, cut] = [0, 0];
    fc.assert(
      fc.property(tame, (typed) => {
        const text = stretched(typed, network);
        const said = parts(draftOf(text, "markdown"));
        for (const { size } of said) expect(size).toBeLessThanOrEqual(max);
        const seen = said.flatMap(({ blocks }) => signsOf(blocks, shows));
        expect(seen).toEqual(signsOf(parse("markdown", text), shows));
        const pings = said.reduce((sum, part) => sum + part.pings, 0);
        if (PINGS.has(network)) expect(pings).toBe(text.split("@Tom").length - 1);
        most = Math.max(most, said.length);
        if (said.length > 1) cut += 1;
      }),
      { numRuns: casesOn(network) },
    );
    expect(most).toBeGreaterThan(3);
    expect(cut).toBeGreaterThan(10);
  });

  test.each(["markdown", "plain"])(`no sign of %s is lost or doubled: ${casesOn(network)} texts`, (format) => {
    let cut = 0;
    fc.assert(
      fc.property(hostile, (typed) => {
        const text = stretched(typed, network);
        const said = parts(draftOf(text, format));
        for (const { size } of said) expect(size).toBeLessThanOrEqual(max);
        expect(justSigns(said.flatMap(({ blocks }) => blocks))).toBe(justSigns(parse(format, text)));
        if (said.length > 1) cut += 1;
      }),
      { numRuns: casesOn(network) },
    );
    expect(cut).toBeGreaterThan(10);
  });
});

test.each(Object.entries(RESUMED))(`a later try on %s goes on after any part: ${CASES / 4} texts`, (_, resumed) => {
  fc.assert(
    fc.property(tame, (text) => {
      for (const [left, again] of resumed(draftOf(text, "markdown"))) expect(again).toEqual(left);
    }),
    { numRuns: CASES / 4 },
  );
});

/** Those where a name in a text can notify a person by an id. */
const PINGS: ReadonlySet<string> = new Set(["discord", "mattermost", "slack", "telegram", "matrix"]);

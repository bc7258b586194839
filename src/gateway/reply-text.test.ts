import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { About, Stored } from "./codec.ts";
import { decode, encodeStored } from "./codec.ts";
import { about } from "./plan.suite.ts";
import { aFile, aMessage, anAccount } from "./samples.suite.ts";
import { compileView } from "./view.ts";

interface Given {
  readonly reader?: Partial<PresentationSettings>;
  readonly source?: Partial<PresentationSettings>;
  readonly settings?: Record<string, unknown>;
  readonly text?: string;
  readonly stored?: Partial<Stored>;
  readonly reply?: Partial<About>;
}

/** What a reader of the API gets of a reply on a network. */
function lineOf({ reader = {}, source = {}, settings = {}, text = "the answer", stored = {}, reply = {} }: Given) {
  const account = { ...anAccount("api.reader", reader), settings };
  const from = anAccount("net.a", source);
  const payload = encodeStored({
    message: aMessage({ account: "net.a", protocol: "net", text, ...stored.message }),
    source: null,
    about: about("reply", { name: "tess", excerpt: "the question", ...reply }),
    files: [],
    avatar: null,
    topic: null,
    ...(stored.source !== undefined && { source: stored.source }),
  });
  const view = compileView(account, new Map([account, from].map((each) => [each.key, each])));
  return decode(view.line({ seq: 12, account: "net.a", payload }, "main"));
}

const QUOTED = "the answer (re @tess: the question)";

describe("a reply, for a reader of the API without FullEvents", () => {
  test.each<[string, Given, string]>([
    ["says what it answers", {}, QUOTED],
    ["the format of the reader", { reader: { quoteFormat: "{QUOTENICK} > {MESSAGE}" } }, "tess > the answer"],
    [
      "the format of the source",
      { source: { quoteFormat: "{MESSAGE} [{QUOTEMESSAGE}]" } },
      "the answer [the question]",
    ],
    [
      "the reader's format goes first",
      { reader: { quoteFormat: "{QUOTENICK}: {MESSAGE}" }, source: { quoteFormat: "x {MESSAGE}" } },
      "tess: the answer",
    ],
    ["a format without the message", { reader: { quoteFormat: "{QUOTENICK}: " } }, "tess: the answer"],
    ["QuoteDisable of the reader", { reader: { quoteDisable: true } }, "the answer"],
    ["QuoteDisable of the source", { source: { quoteDisable: true } }, "the answer"],
    ["PreserveThreading of the reader", { reader: { preserveThreading: false } }, "the answer"],
    ["PreserveThreading of the source", { source: { preserveThreading: false } }, QUOTED],
    ["the limit of the reader", { reader: { quoteLengthLimit: 5 } }, "the answer (re @tess: the…)"],
    ["the limit of the source", { source: { quoteLengthLimit: 5 } }, "the answer (re @tess: the…)"],
    ["a quote in several lines", { reply: { excerpt: "one\ntwo" } }, "the answer (re @tess: one two)"],
    ["a message without words", { reply: { excerpt: "" } }, "the answer (re @tess)"],
    ["the author is not known", { reply: { name: "" } }, "the answer"],
    [
      "placeholders in a text and a name",
      { text: "{QUOTENICK}", reply: { name: "{MESSAGE}" } },
      "{QUOTENICK} (re @{MESSAGE}: the question)",
    ],
    ["a name in several lines", { reply: { name: "te\nss\u202e" } }, "the answer (re @te ss: the question)"],
    [
      "a reader of Markdown",
      { settings: { TextFormat: "markdown" }, reply: { excerpt: "*a*" } },
      "the answer (re @tess: \\*a*)",
    ],
    ["a reader of FullEvents", { settings: { FullEvents: true } }, "the answer"],
  ])("%s", (_, given, text) => {
    expect(lineOf(given).text).toBe(text);
  });

  test("a file without words says what it answers before its address", () => {
    const Extra = { file: [aFile({ Name: "a", URL: "https://files.example/a", Data: "" })] };
    const { text } = lineOf({
      text: "",
      stored: { message: aMessage({ account: "net.a", protocol: "net", text: "", Extra }) },
    });
    expect(text).toBe("(re @tess: the question)\nhttps://files.example/a");
  });

  test("what a program posts is passed on as it is", () => {
    const account = anAccount("api.reader");
    const message = aMessage({ account: "api.a", protocol: "api", text: "yes" });
    const more = { source: null, about: about("reply", { name: "tess", excerpt: "q" }), files: [], avatar: null };
    const payload = encodeStored({ message, ...more, topic: null });
    const view = compileView(account, new Map([account, anAccount("api.a")].map((each) => [each.key, each])));
    expect(decode(view.line({ seq: 12, account: "api.a", payload }, "main")).text).toBe("yes");
  });

  test("is a reply only", () => {
    for (const is of ["edit", "reaction"] as const) expect(lineOf({ reply: { is } }).text).toBe("the answer");
  });
});

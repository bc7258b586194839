import { describe, expect, test } from "vitest";
import { STYLED, UNCHANGED } from "./golden.ts";
import { cross } from "./places.ts";

const TYPED = UNCHANGED.flatMap(([, texts]) => texts);
const lines = (text: string): string => text.replaceAll(/\n{2,}/g, "\n");

describe.each(["markdown", "plain"] as const)("posted as %s, it arrives unchanged everywhere", (from) => {
  test.each(TYPED)("%j", (text) => {
    const shown = cross(text, from);
    expect(shown).toMatchObject({ irc: lines(text), xmpp: text, body: text, html: null, plain: text, markdown: text });
  });
});

describe.each(STYLED)("$text", ({ text, words, irc, xmpp, html, guarded }) => {
  test("posted as Markdown", () => {
    expect(cross(text, "markdown")).toMatchObject({ irc, xmpp, body: words, html, plain: text, markdown: text });
  });

  test("posted as plain text", () => {
    expect(cross(text, "plain")).toMatchObject({
      irc: text,
      xmpp: text,
      body: text,
      html: null,
      plain: text,
      markdown: guarded,
    });
    expect(cross(guarded, "markdown")).toMatchObject({ irc: text, xmpp: text, body: text, html: null });
  });
});

describe("from networks", () => {
  test.each([
    [
      "irc",
      "\x02bold\x02 *typed* > 1",
      { plain: "bold *typed* > 1", markdown: "**bold** \\*typed* > 1", body: "bold *typed* > 1" },
    ],
    ["irc", "> typed", { plain: "> typed", markdown: "\\> typed", xmpp: "> typed", unstyled: true, html: null }],
    ["irc", "1. a", { plain: "1. a", markdown: "1. a", xmpp: "1. a", html: null }],
    [
      "xmpp",
      "*bold* and **this**",
      { plain: "*bold* and **this**", markdown: "**bold** and \\**this**", irc: "\x02bold\x0f and **this**" },
    ],
    ["xmpp", ">", { plain: ">", markdown: ">", irc: ">", body: ">", html: null }],
    ["xmpp", ">>", { plain: ">>", markdown: ">>", irc: ">>", body: ">>", html: null }],
    ["xmpp", "```\n```", { plain: "```\n```", markdown: "```\n```", irc: "```\n```", body: "```\n```", html: null }],
    ["xmpp", "> a\n\n> b", { plain: "> a\n\n> b", markdown: "> a\n\n> b", irc: "> a\n> b" }],
    [
      "matrix",
      "<b>bold</b> *typed*<ul><li>a</li></ul>",
      { plain: "bold *typed*\n- a", markdown: "**bold** \\*typed*\n- a", xmpp: "bold *typed*\n- a", unstyled: true },
    ],
    [
      "matrix",
      "<h1>a</h1><blockquote>b</blockquote>c",
      { plain: "a\n> b\nc", markdown: "**a**\n> b\nc", irc: "\x02a\x0f\n> b\nc" },
    ],
    ["matrix", "&gt; typed", { plain: "> typed", markdown: "\\> typed", xmpp: "> typed", unstyled: true }],
    ["irc", "\x02\x02", null],
  ] as const)("%s: %j", (from, text, wanted) => {
    const shown = cross(text, from);
    if (wanted === null) expect(shown).toBeNull();
    else expect(shown).toMatchObject(wanted);
  });
});

import { expect, test } from "vitest";
import type { Block, Inline } from "../../contract/content.ts";
import { END, mint } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import { plainText } from "../../content/plain.ts";
import { partsAfter, type RenderedPart, renderParts, safeBlocks, storedAuthor } from "./render.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });

function partsOf(blocks: readonly Block[], max: number, textMax?: number): readonly RenderedPart[] {
  const body: PostDraft["body"] = { style: "normal", source: { format: "plain", text: "" }, blocks, files: [] };
  return renderParts({ body, ...(textMax !== undefined && { textMax }) }, max, []);
}

test("a tree that fits goes as it is", () => {
  const bold: Inline = { t: "bold", of: [text("yes")] };
  expect(partsOf([para(text("a "), bold)], 100)).toEqual([{ blocks: [para(text("a "), bold)], end: END }]);
});

test("a message without words is one part: its files come with it", () =>
  expect(partsOf([], 100)).toEqual([{ blocks: [], end: END }]));

test.each([
  [100, undefined, 1],
  [20, undefined, 3],
  [100, 20, 3],
  [20, 100, 3],
])("at most %j code points, and %j of the channel, make %j parts", (max, textMax, count) => {
  const words = Array.from({ length: 9 }, (_, at) => `word${at}`).join(" ");
  const parts = partsOf([para(text(words))], max, textMax);
  expect(parts.map(({ end }) => partsAfter(end))).toEqual([
    ...Array.from({ length: count - 1 }, (_, at) => at + 1),
    Number.POSITIVE_INFINITY,
  ]);
  const said = parts.map(({ blocks }) => plainText(blocks));
  for (const one of said) expect(one.length).toBeLessThanOrEqual(Math.min(max, textMax ?? max));
  expect(said.join(" ").split(/\s+/u)).toEqual(words.split(" "));
});

test.each([
  [null, 0],
  [mint("Progress", "2"), 2],
  [mint("Progress", "nonsense"), 0],
  [END, Number.POSITIVE_INFINITY],
])("after %j, %j parts have been said", (resume, said) => expect(partsAfter(resume)).toBe(said));

const linkTo = (href: string): Inline => ({ t: "link", href, of: [text("here")] });
const here: Inline = { t: "italic", of: [text("here")] };

test.each(["https://example.org/", "mailto:ann@example.org", "xmpp:room@example.org"])("%s stays a link", (href) =>
  expect(safeBlocks([para(linkTo(href))])).toEqual([para(linkTo(href))]),
);

test.each(["javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//evil", ""])(
  "%j is no link, wherever it stands",
  (href) => {
    const link = linkTo(href);
    const around = (one: Inline): readonly Block[] => [
      para({ t: "spoiler", of: [one] }),
      { t: "heading", level: 1, of: [one] },
      { t: "quote", of: [para(one)] },
      { t: "list", ordered: false, items: [[para({ t: "colour", fore: "#ff0000", back: null, of: [one] })]] },
      para({ t: "link", href: "https://example.org/", of: [one] }),
    ];
    expect(safeBlocks(around(link))).toEqual(around(here));
  },
);

test("whom a mention names on another network stays there", () => {
  const mention: Inline = { t: "mention", user: mint("UserRef", "@ann:example.org"), text: "@ann" };
  expect(safeBlocks([para({ t: "bold", of: [mention] })])).toEqual([
    para({ t: "bold", of: [{ t: "mention", user: null, text: "@ann" }] }),
  ]);
});

const ANN: OpAuthor = { account: "irc.libera", id: "ann", name: "ann", shown: "<ann> ", avatar: null };

test.each([
  ["ann", "ann"],
  ["ann\nlee", "ann lee"],
  [" \n ", "somebody"],
  ["", "somebody"],
  ["x".repeat(200), "x".repeat(128)],
])("whom another network calls %j is %j", (name, shown) => expect(storedAuthor({ ...ANN, name }).name).toBe(shown));

test("who speaks is known by account and id; without one, Rialto speaks", () => {
  expect(storedAuthor(ANN)).toEqual({ id: "irc.libera/ann", name: "ann", network: "irc" });
  expect(storedAuthor(null)).toEqual({ id: "", name: "Rialto", network: "" });
});

import { describe, expect, test } from "vitest";
import { BoundedParser } from "./parser.ts";
import { childText } from "./xml.ts";

const OPEN = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>";

function read(...texts: readonly string[]): { readonly elements: number; readonly errors: number } {
  const parser = new BoundedParser();
  let [elements, errors] = [0, 0];
  parser.on("element", () => (elements += 1));
  parser.on("error", () => (errors += 1));
  for (const text of [OPEN, ...texts]) parser.write(text);
  return { elements, errors };
}

describe("a stream", () => {
  test.each([64, 65, 1000])("elements %i deep are one stanza, and leave the next alone", (depth) => {
    const deep = `<message>${"<a>".repeat(depth)}x${"</a>".repeat(depth)}<body>hi</body></message>`;
    const parser = new BoundedParser();
    const found: string[] = [];
    parser.on("element", (element) => found.push(childText(element, "body") ?? "none"));
    for (const text of [OPEN, deep, deep, "<iq/>"]) parser.write(text);
    expect(found).toEqual(["hi", "hi", "none"]);
  });

  test("of too many elements in one stanza, the first are read, and the next stanza is whole", () => {
    const many = `<message><body>hi</body>${"<a>x</a>".repeat(20_000)}<b/></message>`;
    const parser = new BoundedParser();
    const found: (readonly [number, string | null, boolean])[] = [];
    parser.on("element", (element) => {
      found.push([element.children.length, childText(element, "body"), element.getChild("b") !== undefined]);
    });
    for (const text of [OPEN, many, "<message><b/><body>yes</body></message>"]) parser.write(text);
    expect(found).toEqual([
      [19_998, "hi", false],
      [2, "yes", true],
    ]);
  });

  test.each([
    ["endless attributes", "a='x' ".repeat(1_000)],
    ["an endless value", "x".repeat(6_000)],
  ])("a tag with %s ends it long before a stanza is too long", (_, piece) => {
    const pieces = Array.from({ length: 20 }, () => piece);
    expect(read("<message a='", ...pieces)).toEqual({ elements: 0, errors: 1 });
    expect(read("<message a='", ...pieces.slice(0, 5), "'/>")).toMatchObject({ errors: 0 });
  });

  test("any number of stanzas", () => {
    const big = `<message><body>${"x".repeat(100_000)}</body></message>`;
    expect(read(...Array.from({ length: 100 }, () => big))).toEqual({ elements: 100, errors: 0 });
  });

  test("white space between stanzas is not kept", () => {
    const parser = new BoundedParser();
    const roots = new Set<unknown>();
    parser.on("element", ({ parent }) => roots.add(parent));
    for (const text of [OPEN, ...Array.from({ length: 100 }, () => "\n<iq/>")]) parser.write(text);
    expect([...roots]).toMatchObject([{ name: "stream:stream", children: [] }]);
  });

  test("nothing is read behind its end", () => {
    expect(read("<iq/></stream:stream><iq/></a>", "<iq/>")).toEqual({ elements: 1, errors: 0 });
  });

  test("what is in another stream's namespace is seen as that", () => {
    const parser = new BoundedParser();
    const found: unknown[] = [];
    parser.on("element", (element) => found.push([element.getName(), element.getNS()]));
    for (const text of [OPEN, "<stream:error/><message/><x:a xmlns:x='u'/><b xmlns='v'/>"]) parser.write(text);
    expect(found).toEqual([
      ["error", "http://etherx.jabber.org/streams"],
      ["message", "jabber:client"],
      ["a", "u"],
      ["b", "v"],
    ]);
  });

  test("however it is cut", () => {
    const text = `<message a="x > y"><body>a &gt; b > c</body></message> <iq/>\n<r xmlns='u'/>`;
    for (let size = 1; size < text.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(read(...pieces), `in pieces of ${size}`).toEqual({ elements: 3, errors: 0 });
    }
  });

  test.each([
    [
      "a stanza without end",
      [`<message><body>${"x".repeat(1_000_000)}`, ...Array.from({ length: 5 }, () => "x".repeat(1_000_000))],
    ],
    ["elements without end", ["<a>".repeat(1_000_000)]],
    ["a wrong end", ["<message></iq>"]],
    ["an end of nothing", ["</message>"]],
    ["an entity that is none", ["<message>&evil;</message>"]],
    ["a character that is none", ["<message>&#0;</message>"]],
    ["a name without end", [`<${"a".repeat(5_000_000)}`]],
  ])("%s is an error, once", (_, texts) => {
    expect(read(...texts, "<message/>").errors).toBe(1);
  });
});

import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, test } from "vitest";
import { type RawBlock, readBlocks } from "./markdown-blocks.ts";

/** A block as words: what it is, and what is in it. */
type Shape = string | readonly Shape[];

function shapeOf(block: RawBlock): Shape {
  switch (block.is) {
    case "para":
      return ["p", block.lines.join("\n")];
    case "heading":
      return [`h${block.level}`, block.text];
    case "break":
      return "hr";
    case "pre":
      return ["pre", block.lines.join("\n").replace(/\n+$/, ""), (block.fence?.info ?? "").replaceAll(/ +/g, " ")];
    case "quote":
      return ["quote", ...block.of.map(shapeOf)];
    case "list":
      return [
        block.start === null ? "ul" : `ol${block.start}`,
        ...block.items.map(({ of }) => ["li", ...of.map(shapeOf)]),
      ];
  }
}

type Node = ReturnType<typeof fromMarkdown>["children"][number];

function shapeOfNode(node: Node): Shape {
  const { type } = node;
  if (type === "thematicBreak") return "hr";
  if (type === "paragraph") return ["p", textOf(node.children)];
  if (type === "heading") return [`h${node.depth}`, textOf(node.children)];
  if (type === "blockquote") return ["quote", ...node.children.map(shapeOfNode)];
  if (type === "code") {
    const info = [node.lang, node.meta].filter(Boolean).join(" ").trim();
    return ["pre", node.value.replace(/\n+$/, ""), info.replaceAll(/ +/g, " ")];
  }
  if (type !== "list") throw new Error(`unexpected ${type}`);
  const items = node.children.map((item) => ["li", ...item.children.map(shapeOfNode)]);
  return [node.ordered === true ? `ol${node.start}` : "ul", ...items];
}

function textOf(nodes: Extract<Node, { type: "paragraph" }>["children"]): string {
  return nodes.map((node) => (node.type === "text" ? node.value : "\n")).join("");
}

const disable = {
  null: [
    "attention",
    "autolink",
    "characterEscape",
    "characterReference",
    "codeText",
    "definition",
    "hardBreakEscape",
    "htmlFlow",
    "htmlText",
    "labelEnd",
    "labelStartImage",
    "labelStartLink",
    "setextUnderline",
  ],
};

test.each<[string, readonly Shape[]]>([
  ["", []],
  [
    "a\nb\n\nc",
    [
      ["p", "a\nb"],
      ["p", "c"],
    ],
  ],
  [
    "> a\nlazy\n\nb",
    [
      ["quote", ["p", "a\nlazy"]],
      ["p", "b"],
    ],
  ],
  ["> a\n> - b\n>   c\nd", [["quote", ["p", "a"], ["ul", ["li", ["p", "b\nc\nd"]]]]]],
  [
    "a\n2. b\n1. c",
    [
      ["p", "a\n2. b"],
      ["ol1", ["li", ["p", "c"]]],
    ],
  ],
  [
    "- a\n- b\n* c\n\n\n- d",
    [
      ["ul", ["li", ["p", "a"]], ["li", ["p", "b"]]],
      ["ul", ["li", ["p", "c"]]],
      ["ul", ["li", ["p", "d"]]],
    ],
  ],
  ["- a\n\n  b\n\n      code", [["ul", ["li", ["p", "a"], ["p", "b"], ["pre", "code", ""]]]]],
  [
    "1) a\n\n   ```ts\n   x\n  y\n   ```\nz",
    [
      ["ol1", ["li", ["p", "a"], ["pre", "x", "ts"]]],
      ["p", "y"],
      ["pre", "z", ""],
    ],
  ],
  [
    "```\n> a\n~~~\n````\nb",
    [
      ["pre", "> a\n~~~", ""],
      ["p", "b"],
    ],
  ],
  [
    "# a #\n#b\n####### c",
    [
      ["h1", "a"],
      ["p", "#b\n####### c"],
    ],
  ],
  ["***\n- - -\n__ _", ["hr", "hr", "hr"]],
  [
    "    a\n\n     b\nc",
    [
      ["pre", "a\n\n b", ""],
      ["p", "c"],
    ],
  ],
  [
    "-\n\n  a",
    [
      ["ul", ["li"]],
      ["p", "a"],
    ],
  ],
])("%j", (source, shapes) => {
  expect(readBlocks(source).map(shapeOf)).toStrictEqual(shapes);
});

describe("as the reference implementation of CommonMark", () => {
  const start = fc.constantFrom(
    "",
    "",
    "> ",
    ">",
    "- ",
    "* ",
    "-",
    "1. ",
    "1) ",
    "  ",
    "   ",
    "# ",
    "```",
    "~~~",
    "---",
    "- - -",
  );
  const line = fc
    .tuple(fc.array(start, { maxLength: 4 }), fc.constantFrom("a", "b c", "", "", "#", "```"))
    .map(([starts, words]) => {
      const all = starts.join("") + words;
      // Where an empty item may interrupt something, its author follows older rules.
      return /(?:[-*]|\d[.)])\s*$/.test(all) && !/^[> ]*(?:- *){3,}$/.test(all) ? `${all} a` : all;
    });

  test("any lines", () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const source = lines.join("\n");
        // Indented code behind a quote comes out of it line by line.
        fc.pre(!source.includes("    "));
        expect(readBlocks(source).map(shapeOf)).toStrictEqual(
          fromMarkdown(source, { extensions: [{ disable }] }).children.map(shapeOfNode),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

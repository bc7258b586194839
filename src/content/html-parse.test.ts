import { expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { parseHtml } from "./html-parse.ts";

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const marked = (t: "bold" | "italic" | "underline" | "strike" | "spoiler", ...of: readonly Inline[]): Inline => ({
  t,
  of,
});

test.each<[string, readonly Block[]]>([
  ["", []],
  ["  plain\n words ", [para(text("plain words"))]],
  ["1 &lt; 2 &amp; &#65;&nbsp;&nbsp;b &bogus;", [para(text("1 < 2 & A  b &bogus;"))]],
  [
    "<b>a</b><strong>b</strong> <i>c</i><em>d</em>",
    [
      para(
        marked("bold", text("a")),
        marked("bold", text("b")),
        text(" "),
        marked("italic", text("c")),
        marked("italic", text("d")),
      ),
    ],
  ],
  [
    "<u>a</u><ins>b</ins><s>c</s><del>d</del><strike>e</strike>",
    [
      para(
        marked("underline", text("a")),
        marked("underline", text("b")),
        marked("strike", text("c")),
        marked("strike", text("d")),
        marked("strike", text("e")),
      ),
    ],
  ],
  ["<b>a <b>b <i>c</b></b>", [para(marked("bold", text("a b "), marked("italic", text("c"))))]],
  ["<code>a <b>b</b></code><tt>c</tt>", [para({ t: "code", text: "a b" }, { t: "code", text: "c" })]],
  ["a<br>b <br/> c<br>", [para(text("a\nb\nc"))]],
  ["<p>a</p>\n<p>b<br />c</p>", [para(text("a\n\nb\nc"))]],
  ["<div>a</div><div>b</div>c", [para(text("a\nb\nc"))]],
  ["<h3>a</h3>b", [{ t: "heading", level: 3, of: [text("a")] }, para(text("b"))]],
  [
    "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>c",
    [{ t: "quote", of: [para(text("a")), { t: "quote", of: [para(text("b"))] }] }, para(text("c"))],
  ],
  [
    "<ul>\n<li>a</li>\n<li><p>b</p>\n<ol><li>c</ol></ul>",
    [
      {
        t: "list",
        ordered: false,
        items: [[para(text("a"))], [para(text("b")), { t: "list", ordered: true, items: [[para(text("c"))]] }]],
      },
    ],
  ],
  ['<ol start="9"><li>a</li><li>b</li></ol>', [para(text("9. "), text("a")), para(text("10. "), text("b"))]],
  [
    "<b><ul><li>a</ul>b</b>",
    [{ t: "list", ordered: false, items: [[para(marked("bold", text("a")))]] }, para(marked("bold", text("b")))],
  ],
  ['<pre><code class="language-c++">a &lt; b;\n  c\n</code></pre>', [{ t: "pre", text: "a < b;\n  c", lang: "c++" }]],
  ["<pre>\na<b>b</b><br>c</pre>", [{ t: "pre", text: "ab\nc", lang: null }]],
  [
    '<a href="https://e.example/?a=1&amp;b">a <b>b</b></a>',
    [para({ t: "link", href: "https://e.example/?a=1&b", of: [text("a "), marked("bold", text("b"))] })],
  ],
  ['<a href="javascript:alert(1)">a</a><a>b</a><a href="/c">c</a>', [para(text("abc"))]],
  [
    '<a href="https://matrix.to/#/@bob:e.example">Bob <i>B</i></a>: hi',
    [para({ t: "mention", user: "@bob:e.example" as UserRef, text: "Bob B" }, text(": hi"))],
  ],
  ["<span data-mx-spoiler><pre>a</pre></span>", [para(marked("spoiler", { t: "code", text: "a" }))]],
  ["<pre>a<span data-mx-spoiler>b</span></pre>", [para(marked("spoiler", { t: "code", text: "ab" }))]],
  ['<span data-mx-spoiler="why">a</span><span>b</span>', [para(marked("spoiler", text("a")), text("b"))]],
  [
    '<span data-mx-color="#FF0000" data-mx-bg-color="#00ff00">a</span><font color="#0000ff">b</font><font color="red">c</font>',
    [
      para(
        { t: "colour", fore: "#ff0000", back: "#00ff00", of: [text("a")] },
        { t: "colour", fore: "#0000ff", back: null, of: [text("b")] },
        text("c"),
      ),
    ],
  ],
  [
    '<img data-mx-emoticon src="mxc://e/x" alt=":cat:"> <img src="mxc://e/x" alt="a cat"><img title="t"><img>',
    [para({ t: "emoji", text: ":cat:" }, text(" a catt"))],
  ],
  ["a<hr>b", [para(text("a\n---\nb"))]],
  [
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>c",
    [para(text("a | b\n1 | 2\n\nc"))],
  ],
  ["<details><summary>a</summary>b</details>", [para(text("a\nb"))]],
  ["<mx-reply><blockquote>quoted <a href='x'>y</a></blockquote></mx-reply>a", [para(text("a"))]],
  ["<script>alert(1)</script><style>p{}</style><title>t</title>a<!-- b -->", [para(text("a"))]],
  ["<blink>a</blink> <video src=x>b</video> <x-y>c</x-y>", [para(text("a b c"))]],
  ["a</p></b> < b > c <", [para(text("a\n\n< b > c <"))]],
])("%j", (html, blocks) => {
  const mention = (href: string): UserRef | null =>
    (/^https:\/\/matrix\.to\/#\/(@.*)$/.exec(href)?.[1] ?? null) as UserRef | null;
  expect(merged(parseHtml(html, mention))).toStrictEqual(merged(blocks));
});

interface Piece {
  readonly t?: string;
  readonly text?: string;
}

/** Text beside text is one text, which a tree need not be. */
function merged(value: unknown): unknown {
  if (!Array.isArray(value)) {
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, merged(inner)]));
  }
  const all: unknown[] = [];
  for (const inner of value.map(merged) as readonly Piece[]) {
    const last = all.at(-1) as Piece | undefined;
    if (inner?.t === "text" && last?.t === "text") all[all.length - 1] = text(`${last.text}${inner.text}`);
    else all.push(inner);
  }
  return all;
}

test("what is nested beyond measure keeps its words", () => {
  const deep = (depth: number): string => `${"<b><i>".repeat(depth)}words${"</i></b>".repeat(depth)}`;
  expect(JSON.stringify(parseHtml(deep(40)))).toContain('"words"');
  expect(parseHtml(`${"<blockquote>".repeat(5000)}words`)).toStrictEqual([para(text("words"))]);
});

test("what is long beyond measure is cut, and says so", () => {
  const html = `<b>${"word ".repeat(20_000)}</b>`;
  const read = JSON.stringify(parseHtml(html));
  expect(read).toContain("…");
  expect(read.length).toBeLessThan(66_000);
});

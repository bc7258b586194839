import { expect, test } from "vitest";
import { replaceStandingCodes } from "./standing-codes.ts";

/** Addresses, numbers, words and code of which a part looks like a short code. */
const KEPT = [
  "2001:db8:a:b:1::1",
  "fe80:a:b:c",
  "http://[2001:db8:a:b::1]/",
  "00:1a:ab:cd:ef:01",
  "1:100:1",
  "10:o:30",
  "std::map::key::x",
  "Foo::v::bar",
  "urn:ietf:id:x:v:1",
  "sha256:ab:cd:",
  "cat:dog:",
  "root:x:0:0:root:/root:/bin/bash",
  "docker run -v /a:/b:o:ro",
  "sed s:a:b:g img:a:b",
  "s:a:b:g",
  "é:cat: 你:cat: :cat:é",
  "snake_:key:_case",
  "https://example.org/:cat:/:dog: www.example.org/:cat: (http://x/?:cat:",
  "mailto:someone?:cat: xmpp:a@b?,:cat: data:text/plain,:cat: geo:1,2,:100:",
  "example.org/a,:cat: (www.example.org/?,:cat:) example.org?,:cat:",
  "/users/:id:/x user@:x: a=:x:",
  "::cat: :cat::",
  ":nosuchcode: :Cat: :cat :",
  "`:cat:` ``a ` :cat:``",
  "```\n:cat:\n:dog:\n```",
];

test.each(KEPT)("%j stays as it is in a text that people type", (text) => {
  for (const format of ["plain", "markdown", "mattermost", "discord", "slack", "styling", "irc"]) {
    expect(replaceStandingCodes(text, format)).toBe(text);
  }
});

test.each([
  [":cat:", "🐱"],
  ["a :cat: b", "a 🐱 b"],
  [":cat::dog:", "🐱🐶"],
  ['(:cat:) ":cat:" :cat:! :cat:, :cat:.', '(🐱) "🐱" 🐱! 🐱, 🐱.'],
  ["**:cat:** _:cat:_ ~:cat:~ ||:cat:||", "**🐱** _🐱_ ~🐱~ ||🐱||"],
  [":nosuchcode::cat: :cat::nosuchcode:", ":nosuchcode:🐱 🐱:nosuchcode:"],
  ["❤️:cat: 👍🏽:cat: 1️⃣:cat:", "❤️🐱 👍🏽🐱 1️⃣🐱"],
  [":+1: :-1: :100: :flag-de: :woman_shrugging: :thumbsup_tone3:", "👍 👎 💯 🇩🇪 🤷‍♀️ 👍🏽"],
  [":Christmas_tree: (:flag_Germany:) :jack-o-lantern:", "🎄 (🇩🇪) 🎃"],
  ["`:cat:` :cat: `:cat:`", "`:cat:` 🐱 `:cat:`"],
])("%j becomes %j", (text, result) => {
  for (const format of ["plain", "markdown", "mattermost", "discord", "slack", "styling", "irc"]) {
    expect(replaceStandingCodes(text, format)).toBe(result);
  }
});

test.each([
  ["mattermost", "\t:cat:\n\n:dog:", "\t:cat:\n\n🐶"],
  ["mattermost", "    :cat:", "    :cat:"],
  ["mattermost", "~~~\n:cat:\n~~~\n:dog:", "~~~\n:cat:\n~~~\n🐶"],
  ["mattermost", ":dog:\n```\n:cat:", "🐶\n```\n:cat:"],
  ["styling", ":dog:\n```\n:cat:", "🐶\n```\n:cat:"],
  ["styling", "> ```\n> :cat:\n:dog:", "> ```\n> :cat:\n🐶"],
  ["markdown", "[:dog:](https://example.org/(:cat:))", "[🐶](https://example.org/(:cat:))"],
  ["markdown", "` :cat: `` :cat:", "` 🐱 `` 🐱"],
  ["slack", "` :cat: `` :cat:", "` :cat: `` 🐱"],
  ["discord", "\\` :cat: `", "\\` 🐱 `"],
  ["slack", "\\` :cat: `", "\\` :cat: `"],
  ["discord", "a ```\n:cat:\n``` :cat:", "a ```\n:cat:\n``` 🐱"],
  ["styling", "a ```\n:cat:\n``` :cat:", "a ```\n:cat:\n``` :cat:"],
  ["slack", "&lt;:cat:&gt; &amp;:cat:", "&lt;🐱&gt; &amp;🐱"],
])("what %s reads as code or as an address stays: %j becomes %j", (format, text, result) => {
  expect(replaceStandingCodes(text, format)).toBe(result);
});

test.each([
  ['<a href="http://[2001:db8:a:b::1]/:cat:">:cat:</a>', '<a href="http://[2001:db8:a:b::1]/:cat:">🐱</a>'],
  ["<p>:cat:</p><code>:cat:</code> :dog:", "<p>🐱</p><code>:cat:</code> 🐶"],
  [
    '<pre><code class="language-x"> :cat: </code> :cat: </pre>:cat:',
    '<pre><code class="language-x"> :cat: </code> :cat: </pre>🐱',
  ],
  ["<CODE>:cat:</CODE>", "<CODE>:cat:</CODE>"],
  ["<tt>:cat:</tt> <kbd>:cat:</kbd> <samp>:cat:</samp>", "<tt>:cat:</tt> <kbd>:cat:</kbd> <samp>:cat:</samp>"],
  ["&quot;:cat:&quot; &lt;:cat:&gt; :cat:&nbsp;:cat:&#39;s", "&quot;🐱&quot; &lt;🐱&gt; 🐱&nbsp;🐱&#39;s"],
  ["1 < 2 :cat: </code> :dog:", "1 < 2 🐱 </code> 🐶"],
])("%j in HTML becomes %j", (text, result) => {
  expect(replaceStandingCodes(text, "html")).toBe(result);
});

test.each([
  ["\u000304:cat:\u0003 \u000304,01:cat:\u000f", "\u000304🐱\u0003 \u000304,01🐱\u000f"],
  ["\u0011:cat:\u0011 :cat:", "\u0011:cat:\u0011 🐱"],
  ["\u0011:cat:\u000f:cat:", "\u0011:cat:\u000f🐱"],
  ["\u0002:cat:\u0002", "\u0002🐱\u0002"],
])("%j on IRC becomes %j", (text, result) => {
  expect(replaceStandingCodes(text, "irc")).toBe(result);
});

test("a long text is a document, and stays as it is", () => {
  const text = ":cat: ".repeat(20_000);
  expect(replaceStandingCodes(text, "markdown")).toBe(text);
});

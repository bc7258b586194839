/** What must arrive as it was posted, also by an account with `TextFormat = "markdown"`. */
export const UNCHANGED: readonly (readonly [what: string, texts: readonly string[]])[] = [
  [
    "signs alone",
    ["+", "-", "*", "_", "1.", "#", ">", ">>", "[]()", "~~~", "```", "` `", "***", "____", "---", "||||", "\\"],
  ],
  ["faces", ["¯\\_(ツ)_/¯", ">_<", "*_*", "^_^", "-_-", "o_O", "T_T", "(*_*)", ":)", ":*", "\\o/", "<3"]],
  [
    "names and sums",
    [
      "2*3*4",
      "长*宽*高",
      "2 * 3",
      "2 * 3 * 4",
      "f(x)=a*b*c",
      "a_b_c",
      "snake_case",
      "__init__",
      "5_000",
      "*.*",
      "~5",
      "a || b || c",
    ],
  ],
  [
    "lists, headings and lines",
    [
      "1) a",
      "1. a\n3. b",
      "1986. What a year",
      "- minus",
      "+ plus",
      "* star",
      "- a\n  - b",
      "# comment",
      "#channel",
      "Title\n=====",
      "a\n---\nb",
    ],
  ],
  ["C", ["/* a */ char *p, **q;\nint n = *p * *q + **q;", "#define f(x) (*(x))\n  *p++ = *q++;"]],
  ["regular expressions", ["^(a|b)*c_+\\*$", "s/\\*/_/g", "[a-z]*[^*]*", ".*foo.*"]],
  ["paths and globs", ["\\\\server\\share", "C:\\_tmp\\*.txt", "~/src/**/*.ts", "node_modules/_x_y/"]],
  ["LaTeX", ["$x_1^{a_{ij}}$", "\\alpha_1 \\\\ \\{ \\_ \\}", "$$a*b$$"]],
  ["a difference", ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a_b\n+a*b"]],
  ["addresses", ["<http://a>b", "https://e.example/_a_/*b*?c=~~d~~", "<me@e.example>"]],
  ["HTML and entities", ["<b>x</b> <br> <!-- y -->", "&amp; &lt; &#42;"]],
  ["other links", ["![cat](c.png)", "[a](b)", "[x] [y]", "[x]: http://d.example"]],
  [
    "marks that open or close nothing",
    ["*a", "a*", "* a *", "a*b*c", "**a*", "~a~", "`a", "`Foo`s", "```\na", "```\n```"],
  ],
  ["white space", ["    indented", "\ttab\tand tab", "two  spaces  \nend", "a\u0085b"]],
];

/** What is recognised: as it was posted by an account with `TextFormat = "markdown"`, and what is shown. */
export interface Golden {
  readonly text: string;
  /** Where there are no styles: to Matrix clients without HTML, and without its codes on IRC. */
  readonly words: string;
  readonly irc: string;
  readonly xmpp: string;
  readonly html: string | null;
  /** Posted as plain text, to readers of Markdown. */
  readonly guarded: string;
}

const row = (text: string, words: string, irc: string, xmpp: string, html: string | null, guarded: string): Golden => ({
  text,
  words,
  irc,
  xmpp,
  html,
  guarded,
});

export const STYLED: readonly Golden[] = [
  row("a *b* c", "a b c", "a \x1db\x0f c", "a _b_ c", "a <em>b</em> c", "a \\*b* c"),
  row("_b_.", "b.", "\x1db\x0f.", "_b_.", "<em>b</em>.", "\\_b_."),
  row("**bold**", "bold", "\x02bold\x0f", "*bold*", "<strong>bold</strong>", "\\**bold**"),
  row("***x***", "x", "\x02\x1dx\x0f", "_*x*_", "<em><strong>x</strong></em>", "\\***x***"),
  row("~~x~~ y", "x y", "\x1ex\x0f y", "~x~ y", "<del>x</del> y", "\\~~x~~ y"),
  row("||x||", "x", "\x0301,01x\x0f", "x", "<span data-mx-spoiler>x</span>", "\\||x||"),
  row(
    '(*a*, "_b_")',
    '(a, "b")',
    '(\x1da\x0f, "\x1db\x0f")',
    '(a, "b")',
    "(<em>a</em>, &quot;<em>b</em>&quot;)",
    '(\\*a*, "\\_b_")',
  ),
  row("**a _b_**", "a b", "\x02a \x1db\x0f", "*a _b_*", "<strong>a <em>b</em></strong>", "\\**a \\_b_**"),
  row(
    "**2*3** is *6*",
    "2*3 is 6",
    "\x022*3\x0f is \x1d6\x0f",
    "2*3 is _6_",
    "<strong>2*3</strong> is <em>6</em>",
    "\\**2*3** is \\*6*",
  ),
  row(
    "`*x*` and ``a`b``",
    "*x* and a`b",
    "\x11*x*\x0f and \x11a`b\x0f",
    "`*x*` and a`b",
    "<code>*x*</code> and <code>a`b</code>",
    "\\`*x*` and \\``a`b``",
  ),
  row(
    "```\nif (*p)\n  _x_;\n```",
    "if (*p)\n  _x_;",
    "\x11if (*p)\x0f\n\x11  _x_;\x0f",
    "```\nif (*p)\n  _x_;\n```",
    "<pre><code>if (*p)\n  _x_;\n</code></pre>",
    "\\```\nif (*p)\n  _x_;\n```",
  ),
  row(
    "```ts\nlet a;\n```",
    "let a;",
    "\x11let a;\x0f",
    "```ts\nlet a;\n```",
    '<pre><code class="language-ts">let a;\n</code></pre>',
    "\\```ts\nlet a;\n```",
  ),
  row(
    "[here](http://e.example/a_(b))",
    "here (http://e.example/a_(b))",
    "here (http://e.example/a_(b))",
    "here (http://e.example/a_(b))",
    '<a href="http://e.example/a_(b)">here</a>',
    "\\[here](http://e.example/a_(b))",
  ),
  row(
    "> quote\nreply",
    "> quote\nreply",
    "> quote\nreply",
    "> quote\nreply",
    "<blockquote><p>quote</p></blockquote><p>reply</p>",
    "\\> quote\nreply",
  ),
  row(
    "> a\n> > *b*\nc",
    "> a\n> > b\nc",
    "> a\n> > \x1db\x0f\nc",
    "> a\n> > _b_\nc",
    "<blockquote><p>a</p><blockquote><p><em>b</em></p></blockquote></blockquote><p>c</p>",
    "\\> a\n\\> > \\*b*\nc",
  ),
  row("\\*not\\* \\_this\\_", "*not* _this_", "*not* _this_", "*not* _this_", null, "\\\\*not\\\\* \\\\_this\\\\_"),
  row("\\> no quote", "> no quote", "> no quote", "> no quote", null, "\\\\> no quote"),
  row(
    "# **a**\n- *b*\n1. c",
    "# a\n- b\n1. c",
    "# \x02a\x0f\n- \x1db\x0f\n1. c",
    "# *a*\n- _b_\n1. c",
    "# <strong>a</strong><br>- <em>b</em><br>1. c",
    "# \\**a**\n- \\*b*\n1. c",
  ),
];

import { escapeHtml } from "../html.ts";

/** An account of the built-in example. */
export interface Side {
  /** Key of the account. */
  readonly account: string;
  readonly name: string;
  /** Where it listens: `http://host:port`, which is also its origin. */
  readonly url: string;
}

/** A page and what it may load; nothing else is allowed to it. */
export interface ExamplePage {
  readonly html: string;
  readonly policy: string;
}

const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'";

/** Both sides next to each other. Each is a page of its own address: no address lets in the page of another one. */
export function bothSides(sides: readonly Side[]): ExamplePage {
  const frames = sides.map(
    ({ name, url }) => `<iframe title="${escapeHtml(name)}" src="${escapeHtml(url)}/side"></iframe>`,
  );
  return {
    policy: `${POLICY}; frame-src ${urlsOf(sides)}; frame-ancestors 'none'`,
    html: page(
      "Rialto: the built-in example",
      `<h1>Rialto: the built-in example</h1>
<p>Two accounts of the HTTP API, linked by one gateway. Write on one side: your message arrives on the other.</p>
<main>
${frames.join("\n")}
</main>`,
    ),
  };
}

/** One side: what arrives at the account, and a form that posts to it. Only the pages of the sides may frame it. */
export function oneSide({ name, url }: Side, sides: readonly Side[]): ExamplePage {
  const label = escapeHtml(name);
  // Not every browser takes a WebSocket of the same address for 'self'.
  const socket = url.replace(/^http/u, "ws");
  return {
    policy: `${POLICY}; script-src 'self'; connect-src 'self' ${socket}; frame-ancestors ${urlsOf(sides)}; require-trusted-types-for 'script'`,
    html: page(
      `Rialto: ${label}`,
      `<h1>${label}</h1>
<p id="status" role="status">Connecting…</p>
<div id="messages" role="log" aria-label="Messages" tabindex="0"></div>
<p id="error" role="alert"></p>
<form id="form">
<label>Your name <input id="name" value="${label}" maxlength="40" autocomplete="off"></label>
<label>Message <input id="text" maxlength="2000" autocomplete="off"></label>
<button>Send</button>
</form>
<noscript><p>This page needs JavaScript.</p></noscript>
<script type="module" src="/side.js"></script>`,
    ),
  };
}

const urlsOf = (sides: readonly Side[]): string => sides.map(({ url }) => url).join(" ");

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<link rel="stylesheet" href="/side.css">
<body>
${body}
</body></html>
`;
}

export const STYLE = `:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif }
* { box-sizing: border-box }
html, body { height: 100% }
body { margin: 0; padding: 1rem; display: flex; flex-direction: column; gap: .5rem }
h1, p { margin: 0 }
h1 { font-size: 1.2rem }
main { flex: 1; min-height: 0; display: flex; gap: 1rem }
iframe { flex: 1; min-width: 0; min-height: 0; border: 1px solid GrayText; border-radius: .5rem }
#messages { flex: 1; min-height: 3rem; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere }
#status { font-size: .9rem }
#error { font-weight: bold }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end }
label { flex: 1 1 6rem }
label:nth-of-type(2) { flex: 3 1 8rem }
input { width: 100% }
input, button { font: inherit; padding: .3rem .6rem }
@media (max-width: 40rem) { body { padding: .5rem } main { flex-direction: column; gap: .5rem } }
`;

import { createHash } from "node:crypto";
import { escapeHtml as safe } from "../html.ts";
import { neededBy, tagOf } from "./openapi.ts";
import { PROBLEMS } from "./problems.ts";
import type { JsonSchema, Operation } from "./route.ts";
import { SCHEMAS } from "./schemas.ts";

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60em;padding:1em}
code,pre{font:14px/1.4 ui-monospace,monospace}
pre{overflow:auto;padding:.8em;border:1px solid #8886;border-radius:4px}
table{border-collapse:collapse;width:100%}
td,th{padding:.2em .8em .2em 0;text-align:left;vertical-align:top;border-bottom:1px solid #8884}
article{border-top:1px solid #8886;padding:.6em 0}
h3{margin:.4em 0}h3 b{display:inline-block;min-width:4.5em}
nav a{margin-right:1em;display:inline-block}`;

/** No script at all, and nothing from elsewhere: only the one style that stands in it. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The description as a page for people. */
export function docsPage(routes: readonly Operation[]): string {
  const groups = Map.groupBy(routes, tagOf);
  const nav = [...groups.keys(), "schemas", "problems"].map((name) => `<a href="#${safe(name)}">${safe(name)}</a>`);
  const parts = Array.from(
    groups,
    ([name, own]) => `<section><h2 id="${safe(name)}">${safe(name)}</h2>${own.map(operation).join("\n")}</section>`,
  );
  const schemas = Object.entries(SCHEMAS).map(
    ([name, schema]) => `<h3 id="schema-${safe(name)}">${safe(name)}</h3>${schemaOf(schema)}`,
  );
  const problems = Object.entries(PROBLEMS).map(
    ([code, { status, title, remedy }]) =>
      `<tr><td>${status}<td><code>${safe(code)}</code><td>${inline(title)}<td>${inline(remedy)}`,
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Rialto API</title>
<style>${STYLE}</style>
<h1>Rialto API</h1>
<p>The same for programs: <a href="/v1/openapi.json">openapi.json</a>. Pass over keys and types that you do not know.
<nav>${nav.join("\n")}</nav>
${parts.join("\n")}
<h2 id="schemas">Schemas</h2>
${schemas.join("\n")}
<h2 id="problems">Problems</h2>
<table><tr><th>Status<th>Code<th>Meaning<th>What to do
${problems.join("\n")}
</table>
`;
}

function operation(route: Operation): string {
  const { method, path, id, summary, about, needs, query = {}, headers = {}, body, answers } = route;
  const needed = neededBy(needs);
  const rows = [
    ...Object.entries(query).map(([name, schema]) => [`?${name}=`, wordsOf(schema)] as const),
    ...Object.entries(headers).map(([name, words]) => [`${name}:`, words] as const),
  ];
  const given = rows.map(([name, words]) => `<tr><td><code>${safe(name)}</code><td>${inline(words)}`);
  const answered = Object.entries(answers).map(
    ([status, { about: what, schema }]) =>
      `<tr><td>${safe(status)}<td>${inline(what)}${schema === undefined ? "" : schemaOf(schema)}`,
  );
  return `<article id="${safe(id)}"><h3><b>${method}</b> <code>${safe(path)}</code></h3>
<p>${inline(summary)}${about === undefined ? "" : `<p>${inline(about)}`}
<p>${needed === "" ? "Needs no credential." : `Needs ${inline(needed)}.`}
${given.length === 0 ? "" : `<table>${given.join("\n")}</table>`}
${body === undefined ? "" : bodyOf(body)}
<table>${answered.join("\n")}</table></article>`;
}

function bodyOf(body: JsonSchema | "stream"): string {
  return body === "stream" ? "<p>The body is the content itself." : `<p>Body, JSON:${schemaOf(body)}`;
}

const schemaOf = (schema: JsonSchema): string =>
  `<details><summary>schema</summary><pre>${JSON.stringify(schema, null, 2).split("\n").map(safe).join("\n")}</pre></details>`;

function wordsOf(schema: JsonSchema): string {
  const { description } = schema;
  return typeof description === "string" ? description : "";
}

/** Text with `code` in it. */
const inline = (words: string): string => safe(words).replaceAll(/`(?<code>[^`]+)`/gu, "<code>$<code></code>");

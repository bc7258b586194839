import type { ServerResponse } from "node:http";
import { V1_HEADERS } from "../answers.ts";
import { DOCS_POLICY, docsPage } from "../docs-page.ts";
import { describeRoutes } from "../openapi.ts";
import type { Operation, Reply, Route } from "../route.ts";

/** The description, and the page that shows it. `all`: of the whole table, these two included. */
export function descriptionRoutes(all: () => readonly Operation[]): readonly Route<unknown>[] {
  let description: string | null = null;
  let page: string | null = null;
  return [
    {
      method: "GET",
      path: "/v1/openapi.json",
      needs: null,
      id: "getDescription",
      summary: "This description, as OpenAPI 3.1.",
      answers: { 200: { about: "The description.", schema: { type: "object" } } },
      handle: () => ({ status: 200, json: (description ??= JSON.stringify(describeRoutes(all()))) }),
    },
    {
      method: "GET",
      path: "/v1/docs",
      needs: null,
      id: "getDocs",
      summary: "The description as a page for people, without scripts.",
      answers: { 200: { about: "HTML." } },
      handle: ({ response }) => sendPage(response, (page ??= docsPage(all()))),
    },
  ];
}

function sendPage(response: ServerResponse, page: string): Reply {
  response.writeHead(200, {
    ...V1_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": DOCS_POLICY,
    "Referrer-Policy": "no-referrer",
  });
  response.end(page);
  return "taken";
}

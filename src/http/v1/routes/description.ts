import { fixedBody, type FixedBody, sendFixed } from "../../../lib/fixed-body.ts";
import { DOCS_POLICY, docsPage } from "../docs-page.ts";
import { describeRoutes } from "../openapi.ts";
import type { Call, Operation, Reply, Route } from "../route.ts";

/**
 * The description, and the page that shows it. Every client may ask for them, so each is made once, as bytes. `all`: of
 * the whole table, these two included.
 */
export function descriptionRoutes(all: () => readonly Operation[]): readonly Route<unknown>[] {
  return [
    {
      method: "GET",
      path: "/v1/openapi.json",
      needs: null,
      id: "getDescription",
      summary: "This description, as OpenAPI 3.1.",
      answers: { 200: { about: "The description.", schema: { type: "object" } }, 304: KNOWN },
      handle: answerOnce("application/json; charset=utf-8", {}, () => JSON.stringify(describeRoutes(all()))),
    },
    {
      method: "GET",
      path: "/v1/docs",
      needs: null,
      id: "getDocs",
      summary: "The description as a page for people, without scripts.",
      answers: { 200: { about: "The page.", type: "text/html", schema: { type: "string" } }, 304: KNOWN },
      handle: answerOnce("text/html; charset=utf-8", PAGE_HEADERS, () => docsPage(all())),
    },
  ];
}

const KNOWN = { about: "The client has it: `If-None-Match` names its `ETag`." };
const PAGE_HEADERS = { "Content-Security-Policy": DOCS_POLICY, "Referrer-Policy": "no-referrer" };

function answerOnce(
  type: string,
  more: Readonly<Record<string, string>>,
  make: () => string,
): (call: Pick<Call, "request" | "response">) => Promise<Reply> {
  const headers = { "X-Content-Type-Options": "nosniff", ...more };
  let made: FixedBody | null = null;
  return async ({ request, response }) => {
    made ??= fixedBody(Buffer.from(make()), type);
    await sendFixed(made, headers, request, response);
    return "taken";
  };
}

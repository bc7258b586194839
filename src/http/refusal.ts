import type { ServerResponse } from "node:http";
import { JSON_TYPE } from "./answers.ts";
import { problemBody } from "./api/problem.ts";

/** So long a request may take to come in to a node that does not answer it, in ms. */
const REQUEST_MS = 10_000;
/** When a client should try again, in s. */
const RETRY_S = "2";

/** Of the servers of a node that does not answer itself. */
export const REQUEST_LIMITS = {
  requestTimeout: REQUEST_MS,
  headersTimeout: REQUEST_MS,
  connectionsCheckingInterval: 1000,
} as const;

/** 503, and when to try again. */
export function refuse(response: ServerResponse, why: string): void {
  response.setHeader("Retry-After", RETRY_S);
  answerAndClose(response, 503, problemBody(why));
}

/** The connection ends with it, so that the next request may find another node. */
function answerAndClose(response: ServerResponse, status: number, body: string, type = JSON_TYPE): void {
  response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store", Connection: "close" }).end(body);
}

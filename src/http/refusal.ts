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

/** 503, and when to try again. The connection ends with it, so that the next request may find another node. */
export function refuse(response: ServerResponse, why: string): void {
  const headers = {
    "Content-Type": JSON_TYPE,
    "Cache-Control": "no-store",
    "Retry-After": RETRY_S,
    Connection: "close",
  };
  response.writeHead(503, headers).end(problemBody(why));
}

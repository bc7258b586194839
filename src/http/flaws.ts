import type { IncomingMessage } from "node:http";
import { problem, type HttpProblem } from "./api/problem.ts";

/** What makes a request that was read unfit to be answered, whoever sent it; null: nothing. */
export function flawOf({ headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">): HttpProblem | null {
  // RFC 9112 §3.2: two readers of such a request might each believe another one.
  if (countOf("host", rawHeaders) > 1) return problem(400, "the request has more than one `Host` header");
  const transfer = headers["transfer-encoding"];
  if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
    return problem(501, `\`Transfer-Encoding: ${shown(transfer)}\` is not understood: send the body plain or chunked`);
  }
  const content = headers["content-encoding"];
  const hasBody = transfer !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (hasBody && content !== undefined && content.trim().toLowerCase() !== "identity") {
    return problem(415, `\`Content-Encoding: ${shown(content)}\` is not understood: send the body without it`);
  }
  return null;
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? "";
    if (field.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

const SHOWN_MAX = 60;
const shown = (value: string): string => (value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value);

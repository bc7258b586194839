import type { Message } from "../../src/contract/message.ts";
import { KEYS } from "./shape.ts";

// Line ends for Python's str.splitlines, which some clients split a stream with. Any of them inside an object breaks
// it.
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const PYTHON_LINE_END = /\r\n|[\n\r\v\f\u001C\u001D\u001E\u0085\u2028\u2029]/u;

/** Splits as Python's str.splitlines does. */
export function splitLines(text: string): string[] {
  const lines = text.split(PYTHON_LINE_END);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * Reads a stream as python-requests does (`iter_lines(chunk_size=512, decode_unicode=True)`): chunk by chunk, each
 * split with str.splitlines, the unfinished end kept for the next chunk.
 */
export function readAsPythonRequests(chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let pending = "";
  for (const chunk of chunks) {
    const text = pending + decoder.decode(chunk, { stream: true });
    const found = splitLines(text);
    pending = text.endsWith("\n") ? "" : (found.pop() ?? "");
    lines.push(...found);
  }
  return lines;
}

/** Reads one message as the strictest typed clients do: every key there, every string a string and not null. */
export function readStrictly(line: string): Message {
  const value = JSON.parse(line) as Record<string, unknown> | null;
  if (value === null || Array.isArray(value) || typeof value !== "object")
    throw new TypeError(`not an object: ${line}`);
  for (const key of KEYS) {
    if (!(key in value)) throw new TypeError(`${key} is missing: ${line}`);
    if (key !== "Extra" && typeof value[key] !== "string") throw new TypeError(`${key} is not a string: ${line}`);
  }
  return value as unknown as Message;
}

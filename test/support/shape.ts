import { expect } from "vitest";
import type { Answer } from "./http.ts";

/** The keys of a message in the order of the API specification's table. */
export const KEYS = [
  "text",
  "channel",
  "username",
  "userid",
  "avatar",
  "account",
  "event",
  "protocol",
  "gateway",
  "parent_id",
  "timestamp",
  "id",
  "Extra",
];

export const FILE_KEYS = ["Name", "Data", "Comment", "URL", "Size", "Avatar", "SHA", "NativeID"];

/** RFC 3339 in UTC, three digits of fraction. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** All 13 keys in order, every string a string, the timestamp one, `Extra` null or files. */
export function expectWhole(value: unknown): void {
  const message = value as Record<string, unknown>;
  expect(Object.keys(message)).toEqual(KEYS);
  expect(KEYS.slice(0, -1).filter((key) => typeof message[key] !== "string")).toEqual([]);
  expect(message["timestamp"]).toMatch(TIMESTAMP);
  const extra = message["Extra"] as { file: Record<string, unknown>[] } | null;
  if (extra === null) return;
  expect(Object.keys(extra)).toEqual(["file"]);
  expect(extra.file.length).toBeGreaterThan(0);
  for (const file of extra.file) expect(Object.keys(file)).toEqual(FILE_KEYS);
}

/** A greeting: whole, `event` api_connected, all other strings but the timestamp empty, `Extra` null. */
export function expectGreeting(value: unknown): void {
  expectWhole(value);
  const { event, timestamp, Extra, ...others } = value as Record<string, unknown>;
  expect(event).toBe("api_connected");
  expect(Date.parse(timestamp as string)).not.toBeNaN();
  expect(Extra).toBeNull();
  expect(new Set(Object.values(others))).toEqual(new Set([""]));
}

/** An error answer: this status, and a JSON object with a non-empty string `message` that passes. */
export function expectError(answer: Answer, status: number, ...mentions: readonly (string | RegExp)[]): void {
  expect(`${answer.status} ${answer.text}`).toMatch(new RegExp(`^${status} `));
  expect(answer.headers["content-type"]).toMatch(/^application\/json(;|$)/);
  const { message } = answer.json() as { message: unknown };
  expect(message).toBeTypeOf("string");
  expect(message).not.toBe("");
  for (const mention of mentions) expect(message).toMatch(mention);
}

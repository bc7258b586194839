import { PostedFileSchema, PostSchema } from "./schema.ts";
import { isObject } from "../../lib/shapes.ts";

/** The first thing in a body that is not as `PostSchema` has it. `path`: the keys that lead to it. */
export interface Flaw {
  readonly path: readonly (string | number)[];
  /** What it must be, for people. */
  readonly message: string;
  readonly value: unknown;
}

type Check = (value: unknown) => string | null;

/**
 * Holds a body against `PostSchema`, key by key in its order; null: it fits. Written out because it is done for every
 * post: a test holds it against a JSON Schema validator.
 */
export function flawOfPost(post: Readonly<Record<string, unknown>>): Flaw | null {
  for (const [key, check] of POST_CHECKS) {
    const value = post[key];
    if (value === undefined) continue;
    if (check === null) {
      const flaw = flawOfExtra(value);
      if (flaw !== null) return flaw;
      continue;
    }
    const message = check(value);
    if (message !== null) return { path: [key], message, value };
  }
  return null;
}

function flawOfExtra(extra: unknown): Flaw | null {
  if (!isObject(extra)) return { path: ["Extra"], message: "must be object", value: extra };
  const files = extra["file"];
  if (files === undefined) return null;
  if (!Array.isArray(files)) return { path: ["Extra", "file"], message: "must be array", value: files };
  for (const [index, file] of (files as readonly unknown[]).entries()) {
    if (!isObject(file)) return { path: ["Extra", "file", index], message: "must be object", value: file };
    for (const [key, check] of FILE_CHECKS) {
      const value = file[key];
      const message = value === undefined ? null : check(value);
      if (message !== null) return { path: ["Extra", "file", index, key], message, value };
    }
  }
  return null;
}

const CHECKS = {
  string: (value) => (typeof value === "string" ? null : "must be string"),
  boolean: (value) => (typeof value === "boolean" ? null : "must be boolean"),
  // What is too large for a number is read as Infinity, and counts as one.
  integer: (value) => {
    if (typeof value !== "number") return "must be integer";
    if (!Number.isInteger(value) && Math.abs(value) !== Infinity) return "must be integer";
    return value >= 0 ? null : "must be >= 0";
  },
  "boolean,string": (value) =>
    typeof value === "boolean" || typeof value === "string" ? null : "must be boolean,string",
} satisfies Readonly<Record<string, Check>>;

const FILE_CHECKS = Object.entries(PostedFileSchema.properties).map(([key, { type }]): [string, Check] => [
  key,
  typeof type === "string" ? CHECKS[type] : CHECKS["boolean,string"],
]);

/** Null stands for the files. */
const POST_CHECKS = Object.entries(PostSchema.properties).map(([key, { type }]): [string, Check | null] => [
  key,
  type === "object" ? null : CHECKS[type],
]);

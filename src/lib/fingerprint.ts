import { isObject } from "./shapes.ts";

/** A text that is the same for plain data that says the same, in whatever order its keys are. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Map) return sorted(Array.from(part, ([key, each]: [unknown, unknown]) => [String(key), each]));
    return isObject(part) ? Object.fromEntries(sorted(Object.entries(part))) : part;
  });
}

const sorted = (entries: [string, unknown][]): [string, unknown][] =>
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** A text that is the same for plain data that says the same, in whatever order its keys are. */
export function fingerprint(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Map) return sorted([...(part as Map<string, unknown>)]);
    return isRecord(part) ? Object.fromEntries(sorted(Object.entries(part))) : part;
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sorted = (entries: [string, unknown][]): [string, unknown][] =>
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

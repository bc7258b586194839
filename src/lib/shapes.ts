/** Readers of values of which nobody knows what they are: what has another shape counts as absent. */

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** The value that a text of JSON stands for; null: there is none, or it is no JSON. */
export function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** The value that a text of JSON stands for; throws on what is no JSON, and on what does not pass the check. */
export function parseAs<T>(text: string, check: (value: unknown) => value is T): T {
  const value: unknown = JSON.parse(text);
  if (check(value)) return value;
  throw new TypeError("the JSON stands for something else than it is read as");
}

/** What a server says is anybody's JSON: it is read by these, and what has another shape counts as absent. */
export type Json = Readonly<Record<string, unknown>>;

export const NOTHING: Json = {};

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectIn(from: Json, key: string): Json {
  const value = from[key];
  return isObject(value) ? value : NOTHING;
}

export function listIn(from: Json, key: string): readonly unknown[] {
  const value = from[key];
  return Array.isArray(value) ? value : [];
}

/** Null when it is no text. */
export function textIn(from: Json, key: string): string | null {
  const value = from[key];
  return typeof value === "string" ? value : null;
}

export function numberIn(from: Json, key: string): number | null {
  const value = from[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As JSON. Half a character is no UTF-8, and servers fail on it: it becomes U+FFFD. */
export function written(value: unknown): string {
  return JSON.stringify(value, wellFormed);
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

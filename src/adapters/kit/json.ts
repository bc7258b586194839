import { JsonSlices, SLICE_CHARS } from "./json-slices.ts";
import { type TurnBudget, TURNS } from "./turn-budget.ts";

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

/** Undefined for what is no JSON, and for a large text that holds too much. */
export function parsed(text: string): unknown {
  if (text.length > SLICE_CHARS) {
    const slices = new JsonSlices(text);
    while (slices.step());
    return slices.value;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same, where a large text may take several turns of the event loop. */
export async function parsedInTurns(text: string, turns: TurnBudget = TURNS): Promise<unknown> {
  if (text.length <= SLICE_CHARS) return parsed(text);
  const slices = new JsonSlices(text);
  do await turns.free();
  while (turns.spend(() => slices.step()));
  return slices.value;
}

/** As JSON. Half a character is no UTF-8, and servers fail on it: it becomes U+FFFD. */
export function written(value: unknown): string {
  return JSON.stringify(value, wellFormed);
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

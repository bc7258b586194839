import type { ApiProblem } from "./api.ts";
import { textsOf } from "./texts.ts";

const texts = textsOf({
  again: "Look at it again, and repeat what you did.",
  later: "Wait a moment, then try again.",
});

/** What the service says to programs in general; `detail` says it for this request. */
const GENERAL: ReadonlySet<string> = new Set([
  "bad_request",
  "not_found",
  "unprocessable",
  "conflict",
  "forbidden",
  "precondition_failed",
]);

const REMEDIES: Readonly<Record<string, string>> = { precondition_failed: texts.again, rate_limited: texts.later };

export interface ProblemWords {
  readonly title: string;
  /** Empty: the title says it. */
  readonly more: string;
  /** Null: there is none for people. */
  readonly remedy: string | null;
}

/** A refusal for a person who does not write programs. Pure. */
export function wordsOf({ code, title, detail, remedy }: ApiProblem): ProblemWords {
  const own = REMEDIES[code];
  if (!GENERAL.has(code) || detail === "") return { title, more: detail, remedy: own ?? remedy };
  return { title: sentence(detail), more: "", remedy: own ?? null };
}

/** With a capital, and without an end. Pure. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The errors by the fields of a form, which are named as those of the request; and all others. Pure. */
export function errorsByField(
  { errors }: ApiProblem,
  fields: readonly string[],
): { readonly of: ReadonlyMap<string, string>; readonly others: ApiProblem["errors"] } {
  const nameOf = (pointer: string): string => pointer.split("/")[1] ?? "";
  const others = errors.filter(({ pointer }) => !fields.includes(nameOf(pointer)));
  const own = errors.filter(({ pointer }) => fields.includes(nameOf(pointer))).toReversed();
  return { of: new Map(own.map(({ pointer, detail }) => [nameOf(pointer), `${sentence(detail)}.`])), others };
}

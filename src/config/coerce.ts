import type { SettingSchema, TextRule } from "../contract/manifest.ts";
import { parseAddress, parseRemote } from "../lib/address.ts";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import type { Path } from "./problems.ts";

/** A value that does not fit its schema. `path` leads to the part concerned, from the value itself. */
interface Misfit {
  readonly path: Path;
  /** Continues "<setting> …": "must be a whole number, not the text "ten"". */
  readonly message: string;
}

export type Coerced =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly misfits: readonly Misfit[] };

/** Says what is wrong with a regular expression, or null. */
export type CheckPattern = (pattern: string) => string | null;

/**
 * Brings a value as a file or the environment gives it to the type of its setting, as weakly as the reference does:
 * "true", "T" and 1 are booleans, "2" is a number, numbers and booleans are text, text is a list of words.
 */
export function coerce(value: unknown, schema: SettingSchema, checkPattern: CheckPattern): Coerced {
  const misfits: Misfit[] = [];
  const fit = new Walk(misfits, checkPattern, schema.secret === true);
  const coerced = fit.any(value, schema, []);
  return misfits.length === 0 ? { ok: true, value: coerced } : { ok: false, misfits };
}

export function follows(rule: TextRule, text: string): boolean {
  return new RegExp(rule.pattern, "u").test(text);
}

const truths = new Map<unknown, boolean>([
  ...["1", "t", "T", "true", "TRUE", "True"].map((word) => [word, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((word) => [word, false] as const),
]);

/** A list of which every entry is wrong needs no more. */
const MISFITS_MAX = 100;

class Walk {
  readonly #misfits: Misfit[];
  readonly #checkPattern: CheckPattern;
  readonly #secret: boolean;

  constructor(misfits: Misfit[], checkPattern: CheckPattern, secret: boolean) {
    this.#misfits = misfits;
    this.#checkPattern = checkPattern;
    this.#secret = secret;
  }

  any(value: unknown, schema: SettingSchema, path: Path): unknown {
    if (value === "" && schema.zeroIsDefault === true) return schema.default;
    if (schema.enum !== undefined) return this.#choice(value, schema.enum, path);
    if (schema.type === "boolean") return this.#boolean(value, path);
    if (schema.type === "integer") return this.#integer(value, schema, path);
    if (schema.type === "array") return this.#list(value, schema, path);
    return this.#text(value, schema, path);
  }

  #boolean(value: unknown, path: Path): boolean {
    if (typeof value === "boolean") return value;
    if (typeof value === "number") return value !== 0;
    const truth = truths.get(value);
    return truth ?? this.#misfit(path, `must be true or false, not ${this.#show(value)}`, false);
  }

  #integer(value: unknown, schema: SettingSchema, path: Path): number {
    if (schema.format === "duration") return this.#duration(value, schema, path);
    const number = typeof value === "string" && /^\s*[+-]?\d+(?:\.0*)?\s*$/u.test(value) ? Number(value) : value;
    if (typeof number === "bigint" || (typeof number === "number" && Math.abs(number) > Number.MAX_SAFE_INTEGER)) {
      return this.#misfit(path, "is too large a number", 0);
    }
    if (typeof number !== "number" || !Number.isInteger(number)) {
      return this.#misfit(path, `must be a whole number, not ${this.#show(value)}`, 0);
    }
    return this.#inRange(number, schema, path, String);
  }

  #duration(value: unknown, schema: SettingSchema, path: Path): number {
    const text = asText(value);
    const ms = typeof text === "string" ? parseDuration(text.trim()) : null;
    if (ms !== null) return this.#inRange(ms, schema, path, formatDuration);
    const bare = typeof text === "string" && /^\s*[\d.]+\s*$/u.test(text);
    const wrong = bare ? "needs a unit," : `must be a duration, not ${this.#show(value)}; write it`;
    return this.#misfit(path, `${wrong} as in 90s, 5m or 1h30m`, 0);
  }

  #inRange(number: number, schema: SettingSchema, path: Path, show: (number: number) => string): number {
    if (number === 0 && schema.zeroIsDefault === true && typeof schema.default === "number") return schema.default;
    const { minimum = -Infinity, maximum = Infinity } = schema;
    const shown = this.#secret ? "the given value" : show(number);
    if (number < minimum) return this.#misfit(path, `must be at least ${show(minimum)}, not ${shown}`, 0);
    if (number > maximum) return this.#misfit(path, `must be at most ${show(maximum)}, not ${shown}`, 0);
    return number;
  }

  #choice(value: unknown, choices: readonly string[], path: Path): string {
    const found = choices.find((choice) => typeof value === "string" && choice.toLowerCase() === value.toLowerCase());
    const names = choices.map((choice) => `"${choice}"`).join(" or ");
    return found ?? this.#misfit(path, `must be ${names}, not ${this.#show(value)}`, "");
  }

  #text(value: unknown, schema: SettingSchema, path: Path): string {
    const text = asText(value);
    if (text === null) return this.#misfit(path, `must be text, not ${this.#show(value)}`, "");
    if (typeof text !== "string") return this.#misfit(path, text.error, "");
    if (text.length < (schema.minLength ?? 0)) return this.#misfit(path, "must not be empty", "");
    const wrong = this.#wrongWith(text, schema);
    return wrong === null ? text : this.#misfit(path, wrong, "");
  }

  #wrongWith(text: string, { format, rule, examples = [] }: SettingSchema): string | null {
    if (rule !== undefined && !follows(rule, text)) return rule.hint;
    if (format === "regex") {
      const wrong = this.#checkPattern(text);
      return wrong === null ? null : `contains the bad regular expression ${JSON.stringify(text)}: ${wrong}`;
    }
    if (format !== "bind-address" && format !== "host-port") return null;
    const address = format === "bind-address" ? parseAddress(text) : parseRemote(text);
    const such = examples.length === 0 ? "" : `, such as ${examples.join(" or ")}`;
    // The part before an @ may be a password.
    const shown = JSON.stringify(text.replace(/^.*@/su, "…@"));
    return "error" in address ? `cannot be ${shown}: ${address.error}${such}` : null;
  }

  #list(value: unknown, schema: SettingSchema, path: Path): readonly unknown[] {
    const { items = {} } = schema;
    if (isTuple(items)) return this.#tuple(value, items, path);
    if (Array.isArray(value)) {
      return value.map((item, index) => (this.#isHopeless ? null : this.any(item, items, [...path, index])));
    }
    const text = asText(value);
    if (items.type === "array") {
      return this.#misfit(
        path,
        `must be a list of pairs in the configuration file, as in [["from", "to"]], not ${this.#show(value)}`,
        [],
      );
    }
    if (typeof text !== "string") return this.#misfit(path, `must be a list, not ${this.#show(value)}`, []);
    return text
      .split(schema.lines === true ? /[\r\n]+/u : /\s+/u)
      .flatMap((word) => (word === "" ? [] : [this.any(word, items, path)]));
  }

  #tuple(value: unknown, items: readonly SettingSchema[], path: Path): readonly unknown[] {
    if (!Array.isArray(value) || value.length !== items.length) {
      const wanted = `lists of ${items.length}, as in [["from", "to"]]`;
      return this.#misfit(path, `must contain ${wanted}, not ${this.#show(value)}`, []);
    }
    return items.map((item, index) => this.any(value[index], item, [...path, index]));
  }

  get #isHopeless(): boolean {
    return this.#misfits.length === MISFITS_MAX;
  }

  #misfit<T>(path: Path, message: string, instead: T): T {
    if (this.#misfits.length < MISFITS_MAX) this.#misfits.push({ path, message });
    return instead;
  }

  #show(value: unknown): string {
    if (value === null || value === undefined) return "nothing";
    if (Array.isArray(value)) return `a list of ${value.length}`;
    const text = asText(value);
    if (typeof text !== "string") return "a table";
    const kind = typeof value === "string" ? "the text " : "";
    if (this.#secret) return kind === "" ? "the given value" : "the given text";
    const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    return kind === "" ? short : `${kind}${JSON.stringify(short)}`;
  }
}

function isTuple(items: SettingSchema | readonly SettingSchema[]): items is readonly SettingSchema[] {
  return Array.isArray(items);
}

/** Text, numbers, booleans and dates as text; null for lists and tables; an error for what was misread already. */
export function asText(value: unknown): string | { readonly error: string } | null {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== "number") return null;
  const exact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return exact ? String(value) : { error: "is too large a number to be kept exactly; put it in quotes" };
}

import type { Asked } from "../site/site.ts";
import { parseForm } from "./form.ts";
import { bad, type BotRow, isRecord, type Upload } from "./wire.ts";

/** One call of a method, with who calls. */
export interface Call {
  readonly bot: BotRow;
  readonly args: Args;
}

/** The arguments of a call: from the address, a form, or JSON; what is no text may be a JSON text. */
export class Args {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #files: ReadonlyMap<string, Upload>;

  constructor(values: Readonly<Record<string, unknown>>, files: ReadonlyMap<string, Upload> = new Map()) {
    this.#values = values;
    this.#files = files;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return this.#files.has(name) || (value !== undefined && value !== null && value !== "");
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === "string") return encoded(value);
    return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  }

  /** 0 for what is no number, as the server reads it. */
  int(name: string): number {
    const number = Number(this.text(name));
    return Number.isSafeInteger(number) ? number : 0;
  }

  number(name: string): number {
    return Number(this.text(name));
  }

  flag(name: string): boolean {
    return ["true", "yes", "1"].includes(this.text(name).toLowerCase());
  }

  /** A value that a form gives as JSON; undefined where there is none. */
  json(name: string): unknown {
    const value = this.#values[name];
    if (typeof value !== "string") return value ?? undefined;
    if (value === "") return undefined;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      throw bad(`can't parse ${name}: unexpected character`);
    }
  }

  record(name: string): Record<string, unknown> | null {
    const value = this.json(name);
    if (value === undefined) return null;
    if (!isRecord(value)) throw bad(`can't parse ${name}: object expected`);
    return value;
  }

  list(name: string): readonly unknown[] | null {
    const value = this.json(name);
    if (value === undefined) return null;
    if (!Array.isArray(value)) throw bad(`can't parse ${name}: array expected`);
    return Array.from<unknown>(value);
  }

  /** The part of a form with this name. */
  file(name: string): Upload | undefined {
    return this.#files.get(name);
  }

  /** The arguments in an object of these, as media of an album are. */
  within(values: Readonly<Record<string, unknown>>): Args {
    return new Args(values, this.#files);
  }
}

function encoded(text: string): string {
  if (!text.isWellFormed()) throw bad("strings must be encoded in UTF-8");
  return text;
}

/** Reads what stands in the address and in the body. */
export function read({ url, headers, raw }: Asked): Args {
  const values: Record<string, unknown> = Object.fromEntries(url.searchParams);
  const files = new Map<string, Upload>();
  const type = headers["content-type"] ?? "";
  if (raw.length === 0) return new Args(values);
  if (type.startsWith("application/json")) {
    Object.assign(values, objectOf(raw));
  } else if (type.startsWith("application/x-www-form-urlencoded")) {
    Object.assign(values, Object.fromEntries(new URLSearchParams(raw.toString("utf8"))));
  } else if (type.startsWith("multipart/form-data")) {
    const parts = parseForm(raw, type);
    if (parts === null) throw bad("can't parse the form");
    for (const { name, value } of parts) {
      if (typeof value === "string") values[name] = value;
      else files.set(name, value);
    }
  }
  return new Args(values, files);
}

function objectOf(raw: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
  } catch {
    throw bad("can't parse the JSON body");
  }
  if (!isRecord(value)) throw bad("object expected as JSON body");
  return value;
}

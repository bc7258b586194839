import { extname } from "node:path";
import type { Locate, FilePosition } from "../problems.ts";
import type { ConfigFormat, ParsedConfig, Scalar, Tell } from "./format.ts";
import { json } from "./json.ts";
import { toml } from "./toml.ts";
import { yaml } from "./yaml.ts";

export type FormatName = "toml" | "yaml" | "json";

const formats: Readonly<Record<FormatName, ConfigFormat>> = { toml, yaml, json };

/** By extension, as the reference does: anything unknown is TOML. */
export function formatOf(file: string): FormatName {
  const extension = extname(file).toLowerCase();
  if (extension === ".json") return "json";
  return extension === ".yaml" || extension === ".yml" ? "yaml" : "toml";
}

export function parseText(name: FormatName, text: string): ParsedConfig {
  const parsed = attempt(name, text);
  if (!parsed.ok && WEB_PAGE.test(text)) return { ok: false, problems: [webPage] };
  const other = parsed.ok ? null : guess(text);
  if (other === null || other === name) return parsed;
  const message = `the file looks like ${other.toUpperCase()}, but its name makes it ${name.toUpperCase()}`;
  return { ok: false, problems: [{ line: 1, column: 1, message, remedy: `rename it so that it ends in .${other}` }] };
}

const WEB_PAGE = /^\s*<(?:!doctype html|html)\b/iu;
const webPage = {
  line: 1,
  column: 1,
  message: "the file is a web page, not a configuration",
  remedy: "download the file itself, such as by the button Raw of GitHub",
};

/** The format that a text that cannot be read seems to have; null: unknown. */
function guess(text: string): FormatName | null {
  if (/^\s*\{/u.test(text)) return "json";
  if (/^[\t ]*\[{1,2}[\w. "'-]+\]{1,2}[\t ]*(?:#.*)?$/mu.test(text)) return "toml";
  return /^[A-Za-z][\w-]*:(?:\s|$)/mu.test(text) ? "yaml" : null;
}

function attempt(name: FormatName, text: string): ParsedConfig {
  try {
    return formats[name].parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, problems: [{ line: 1, column: 1, message: "lists or tables are nested too deeply" }] };
  }
}

/** A lookup of places in a text that was read; they are gathered when first asked for. */
export function locator({ positions }: Extract<ParsedConfig, { ok: true }>): Locate {
  let places: Map<string, { readonly key: FilePosition; readonly value: FilePosition }> | null = null;
  return (path, at) => {
    if (places === null) {
      const found = new Map<string, { readonly key: FilePosition; readonly value: FilePosition }>();
      tellPlaces(positions, (of, key, value) => {
        const id = JSON.stringify(of);
        if (!found.has(id)) found.set(id, { key, value });
      });
      places = found;
    }
    for (let length = path.length; length > 0; length -= 1) {
      const place = places.get(JSON.stringify(path.slice(0, length)));
      if (place !== undefined) return length === path.length ? place[at] : place.key;
    }
    return { line: 1, column: 1 };
  };
}

/** See ConfigFormat; null also for what is nested too deeply. */
export function scalarsOf(name: FormatName, text: string): readonly Scalar[] | null {
  try {
    return formats[name].scalars(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}

function tellPlaces(positions: (tell: Tell) => void, tell: Tell): void {
  try {
    positions(tell);
  } catch (error) {
    // Too deep for this parser: whatever has no place gets the nearest one above it.
    if (!(error instanceof RangeError)) throw error;
  }
}

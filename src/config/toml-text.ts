import { isTable } from "./section.ts";

/** One table with its settings, as TOML; `header` as in `[irc.libera]`. */
export function tomlTable(header: string, settings: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${tomlValue(value)}\n`);
  return `${header}\n${lines.join("")}`;
}

export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (isTable(value)) {
    const pairs = Object.entries(value).map(([name, each]) => `${name} = ${tomlValue(each)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  // What JSON escapes TOML reads the same way; TOML has one control character more.
  return JSON.stringify(String(value)).replaceAll("\u007F", "\\u007F");
}

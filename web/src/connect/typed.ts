import type { SettingSchema } from "../../../src/contract/manifest.ts";

/** What was typed or chosen, by the name of the setting. */
export type Typed = Readonly<Record<string, string | boolean>>;

type Schemas = Readonly<Record<string, SettingSchema>>;

/** As the configuration has it: without what is empty or as it is anyway. */
export function settingsOf(typed: Typed, schemas: Schemas): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(typed)) {
    const { type, default: usual } = schemas[name] ?? {};
    if (value === "" || value === usual) continue;
    if (typeof value === "boolean") settings[name] = value;
    else if (type === "array") settings[name] = linesOf(value);
    else settings[name] = type === "integer" && /^\d{1,15}$/u.test(value) ? Number(value) : value;
  }
  return settings;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Text that is shown, with dots in the place of what was typed as a secret. */
export function withDots(text: string, typed: Typed, schemas: Schemas): string {
  const secrets = Object.entries(typed).filter(([name, value]) => schemas[name]?.secret === true && value !== "");
  const parts = secrets.flatMap(([, value]) => linesOf(String(value))).map((each) => JSON.stringify(each).slice(1, -1));
  return parts.sort((a, b) => b.length - a.length).reduce((shown, part) => shown.replaceAll(part, "••••••"), text);
}

const TLS_PORT = /:6697$/u;

/** With TLS on when the usual port for it is typed, and off again when that port goes. */
export function typedWith(typed: Typed, name: string, value: string | boolean, schemas: Schemas): Typed {
  const next = { ...typed, [name]: value };
  const [was, is] = [typed[name], value].map((text) => typeof text === "string" && TLS_PORT.test(text));
  return was === is || schemas["UseTLS"]?.type !== "boolean" ? next : { ...next, UseTLS: is ?? false };
}

/** A default for people; null: it says nothing. */
export function defaultWords({ default: value, format }: SettingSchema): string | null {
  if (typeof value === "number") return format === "duration" ? `${value / 1000}s` : String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

import { type DiscordSettings, schema } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function discordSettings(given: Partial<DiscordSettings>): DiscordSettings {
  return { ...DEFAULTS, ...given } as DiscordSettings;
}

import { schema } from "./settings.ts";
import type { TelegramSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function telegramSettings(given: Partial<TelegramSettings>): TelegramSettings {
  return { ...DEFAULTS, ...given } as TelegramSettings;
}

import { schema } from "./settings.ts";
import type { SlackSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function slackSettings(given: Partial<SlackSettings>): SlackSettings {
  return { ...DEFAULTS, ...given } as SlackSettings;
}

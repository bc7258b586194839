import { schema } from "./settings.ts";
import type { MattermostSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function mattermostSettings(given: Partial<MattermostSettings>): MattermostSettings {
  return { ...DEFAULTS, ...given } as MattermostSettings;
}

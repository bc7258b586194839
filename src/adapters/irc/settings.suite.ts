import { schema } from "./settings.ts";
import type { IrcSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, no pacing, and what is given. */
export function ircSettings(given: Partial<IrcSettings>): IrcSettings {
  return { ...DEFAULTS, Nick: "rialto", MessageDelay: 0, ...given } as IrcSettings;
}

import { schema } from "./settings.ts";
import type { MatrixSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function matrixSettings(given: Partial<MatrixSettings>): MatrixSettings {
  return { ...DEFAULTS, ...given } as MatrixSettings;
}

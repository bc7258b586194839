import { schema } from "./settings.ts";
import type { XmppSettings } from "./settings.ts";

const DEFAULTS = Object.fromEntries(
  Object.entries(schema.properties).map(([name, setting]) => [name, "default" in setting ? setting.default : ""]),
);

/** Settings for tests: defaults, and what is given. */
export function xmppSettings(given: Partial<XmppSettings>): XmppSettings {
  const ours = { Jid: "rialto@localhost", Password: "open-sesame", Muc: "conference.localhost", Nick: "rialto" };
  return { ...DEFAULTS, ...ours, ...given } as XmppSettings;
}

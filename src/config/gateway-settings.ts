import { formatDuration, parseDuration } from "../lib/duration.ts";
import { asText, coerce } from "./coerce.ts";
import type { CatchUp, Gateway } from "./config.ts";
import type { Context } from "./context.ts";
import { type ProblemReport, takesDefault } from "./problems.ts";
import { generalSchema } from "./schema.ts";
import type { Section } from "./section.ts";

/** How a gateway delivers; both may be in a gateway and in a samechannelgateway. */
export type GatewaySettings = Pick<Gateway, "maxAgeMs" | "catchUp">;

export const gatewaySettingKeys = ["MaxAge", "CatchUp"];

/**
 * `label`: the gateway for people, as in `gateway "main"`. What does not fit is reported, and counts as not written.
 */
export function readGatewaySettings(
  section: Section,
  { label, report, context }: { readonly label: string; readonly report: ProblemReport; readonly context: Context },
): GatewaySettings {
  return { maxAgeMs: readMaxAge(section, label, report, context), catchUp: readCatchUp(section, label, report) };
}

function readMaxAge(section: Section, label: string, report: ProblemReport, { rules }: Context): number | null {
  const setting = section.get("maxage");
  if (setting === undefined) return null;
  const result = coerce(setting.value, generalSchema.properties.MaxAge, rules.checkPattern);
  if (result.ok) return typeof result.value === "number" ? result.value : null;
  for (const { message } of result.misfits)
    report.error("bad-value", setting.where, `MaxAge of ${label} ${message}`, takesDefault);
  return null;
}

function readCatchUp(section: Section, label: string, report: ProblemReport): CatchUp | null {
  const setting = section.get("catchup");
  if (setting === undefined) return null;
  const text = asText(setting.value);
  const read = typeof text === "string" ? parseCatchUp(text.trim().toLowerCase()) : null;
  if (read !== null) return read === "all" ? null : read;
  const range = `from ${formatDuration(LEAST_MS)} to ${formatDuration(MOST_MS)}`;
  const shown = typeof text === "string" ? JSON.stringify(text.slice(0, SHOWN_MAX)) : "that";
  const may = `"all", "none", a number of messages from 1 to ${COUNT_MAX}, or a duration ${range}, such as "10m"`;
  report.error("bad-value", setting.where, `CatchUp of ${label} must be ${may}, not ${shown}`, takesDefault);
  return null;
}

/** Null: it is none of what it can be. */
function parseCatchUp(text: string): CatchUp | "all" | null {
  if (text === "all") return "all";
  if (text === "none") return { is: "none" };
  if (/^\d{1,9}$/u.test(text)) {
    const count = Number(text);
    return count >= 1 && count <= COUNT_MAX ? { is: "newest", count } : null;
  }
  const ms = parseDuration(text);
  return ms === null || ms < LEAST_MS || ms > MOST_MS ? null : { is: "younger", ms };
}

const COUNT_MAX = 1_000;
/** What waits for less than this is not late. */
const LEAST_MS = 30_000;
const MOST_MS = generalSchema.properties.MaxAge.maximum;
const SHOWN_MAX = 60;

import type { Capabilities } from "../contract/capabilities.ts";
import type { SettingNeed, SettingSchema } from "../contract/manifest.ts";
import type { Account } from "./config.ts";
import type { Context } from "./context.ts";
import type { Declared } from "./declare.ts";
import { isBlank } from "./placeholders.ts";
import { sharedSchema } from "./presentation.ts";
import type { Section, Setting } from "./section.ts";

/** Warns of settings that are understood and have no effect where they are written. */

interface Need {
  /** `null`: the HTTP API, which is no network. */
  readonly has: (capabilities: Capabilities | null) => boolean;
  readonly why: string;
}

const NEEDS: Readonly<Record<SettingNeed, Need>> = {
  pictures: {
    has: (able) => able === null || able.identity.some((way) => way === "puppet" || way === "per-message"),
    why: "messages there show no pictures of senders",
  },
  edits: { has: (able) => able?.ops.edit !== "none", why: "messages there cannot be edited" },
  members: {
    has: (able) => able !== null && able.members !== "none",
    why: "nothing there says that people come or go",
  },
  texts: { has: (able) => able !== null, why: "programs get what happens, and not words about it" },
};

type Values = Readonly<Record<string, unknown>>;

/** Why a setting with this value has no effect beside the others; null: it has one. */
function idleReason(
  value: unknown,
  { onlyWith, notWith = [], needs, items }: SettingSchema,
  others: Values,
  capabilities: Capabilities | null | undefined,
): string | null {
  if (!isOn(value)) return null;
  if (onlyWith?.some((name) => isOn(others[name])) === false) return `has no effect without ${onlyWith.join(" or ")}`;
  const against = notWith.find((name) => isOn(others[name]));
  if (against !== undefined) return `has no effect with ${against}`;
  if (needs !== undefined && capabilities !== undefined && !NEEDS[needs].has(capabilities))
    return `has no effect: ${NEEDS[needs].why}`;
  const { idleValues = {} } = items !== undefined && "type" in items ? items : {};
  const idle = Object.entries(idleValues).find(([name]) => Array.isArray(value) && value.includes(name));
  return idle === undefined ? null : `contains "${idle[0]}", which has no effect: ${idle[1]}`;
}

/** Whether a value asks for something. */
const isOn = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== "";

/** Of the settings of one table, which are those of one schema. */
export function warnOfIdleValues(
  properties: Readonly<Record<string, SettingSchema>>,
  { values, section, label }: { readonly values: Values; readonly section: Section; readonly label: string },
  { report }: Context,
): void {
  for (const [name, schema] of Object.entries(properties)) {
    const setting = section.get(name.toLowerCase());
    const why = setting === undefined ? null : idleReason(values[name], schema, values, undefined);
    if (setting !== undefined && why !== null)
      report.warning("idle-setting", setting.where, `${name} of ${label} ${why}`);
  }
}

/** Of an account's own settings; and of those of `[general]` that have an effect for no account. */
export function warnOfIdleSettings(
  accounts: ReadonlyMap<string, Account>,
  declared: ReadonlyMap<string, Declared>,
  general: Section,
  { report, rules }: Context,
): void {
  /** By name: the reason for the first account, null where one account has an effect. */
  const shared = new Map<string, { readonly setting: Setting; readonly why: string | null }>();
  const formats = Array.from(accounts.values(), ({ presentation }) => presentation.remoteNickFormat);
  const showsLabels = formats.some((format) => format.includes("{LABEL}"));
  for (const account of accounts.values()) {
    const { section, manifest } = declared.get(account.key) ?? {};
    // Of an account that is kept down, values may be missing.
    if (section === undefined || manifest === null || manifest === undefined || report.downs.has(account.key)) continue;
    const capabilities = rules.capabilitiesOf(account.protocol);
    const values: Record<string, unknown> = { ...account.settings };
    for (const [name, value] of Object.entries(account.presentation))
      values[name.slice(0, 1).toUpperCase() + name.slice(1)] = value;
    for (const [name, schema] of Object.entries<SettingSchema>({
      ...manifest.schema.properties,
      ...sharedSchema.properties,
    })) {
      const own = section.get(name.toLowerCase());
      const setting = own ?? general.get(name.toLowerCase());
      if (setting === undefined) continue;
      const isUnusedLabel = name === "Label" && !showsLabels && !isBlank(account.presentation.label);
      const why = isUnusedLabel
        ? "has no effect: no RemoteNickFormat contains {LABEL}"
        : idleReason(values[name], schema, values, capabilities);
      if (own !== undefined && why !== null)
        report.warning("idle-setting", own.where, `${name} of ${account.name} ${why}`);
      const before = shared.get(name);
      if (own === undefined) shared.set(name, { setting, why: before === undefined ? why : before.why && why });
    }
  }
  for (const [name, { setting, why }] of shared)
    if (why !== null) report.warning("idle-setting", setting.where, `${name} of [general] ${why}`);
}

import { dashboardOrigin, resolveAdmin, SOCKET_ONLY } from "./admin.ts";
import { clusterProperties, resolveCluster } from "./cluster.ts";
import type { GeneralSettings } from "./config.ts";
import type { Context } from "./context.ts";
import { type EnvironmentSetting, type EnvironmentTable, ignoredInEnvironment } from "./environment.ts";
import { NO_ENDPOINT, resolveMedia } from "./media.ts";
import { ignoredGeneral, ignoredShared, ignoredTengo, missingProtocols } from "./reference.ts";
import { warnOfIdleValues } from "./idle.ts";
import { sharedSchema } from "./presentation.ts";
import { generalSchema } from "./schema.ts";
import type { SettingSchema } from "../contract/manifest.ts";
import { type ProblemEffect, inheritorsDown, takesDefault } from "./problems.ts";
import { hostName } from "../lib/host-name.ts";
import { isTable, keyAt, settingsIn } from "./section.ts";
import type { Section } from "./section.ts";
import { type EffectOf, protects, settle, warnOfIdle } from "./settings.ts";

/** A table of the root that holds settings itself, such as `[general]`; empty when it is not written. */
export function tableOf(root: Section, name: string, context: Context): Section {
  const setting = root.get(name);
  if (setting === undefined) return new Map();
  if (isTable(setting.value)) return settingsIn(setting.value, [setting.key]);
  context.report.fatal("bad-value", setting.where, `"${setting.key}" must be a table, as in [${name}]`);
  return new Map();
}

/** Every setting that may be in `[general]`: its own, and the fallback of every account's. */
export function generalScope(section: Section, { rules }: Context): EnvironmentTable {
  const others = [...rules.protocols.values()].flatMap(({ ignored = [] }) => ignored);
  const settings = new Map<string, EnvironmentSetting>(
    ignoredInEnvironment([...ignoredGeneral, ...ignoredShared, ...others]),
  );
  const names = [
    ...Object.keys(generalSchema.properties),
    ...Object.keys(sharedSchema.properties),
    ...missingProtocols.flatMap((missing) => missing.settings),
  ];
  for (const name of names) settings.set(name.toLowerCase(), { name, secret: false });
  for (const schema of [generalSchema, ...Array.from(rules.protocols.values(), (protocol) => protocol.schema)]) {
    for (const [name, { secret = false }] of Object.entries<SettingSchema>(schema.properties)) {
      settings.set(name.toLowerCase(), { name, secret });
    }
  }
  return { table: "general", section, settings };
}

export function tengoScope(section: Section): EnvironmentTable {
  const settings = ignoredTengo.map(({ name }) => [name.toLowerCase(), { name, secret: false }] as const);
  return { table: "tengo", section, settings: new Map(settings) };
}

/** Of the settings that protect; without the data folder nothing can run, and with another log the wrong thing. */
const EFFECTS: Readonly<Record<string, ProblemEffect | null>> = {
  DataPath: null,
  // Without it, files of strangers would be fetched directly.
  Proxy: null,
  ...Object.fromEntries(Object.keys(clusterProperties).map((name) => [name, null])),
  MediaDownloadBlackList: { says: "no file is relayed" },
  MediaBindAddress: NO_ENDPOINT,
  MediaURL: NO_ENDPOINT,
  AdminBindAddress: SOCKET_ONLY,
  AdminToken: SOCKET_ONLY,
};

const ownEffect: EffectOf = (name) => (EFFECTS[name] === undefined ? takesDefault : EFFECTS[name]);
const sharedEffect: EffectOf = (_, schema) => (protects(schema) ? inheritorsDown : takesDefault);

/** LogFile counts from where the program runs, as in the reference. */
export function resolveGeneral(section: Section, context: Context): GeneralSettings {
  const label = "[general]";
  const chain = [{ label, section }];
  const own = settle({ schema: generalSchema, chain, where: keyAt([]), effect: ownEffect }, context);
  const { values } = own;
  warnOfIdleValues(generalSchema.properties, { values, section, label }, context);
  // Shared settings are checked here too, whether or not an account uses them.
  settle({ schema: sharedSchema, chain, where: keyAt([]), effect: sharedEffect }, context);
  const manifests = [...context.rules.protocols.values()];
  const names = [generalSchema, sharedSchema, ...manifests.map(({ schema }) => schema)];
  const vocabulary = {
    label,
    names: names.flatMap((schema) => Object.keys(schema.properties)),
    ignored: [...ignoredGeneral, ...manifests.flatMap(({ ignored = [] }) => ignored), ...ignoredShared],
    elsewhere: missingSetting,
  };
  warnOfIdle(section, vocabulary, context);
  return {
    dataPath: values.DataPath,
    cluster: resolveCluster(own.faults, values, section, context),
    durability: values.Durability,
    retentionDays: values.RetentionDays,
    retentionBytes: values.RetentionBytes,
    messageIdDays: values.MessageIdDays,
    search: values.Search ? values.SearchIndex : null,
    maxAgeMs: values.MaxAge,
    outageNoticeMs: values.OutageNotice,
    proxy: values.Proxy,
    logFile: values.LogFile === "" ? null : values.LogFile,
    logFormat: values.LogFormat,
    debug: values.Debug,
    allowedHosts: values.AllowedHosts.flatMap((name) => hostName(name) ?? []),
    allowPrivate: values.AllowPrivate.map((endpoint) => endpoint.toLowerCase()),
    media: resolveMedia(own.faults, values, section, context),
    admin: resolveAdmin(own.faults, values, section, context),
    dashboardUrl: dashboardOrigin(values),
    values: { ...values },
  };
}

function missingSetting(key: string): string | null {
  const owners = missingProtocols.filter(({ settings }) => settings.some((name) => name.toLowerCase() === key));
  const titles = owners.map(({ title }) => title).join(", ");
  return owners.length === 0 ? null : `it is a setting of ${titles}, which this version does not support yet`;
}

/** Scripts are accepted, but do not run. */
export function warnOfTengo(section: Section, context: Context): void {
  warnOfIdle(section, { label: "[tengo]", names: [], ignored: ignoredTengo, elsewhere: () => null }, context);
}

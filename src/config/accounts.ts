import type { Manifest } from "../contract/manifest.ts";
import type { Account } from "./config.ts";
import type { Context } from "./context.ts";
import { missingByName, onlyGeneral } from "./declare.ts";
import type { Declared } from "./declare.ts";
import { keepsDown, type ProblemText, takesDefault, type Where } from "./problems.ts";
import { presentationOf, sharedSchema } from "./presentation.ts";
import { ignoredShared, sectionlessAccounts } from "./reference.ts";
import type { Section } from "./section.ts";
import { lookUp, protects, reportFault, settle, warnOfIdle } from "./settings.ts";
import type { Chain, EffectOf } from "./settings.ts";

/** Reads the settings of an account; what is wrong with them is reported. Null for a protocol that is not there yet. */
export function resolveAccount(declared: Declared, general: Section, context: Context): Account | null {
  const { name, key, protocol, section, manifest, where } = declared;
  if (manifest === null) return null;
  const chain = [
    { label: name, section },
    { label: "[general]", section: general },
  ];
  const effect: EffectOf = (setting, schema, label) =>
    protects(schema) ? keepsDown(declared, setting, label === "[general]") : takesDefault;
  const { values: settings, faults } = settle({ schema: manifest.schema, chain, where, effect }, context);
  const defaults = manifest.defaults ?? {};
  const { values: shared } = settle({ schema: sharedSchema, defaults, chain, where, effect }, context);
  const names = [...Object.keys(manifest.schema.properties), ...Object.keys(sharedSchema.properties)];
  const { properties } = manifest.schema;
  // Otherwise the default of a setting that protects would be checked too.
  if ([...faults].every((setting) => !protects(properties[setting] ?? {})))
    reportIssues({ manifest, settings, name, chain, where, effect }, context);
  warnOfIdle(
    section,
    { label: name, names, ignored: [...(manifest.ignored ?? []), ...ignoredShared], elsewhere: onlyGeneral },
    context,
  );
  // Of an account that is kept down, what is required may be missing.
  return {
    name,
    key,
    protocol,
    settings,
    presentation: presentationOf(shared),
    down: null,
  };
}

interface Resolved {
  readonly manifest: Manifest;
  readonly settings: Record<string, unknown>;
  readonly name: string;
  readonly chain: Chain;
  readonly where: Where;
  readonly effect: EffectOf;
}

/**
 * What is wrong with the settings together, when each of them is valid. A setting that does not fit the others takes
 * its default.
 */
function reportIssues({ manifest, settings, name, chain, where, effect }: Resolved, context: Context): void {
  const isPlugin = sectionlessAccounts.has(name.toLowerCase()) && chain[0]?.section.size === 0;
  if (isPlugin) {
    reportFault(
      "bad-combination",
      where,
      PLUGIN,
      effect("Token", manifest.schema.properties["Token"] ?? {}, name),
      context,
    );
    return;
  }
  for (const { severity, setting, message } of manifest.check?.(settings) ?? []) {
    const found = lookUp(setting, chain);
    const place = found?.setting.where ?? where;
    const said = `${setting} of ${name} ${message}`;
    if (severity === "warning") {
      context.report.warning("bad-combination", place, said);
      continue;
    }
    const schema = manifest.schema.properties[setting] ?? {};
    reportFault("bad-combination", place, said, effect(setting, schema, found?.label ?? name), context);
    settings[setting] = schema.default;
  }
}

const PLUGIN: ProblemText = [
  "mattermost.plugin is matterbridge inside of Mattermost, and Rialto is no plugin",
  "run Rialto beside Mattermost: write an account such as [mattermost.town] with Server, Team and the Token of a bot account, and name it in the gateway",
];

/** One warning for the account; its settings need none of their own. */
export function warnOfMissingProtocol({ name, protocol, where }: Declared, context: Context): void {
  const title = missingByName.get(protocol)?.title ?? protocol;
  context.report.warning(
    "protocol-missing",
    where,
    `${name} is not started: this version does not support ${title} yet`,
  );
}

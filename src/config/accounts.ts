import type { Manifest } from "../contract/manifest.ts";
import type { Account, PresentationSettings } from "./config.ts";
import type { Context } from "./context.ts";
import { missingByName, onlyGeneral } from "./declare.ts";
import type { Declared } from "./declare.ts";
import type { Where } from "./problems.ts";
import { ignoredShared } from "./reference.ts";
import { sharedSchema } from "./schema.ts";
import type { SharedSettings } from "./schema.ts";
import type { Section } from "./section.ts";
import { lookUp, settle, warnOfIdle } from "./settings.ts";
import type { Chain } from "./settings.ts";

/** Reads the settings of an account; what is wrong with them is reported. Null for a protocol that is not there yet. */
export function resolveAccount(declared: Declared, general: Section, context: Context): Account | null {
  const { name, key, protocol, section, manifest, where } = declared;
  if (manifest === null) return null;
  const chain = [
    { label: name, section },
    { label: "[general]", section: general },
  ];
  const settings = settle({ schema: manifest.schema, chain, where }, context);
  const shared = settle({ schema: sharedSchema, defaults: manifest.defaults ?? {}, chain, where }, context);
  const names = [...Object.keys(manifest.schema.properties), ...Object.keys(sharedSchema.properties)];
  reportIssues({ manifest, settings, name, chain, where }, context);
  warnOfIdle(
    section,
    { label: name, names, ignored: [...(manifest.ignored ?? []), ...ignoredShared], elsewhere: onlyGeneral },
    context,
  );
  // Incomplete after an error; the load fails then and nobody reads it.
  return { name, key, protocol, settings, presentation: presentationOf(shared as unknown as SharedSettings) };
}

interface Resolved {
  readonly manifest: Manifest;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly chain: Chain;
  readonly where: Where;
}

/** What the settings say together, once each of them is well by itself. */
function reportIssues({ manifest, settings, name, chain, where }: Resolved, { report }: Context): void {
  if (Object.keys(manifest.schema.properties).some((setting) => settings[setting] === undefined)) return;
  for (const { severity, setting, message } of manifest.check?.(settings) ?? []) {
    const place = lookUp(setting, chain)?.setting.where ?? where;
    report[severity]("bad-combination", place, `${setting} of ${name} ${message}`);
  }
}

/** One warning for the account; its settings need none of their own. */
export function warnOfMissingProtocol({ name, protocol, where }: Declared, context: Context): void {
  const title = missingByName.get(protocol)?.title ?? protocol;
  context.report.warning("protocol-missing", where, `${name} is not started: this version has no ${title} yet`);
}

function presentationOf(shared: SharedSettings): PresentationSettings {
  return {
    remoteNickFormat: shared.RemoteNickFormat,
    stripNick: shared.StripNick,
    label: shared.Label,
    iconURL: shared.IconURL,
    ignoreNicks: shared.IgnoreNicks,
    ignoreMessages: shared.IgnoreMessages,
    replaceMessages: shared.ReplaceMessages,
    replaceNicks: shared.ReplaceNicks,
    extractNicks: shared.ExtractNicks,
    showJoinPart: shared.ShowJoinPart,
    noSendJoinPart: shared.NoSendJoinPart,
    showTopicChange: shared.ShowTopicChange,
    showOutages: shared.ShowOutages,
    preserveThreading: shared.PreserveThreading,
    quoteDisable: shared.QuoteDisable,
    quoteFormat: shared.QuoteFormat,
    quoteLengthLimit: shared.QuoteLengthLimit,
    editDisable: shared.EditDisable,
    editSuffix: shared.EditSuffix,
    editFallback: shared.EditFallback,
    deleteFallback: shared.DeleteFallback,
    reactionDisable: shared.ReactionDisable,
    reactionFallback: shared.ReactionFallback,
    allowMention: shared.AllowMention,
  };
}

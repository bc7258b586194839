import type { Account } from "./config.ts";
import type { Context } from "./context.ts";
import type { Declared } from "./declare.ts";
import type { LinkedGateway } from "./link.ts";
import { isBlank } from "./placeholders.ts";
import type { Section } from "./section.ts";
import { lookUp } from "./settings.ts";

/** Accounts that one warning names. */
const NAMED_MAX = 5;

/** Where RemoteNickFormat shows the label alone, senders from accounts without a label are shown otherwise. */
export function warnOfLabels(
  linked: readonly LinkedGateway[],
  accounts: ReadonlyMap<string, Account>,
  declared: ReadonlyMap<string, Declared>,
  general: Section,
  { report }: Context,
): void {
  for (const [key, { name, presentation }] of accounts) {
    const format = presentation.remoteNickFormat;
    if (!isBlank(format.replaceAll(/\{(?:LABEL|TENGO)\}/gu, ""))) continue;
    const others = linked.flatMap(({ running: { bridges } }) =>
      bridges.some(({ account }) => account === key) ? bridges.map(({ account }) => account) : [],
    );
    const unlabelled = Array.from(new Set(others)).flatMap((other) => {
      const account = other === key ? undefined : accounts.get(other);
      return account !== undefined && isBlank(account.presentation.label) ? [account.name] : [];
    });
    const section = declared.get(key)?.section;
    if (unlabelled.length === 0 || section === undefined) continue;
    const chain = [section, general].map((table) => ({ label: "", section: table }));
    const where = lookUp("RemoteNickFormat", chain)?.setting.where;
    if (where === undefined) continue;
    const more = unlabelled.length > NAMED_MAX ? ` and ${unlabelled.length - NAMED_MAX} more` : "";
    const senders = `${unlabelled.slice(0, NAMED_MAX).join(", ")}${more}`;
    const what = `RemoteNickFormat of ${name} shows only {LABEL}, and there is no Label for senders from ${senders}; the default is used for them`;
    report.warning("empty-placeholder", where, [
      what,
      "write {NICK} into RemoteNickFormat, or give these accounts a Label",
    ]);
  }
}

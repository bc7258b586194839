import type { Account } from "./config.ts";
import type { Context } from "./context.ts";
import type { Declared } from "./declare.ts";
import type { Where } from "./problems.ts";
import { networkName } from "./rooms.ts";
import type { Section } from "./section.ts";
import { lookUp } from "./settings.ts";

interface Login {
  readonly account: string;
  readonly setting: string;
  /** Equal for two logins that cannot both be had. */
  readonly id: string;
  readonly where: Where;
}

/** Two accounts that use one name on one network would throw each other out. */
export function warnOfSharedLogins(
  accounts: ReadonlyMap<string, Account>,
  declared: ReadonlyMap<string, Declared>,
  general: Section,
  { report }: Context,
): void {
  const first = new Map<string, Login>();
  for (const account of accounts.values()) {
    const source = declared.get(account.key);
    const login = source === undefined ? null : loginOf(account, source, general);
    if (login === null) continue;
    const duplicate = first.get(login.id);
    if (duplicate === undefined) {
      first.set(login.id, login);
      continue;
    }
    const what = `${login.account} has the same ${login.setting} as ${duplicate.account} on the same network, where they would get in each other's way`;
    report.warning("login-clash", login.where, [what, `give one of them another ${login.setting}`], duplicate.where);
  }
}

function loginOf(
  { name, protocol, settings }: Account,
  { manifest, section }: Declared,
  general: Section,
): Login | null {
  const setting = manifest?.login;
  if (manifest?.network === undefined || setting === undefined) return null;
  const [login, network] = [settings[setting], settings[manifest.network]];
  const chain = [section, general].map((table) => ({ label: "", section: table }));
  const where = lookUp(setting, chain)?.setting.where;
  if (typeof login !== "string" || typeof network !== "string" || where === undefined) return null;
  // What is empty, or could not be read, is nobody's name.
  if (login === "") return null;
  return { account: name, setting, id: JSON.stringify([protocol, networkName(network), login.toLowerCase()]), where };
}

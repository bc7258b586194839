import { addressesClash, parseAddress } from "../lib/address.ts";
import type { Address } from "../lib/address.ts";
import { SOCKET_ONLY } from "./admin.ts";
import type { Account } from "./config.ts";
import type { Context } from "./context.ts";
import type { Declared } from "./declare.ts";
import { NO_ENDPOINT } from "./media.ts";
import type { Section } from "./section.ts";
import { lookUp } from "./settings.ts";
import { type ProblemEffect, keepsDown, type ProblemReport, type Where } from "./problems.ts";

interface Listener {
  /** What happens when another one has its address. */
  readonly effect: ProblemEffect;
  /** For people: the account, or the setting. */
  readonly owner: string;
  readonly text: string;
  readonly address: Address;
  readonly where: Where;
}

/**
 * Two accounts cannot listen on one address, nor an account and the media endpoint or the admin server. Returns whether
 * the admin server has to do without its address.
 */
export function checkListeners(
  accounts: ReadonlyMap<string, Account>,
  declared: ReadonlyMap<string, Declared>,
  general: Section,
  { report }: Context,
): boolean {
  // Only listeners on one port can meet, so that ten thousand of them are no ten thousand squared comparisons.
  const byPort = new Map<number, Listener[]>();
  const media = ownListener("MediaBindAddress", NO_ENDPOINT, general);
  if (media !== null) claim(media, byPort, report);
  const admin = ownListener("AdminBindAddress", SOCKET_ONLY, general);
  const isClosed = admin !== null && !claim(admin, byPort, report);
  for (const account of accounts.values()) {
    const source = declared.get(account.key);
    if (source === undefined) continue;
    for (const listener of listenersOf(account, source, general)) {
      claim(listener, byPort, report);
    }
  }
  return isClosed;
}

/** Later listeners on the same port are compared with this many: more addresses on one port are no real machine's. */
const COMPARED_MAX = 100;

/** Returns whether it can be had. */
function claim(listener: Listener, byPort: Map<number, Listener[]>, report: ProblemReport): boolean {
  const others = byPort.get(listener.address.port) ?? [];
  const clash = others.find((other) => addressesClash(other.address, listener.address));
  if (clash !== undefined) {
    const what = `${listener.owner} cannot listen on "${listener.text}": ${clash.owner} listens on "${clash.text}"`;
    const said = [what, "give one of them another port"] as const;
    report.error("address-clash", listener.where, said, listener.effect, clash.where);
    return false;
  }
  if (others.length < COMPARED_MAX) others.push(listener);
  byPort.set(listener.address.port, others);
  return true;
}

function listenersOf(account: Account, { manifest, section }: Declared, general: Section): Listener[] {
  const listeners: Listener[] = [];
  for (const [name, schema] of Object.entries(manifest?.schema.properties ?? {})) {
    const text = account.settings[name];
    if (schema.format !== "bind-address" || typeof text !== "string") continue;
    const address = parseAddress(text);
    if ("error" in address) continue;
    const chain = [section, general].map((table) => ({ label: "", section: table }));
    const where = lookUp(name, chain)?.setting.where;
    if (where !== undefined)
      listeners.push({ owner: account.name, text, address, where, effect: keepsDown(account, name) });
  }
  return listeners;
}

function ownListener(name: string, effect: ProblemEffect, general: Section): Listener | null {
  const setting = general.get(name.toLowerCase());
  if (typeof setting?.value !== "string") return null;
  const address = parseAddress(setting.value);
  if ("error" in address) return null;
  return { owner: `${name} of [general]`, text: setting.value, address, where: setting.where, effect };
}

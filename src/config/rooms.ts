import { asText } from "./coerce.ts";
import type { Context } from "./context.ts";
import { missingByName } from "./declare.ts";
import type { Declared } from "./declare.ts";
import type { LinkedGateway } from "./link.ts";
import type { Where } from "./problems.ts";
import { keyAt } from "./section.ts";
import type { Section } from "./section.ts";
import { lookUp } from "./settings.ts";
import type { Chain } from "./settings.ts";

/** Warns of loops: two accounts in one room, linked by gateways, bring every message back to where it was said. */
export function warnOfLoops(
  gateways: readonly LinkedGateway[],
  accounts: ReadonlyMap<string, Declared>,
  general: Section,
  { rules, report }: Context,
): void {
  const roomOf = (accountKey: string, channel: string) => roomName(accounts.get(accountKey), channel, general);
  const loops = rules.findLoops(
    gateways.map(({ whole }) => whole),
    roomOf,
  );
  const byName = new Map(gateways.toReversed().map((gateway) => [gateway.written.name, gateway]));
  for (const loop of loops) {
    const first = byName.get(loop.gateways[0] ?? "");
    const [names, rooms, through] = [
      loop.accounts.map((key) => accounts.get(key)?.name ?? key),
      loop.rooms,
      loop.gateways,
    ];
    const what = `${list(names, "and")} meet in ${list(rooms, "and")} through ${list(through, "and")}: a message could go round without end`;
    report.warning("loop", first?.written.where ?? keyAt([]), [what, "remove one of the accounts from its gateway"]);
  }
}

/** Warns of a room that one account has under two names: it can be in there only once. */
export function warnOfDuplicates(
  gateways: readonly LinkedGateway[],
  accounts: ReadonlyMap<string, Declared>,
  general: Section,
  { report }: Context,
): void {
  const first = new Map<string, { readonly channel: string; readonly where: Where }>();
  for (const { channel, channelWhere: where, ...entry } of gateways.flatMap(({ written }) => written.entries)) {
    const account = accounts.get(entry.account.toLowerCase());
    const { room: inNetwork, channel: rule } = account?.manifest ?? {};
    if (account === undefined || channel === null || (inNetwork === undefined && rule?.lowerCase !== true)) continue;
    const room = roomName(account, channel, general);
    const duplicate = first.get(`${account.key} ${room}`);
    if (duplicate === undefined) first.set(`${account.key} ${room}`, { channel, where });
    else if (duplicate.channel !== channel) {
      const what = `${channel} of ${account.name} is the same room as ${duplicate.channel}, and is not joined again`;
      report.warning("twin-room", where, [what, "write both in the same way"], duplicate.where);
    }
  }
}

/**
 * `<protocol>/<network>/<channel>` or `<protocol>/<room>`: equal for two accounts that are in one and the same room. An
 * account whose network is unknown from the configuration counts as a separate network.
 */
function roomName(account: Declared | undefined, channel: string, general: Section): string {
  if (account === undefined) return channel;
  const known = account.manifest ?? missingByName.get(account.protocol);
  const setting = known?.network ?? null;
  if (setting === null) return `${account.key}/${channel}`;
  const chain = [
    { label: account.name, section: account.section },
    { label: "[general]", section: general },
  ];
  const value = setting === "" ? "" : asText(lookUp(setting, chain)?.setting.value);
  if (setting === "") return `${account.protocol}/${channel}`;
  if (typeof value !== "string" || value === "") return `${account.key}/${channel}`;
  if (account.manifest?.room !== undefined) return `${account.protocol}/${account.manifest.room(channel, value)}`;
  // Names without regard to case: at worst a warning too many.
  return `${account.protocol}/${networkName(value)}/${divisionOf(account, chain)}${channel.toLowerCase()}`;
}

function divisionOf({ manifest }: Declared, chain: Chain): string {
  const setting = manifest?.division;
  if (setting === undefined) return "";
  const value = asText(lookUp(setting, chain)?.setting.value);
  return typeof value === "string" ? `${value.toLowerCase()}/` : "/";
}

/** `https://user:pass@Chat.Example:6697/` → `chat.example:6697`; a password in an address must not reach a message. */
export function networkName(value: string): string {
  const host = value
    .toLowerCase()
    .replace(/^[a-z][a-z\d+.-]*:\/\//u, "")
    .replace(/^[^/]*@/u, "");
  let end = host.length;
  while (host[end - 1] === "/") end -= 1;
  return host.slice(0, end);
}

function list(items: readonly string[], and: string): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${and} ${last}`;
}

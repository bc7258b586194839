import type { Account, Bridge } from "./config.ts";
import type { Context } from "./context.ts";
import { unitsOf } from "./crossing.ts";
import type { Declared } from "./declare.ts";
import type { LinkedGateway } from "./link.ts";
import { keepsDown } from "./problems.ts";

/**
 * Says where what only moderators are to read would get to others: their channel is linked with another one of its
 * account, directly or by a room that is. And where no gateway has it.
 */
export function reportModeration(
  linked: readonly LinkedGateway[],
  used: ReadonlyMap<string, Account>,
  accounts: ReadonlyMap<string, Declared>,
  { report }: Context,
): void {
  const units = linked.flatMap(({ written, running }) => unitsOf(running).map((bridges) => ({ written, bridges })));
  for (const [key, account] of used) {
    const declared = accounts.get(key);
    const channel = declared?.manifest?.moderationChannel?.(account.settings) ?? null;
    if (declared === undefined || channel === null) continue;
    const isTheirs = (bridge: Bridge): boolean => bridge.account === key && bridge.channel.toLowerCase() === channel;
    const isOpen = (bridge: Bridge): boolean => bridge.account === key && !isTheirs(bridge);
    const open = new Set(
      units.filter(({ bridges }) => bridges.some(isOpen)).flatMap(({ bridges }) => bridges.map(roomOf)),
    );
    const theirs = units.filter(({ bridges }) => bridges.some(isTheirs));
    for (const { written, bridges } of theirs) {
      // Whoever reads an account with one channel is told the gateway of each message.
      const isOne = ({ account: of }: Bridge): boolean => accounts.get(of)?.manifest?.onlyChannel !== undefined;
      const leak = bridges.find((bridge) => open.has(roomOf(bridge)) && !isOne(bridge));
      if (leak === undefined) continue;
      const room = `${leak.channel} of ${accounts.get(leak.account)?.name ?? leak.account}, which guests can read`;
      const what = `${written.label} links ${channel} of ${account.name}, which is for moderators, with ${room}`;
      const remedy = "give it a gateway of its own, with a room that only moderators are in";
      report.error("open-moderation", written.where, [what, remedy], keepsDown(account, "the gateways"));
    }
    if (theirs.length > 0) continue;
    const what = `no gateway has ${channel} of ${account.name}, so moderators are told nothing there`;
    report.warning("idle-moderation", declared.where, [what, "add a gateway with it and a room of moderators"]);
  }
}

const roomOf = ({ account, channel }: Bridge): string => JSON.stringify([account, channel]);

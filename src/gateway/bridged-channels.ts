import type { Bridge, Config } from "../config/config.ts";
import type { Subject } from "../log/log.ts";
import { subjectOf } from "./subject.ts";

/** Each channel of these bridges once. Channels of programs are left out, because they have no members. */
export function channelsOf(
  bridges: readonly Bridge[],
  accounts: Config["accounts"],
): readonly Pick<Bridge, "account" | "channel">[] {
  const channels = new Map<Subject, Bridge>();
  for (const bridge of bridges) {
    if (accounts.get(bridge.account)?.protocol === "api") continue;
    channels.set(subjectOf(bridge.account, bridge.channel), bridge);
  }
  return [...channels.values()];
}

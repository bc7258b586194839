import { createHash } from "node:crypto";
import { protocols } from "../adapters/registry.ts";
import type { Wish } from "../cluster/member.ts";
import type { Account, Config } from "../config/config.ts";
import { fingerprint } from "../lib/fingerprint.ts";
import { LOG_ACCOUNT } from "../log/fence.ts";

const DIGITS = 16;

/** What this machine wants to be run, by itself or another that shares its log. Pure. */
export function wishOf({ accounts, gateways }: Config): Wish {
  const all = [...accounts.values()];
  const kept = all.filter(({ protocol }) => protocols.get(protocol)?.keepsData === true).map(({ key }) => key);
  const said = fingerprint([all.map(comparable), gateways]);
  return {
    // What this machine cannot run, another may be able to.
    accounts: [LOG_ACCOUNT, ...all.filter(({ down }) => down === null).map(({ key }) => key)],
    stays: [LOG_ACCOUNT, ...kept],
    config: createHash("sha256").update(said).digest("hex").slice(0, DIGITS),
  };
}

/** Without secrets, and without the addresses that each machine may have of its own. */
function comparable({ name, protocol, presentation, settings, down }: Account): unknown {
  const schema = protocols.get(protocol)?.schema.properties ?? {};
  const isOwn = (setting: string): boolean =>
    schema[setting]?.secret === true || schema[setting]?.format === "bind-address";
  return [name, presentation, down !== null, Object.entries(settings).filter(([setting]) => !isOwn(setting))];
}

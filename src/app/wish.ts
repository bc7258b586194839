import { createHash } from "node:crypto";
import { protocols } from "../adapters/registry.ts";
import type { Wish } from "../cluster/member.ts";
import type { Account, Config } from "../config/config.ts";
import { fingerprint } from "../lib/fingerprint.ts";
import { LOG_ACCOUNT } from "../log/fence.ts";

const DIGITS = 16;

/** What this machine wants to be run, by itself or another that shares its log. Pure. */
export function wishOf(config: Config): Wish {
  const { accounts, gateways } = config;
  const all = [...accounts.values()];
  const said = fingerprint([all.map(comparable), gateways]);
  return {
    // What this machine cannot run, another may be able to.
    accounts: [LOG_ACCOUNT, ...all.filter(({ down }) => down === null).map(({ key }) => key)],
    stays: [LOG_ACCOUNT, ...keepersIn(config)],
    config: createHash("sha256").update(said).digest("hex").slice(0, DIGITS),
  };
}

/** The accounts whose data is at one machine. */
export const keepersIn = ({ accounts }: Pick<Config, "accounts">): readonly string[] =>
  [...accounts.values()].filter(({ protocol }) => protocols.get(protocol)?.keepsData === true).map(({ key }) => key);

/** Without secrets, and without the addresses that each machine may have of its own. */
function comparable({ name, protocol, presentation, settings, down }: Account): unknown {
  const schema = protocols.get(protocol)?.schema.properties ?? {};
  const isOwn = (setting: string): boolean =>
    schema[setting]?.secret === true || schema[setting]?.format === "bind-address";
  return [name, presentation, down !== null, Object.entries(settings).filter(([setting]) => !isOwn(setting))];
}

import type { Account, Config } from "../config/config.ts";
import { againSubject } from "../gateway/again.ts";
import { textFormat } from "../gateway/posted.ts";
import type { LaneRoute, Routes } from "../gateway/routes.ts";
import { accountOf } from "../gateway/subject.ts";
import { fingerprint } from "../lib/fingerprint.ts";
import { laneName } from "./lanes.ts";

/** A lane that a configuration asks for. */
export interface LaneSpec {
  readonly name: string;
  readonly route: LaneRoute;
  /** The same as long as all that the lane goes by is: what it reads, how that is shown, and the limits of waiting. */
  readonly configHash: string;
}

/** All lanes, by account key. Pure. */
export function laneSpecs(config: Config, routes: Routes): ReadonlyMap<string, readonly LaneSpec[]> {
  const { maxAgeMs, outageNoticeMs } = config.general;
  const looks = new Map(Array.from(config.accounts.values(), (account) => [account.key, look(account)]));
  const configHash = ({ account, ...route }: LaneRoute): string => {
    const accounts = [account.key, ...route.subjects.map(accountOf)].map((key) => looks.get(key) ?? null);
    return fingerprint([route, accounts, maxAgeMs, outageNoticeMs]);
  };
  const specs = routes.lanes().map((given) => {
    const route = { ...given, subjects: [...given.subjects, againSubject(given)] };
    return { name: laneName(route), route, configHash: configHash(route) };
  });
  return Map.groupBy(specs, ({ route }) => route.account.key);
}

/** What others see of an account. */
function look(account: Account): string {
  const { name, protocol, presentation } = account;
  return fingerprint([name, protocol, presentation, textFormat(account)]);
}

import type { Config } from "../config/config.ts";
import { outageSubject } from "../gateway/outages.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Subject } from "../log/log.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { ChannelHealth, WatchedPlace } from "./outage-notices.ts";
import type { AccountRegistry } from "./account-registry.ts";

/** Every channel whose outage a room or an account of the HTTP API is to hear of. `routes`: those of `config`. */
export function watchedPlaces(
  { accounts }: Config,
  routes: Routes,
  {
    parts,
    mayTell,
  }: { readonly parts: Pick<AccountRegistry, "get">; readonly mayTell: ((accountKey: string) => boolean) | undefined },
): readonly WatchedPlace[] {
  const apis = [...accounts.values()].filter(({ protocol }) => protocol === "api");
  const isHeard = (outage: Subject): boolean =>
    routes.targets(outage).length > 0 || apis.some(({ key }) => routes.seen(key).has(outage));
  const networks = [...accounts.values()].filter(({ protocol }) => protocol !== "api");
  return networks.flatMap(({ key, name }) => {
    const part = mayTell?.(key) === false ? undefined : parts.get(key);
    return routes
      .channels(key)
      .map(({ name: channel }) => {
        const { takes, down, backlog } = part?.health(channel) ?? UNKNOWN;
        return { place: subjectOf(key, channel), account: name, channel, takes, down, backlog };
      })
      .filter(({ place }) => isHeard(outageSubject(place)));
  });
}

/** The account is being opened or closed, or may run at another machine. */
const UNKNOWN: ChannelHealth = { takes: () => false, down: undefined, backlog: () => Promise.resolve(null) };

import type { Config } from "../config/config.ts";
import { outageSubject } from "../gateway/outages.ts";
import type { Routes } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { ChannelHealth, WatchedPlace } from "./outage-notices.ts";
import type { AccountRegistry } from "./account-registry.ts";

/** Every channel of which rooms can be told that it is out of reach. `routes`: those of `config`. */
export function watchedPlaces(
  { accounts }: Config,
  routes: Routes,
  {
    parts,
    mayTell,
  }: { readonly parts: AccountRegistry; readonly mayTell: ((accountKey: string) => boolean) | undefined },
): readonly WatchedPlace[] {
  const all = [...accounts.values()].filter(({ protocol }) => protocol !== "api");
  return all.flatMap(({ key, name }) => {
    const part = mayTell?.(key) === false ? undefined : parts.get(key);
    return routes
      .channels(key)
      .map(({ name: channel }) => {
        const { takes, down, backlog } = part?.health(channel) ?? UNKNOWN;
        return { place: subjectOf(key, channel), account: name, channel, takes, down, backlog };
      })
      .filter(({ place }) => routes.targets(outageSubject(place)).length > 0);
  });
}

/** The account is being opened or closed, or may run at another machine. */
const UNKNOWN: ChannelHealth = { takes: () => false, down: undefined, backlog: () => Promise.resolve(null) };

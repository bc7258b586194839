import type { Config } from "../config/config.ts";
import type { Subject } from "../log/log.ts";
import { operatorSubject } from "./operator.ts";
import { outageSubject } from "./outages.ts";
import { subjectOf } from "./subject.ts";

/** A subject as one API account sees it. */
export interface SeenSubject {
  /** In the order of the configuration. */
  readonly gateways: readonly SeenGateway[];
  /** The account itself says it. */
  readonly mine: boolean;
}

export interface SeenGateway {
  readonly name: string;
  /** Of the subjects that the account reads there: what is seen is what came after all of them have joined. */
  readonly since: readonly Subject[];
}

type Seen = Map<Subject, { readonly gateways: SeenGateway[]; readonly mine: boolean }>;

export const UNSEEN: ReadonlyMap<Subject, SeenSubject> = new Map();

/** By API account: what it reads, what it says itself, and what becomes of the places in gateways that it reads. */
export function compileSeen(
  { gateways, accounts }: Pick<Config, "gateways" | "accounts">,
  reads: ReadonlyMap<string, ReadonlyMap<Subject, readonly string[]>>,
): ReadonlyMap<string, ReadonlyMap<Subject, SeenSubject>> {
  const all = new Map<string, Seen>();
  for (const { key, protocol } of accounts.values()) {
    if (protocol !== "api") continue;
    const seen: Seen = new Map();
    const read = reads.get(key) ?? new Map<Subject, readonly string[]>();
    for (const [subject, names] of read)
      for (const name of names) add(seen, subject, { name, since: [subject] }, false);
    for (const { name, bridges } of gateways) {
      const joined = operatorSubject(name);
      const isRead = read.get(joined)?.includes(name) === true;
      const since = isRead ? [joined] : [];
      if (bridges.some(({ account }) => account === key)) add(seen, subjectOf(key, name), { name, since }, true);
      if (!isRead) continue;
      for (const { account, channel } of bridges) {
        if (accounts.get(account)?.protocol === "api") continue;
        const place = subjectOf(account, channel);
        const heard = read.get(place)?.includes(name) === true ? [place] : [];
        add(seen, outageSubject(place), { name, since: [joined, ...heard] }, false);
      }
    }
    all.set(key, seen);
  }
  return all;
}

function add(seen: Seen, subject: Subject, gateway: SeenGateway, mine: boolean): void {
  const known = seen.get(subject) ?? { gateways: [], mine };
  seen.set(subject, known);
  if (known.gateways.every(({ name }) => name !== gateway.name)) known.gateways.push(gateway);
}

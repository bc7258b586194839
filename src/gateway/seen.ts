import type { Config } from "../config/config.ts";
import type { ApiSource, TextFormat } from "../contract/api-v1.ts";
import type { Subject } from "../log/log.ts";
import { operatorSubject } from "./operator.ts";
import { outageSubject } from "./outages.ts";
import { textFormat } from "./posted.ts";
import { accountOf, subjectOf } from "./subject.ts";

/** A subject as one API account sees it. */
export interface SeenSubject {
  /** In the order of the configuration. */
  readonly gateways: readonly SeenGateway[];
  /** The account itself says it. */
  readonly mine: boolean;
  /** Key of the account that says it, or to which the place belongs. */
  readonly account: string;
  /** How its texts are written where nothing else is said. */
  readonly format: TextFormat;
  /** Of a subject that says whether a place is out of reach: the place. */
  readonly place: ApiSource | null;
}

export interface SeenGateway {
  readonly name: string;
  /** Of the subjects that the account reads there: what is seen is what came after all of them have joined. */
  readonly since: readonly Subject[];
}

type Seen = Map<Subject, SeenSubject & { readonly gateways: SeenGateway[] }>;

export const UNSEEN: ReadonlyMap<Subject, SeenSubject> = new Map();

/** By API account: what it reads, what it says itself, and what becomes of the places in gateways that it reads. */
export function compileSeen(
  config: Pick<Config, "gateways" | "accounts">,
  reads: ReadonlyMap<string, ReadonlyMap<Subject, readonly string[]>>,
): ReadonlyMap<string, ReadonlyMap<Subject, SeenSubject>> {
  const apis = [...config.accounts.values()].filter(({ protocol }) => protocol === "api");
  return new Map(apis.map(({ key }) => [key, seenBy(key, reads.get(key) ?? new Map(), config)]));
}

function seenBy(
  key: string,
  reads: ReadonlyMap<Subject, readonly string[]>,
  { gateways, accounts }: Pick<Config, "gateways" | "accounts">,
): Seen {
  const seen: Seen = new Map();
  const see = (subject: Subject, gateway: SeenGateway, of: string, place: ApiSource | null = null): void => {
    const source = accounts.get(of);
    const format = source?.protocol === "api" ? textFormat(source) : "plain";
    const known = seen.get(subject) ?? { gateways: [], mine: of === key, account: of, format, place };
    seen.set(subject, known);
    if (known.gateways.every(({ name }) => name !== gateway.name)) known.gateways.push(gateway);
  };
  for (const [subject, names] of reads) {
    for (const name of names) see(subject, { name, since: [subject] }, accountOf(subject));
  }
  for (const { name, bridges } of gateways) {
    const joined = operatorSubject(name);
    const isRead = reads.get(joined)?.includes(name) === true;
    if (bridges.some(({ account }) => account === key))
      see(subjectOf(key, name), { name, since: isRead ? [joined] : [] }, key);
    for (const { account, channel } of isRead ? bridges : []) {
      const source = accounts.get(account);
      if (source === undefined || source.protocol === "api") continue;
      const place = subjectOf(account, channel);
      const heard = reads.get(place)?.includes(name) === true ? [place] : [];
      const at = { account: source.name, protocol: source.protocol, channel };
      see(outageSubject(place), { name, since: [joined, ...heard] }, account, at);
    }
  }
  return seen;
}

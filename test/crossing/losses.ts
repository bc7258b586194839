import { type About, decodeStored } from "../../src/gateway/codec.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import type { Log } from "../../src/log/log.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { type Network, NETWORKS } from "./place.ts";
import { GATEWAY, SOURCES } from "./stage.ts";
import { DEEDS, holds, SAYINGS, wordOf } from "./things.ts";

/** What the receipts of a program that has ended say was lost, by thing, origin and destination: `bold irc xmpp`. */
export type Losses = ReadonlyMap<string, readonly string[]>;

export const wayOf = (thing: string, from: Network, to: string): string => `${thing} ${from} ${to}`;

export async function lossesIn(dataPath: string): Promise<Losses> {
  const log = await openSqliteLog({
    dataPath,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1024 ** 3,
    messageIdDays: 30,
  });
  try {
    const entries = await entriesOf(log);
    const losses = new Map<string, readonly string[]>();
    for (const to of NETWORKS) {
      if (to === "api") continue;
      const { account, channel } = SOURCES[to];
      const lane = subjectOf(GATEWAY, subjectOf(account, channel));
      for (const { seq, state, detail } of await log.receipts({ lane, after: 0, limit: 10_000 })) {
        const entry = entries.get(seq);
        // What is omitted together with something alike only says so.
        const omitted = state === "omitted" ? [{ what: state }] : [];
        const named = [...((JSON.parse(detail) as Detail).losses ?? []), ...omitted];
        for (const { thing } of [...SAYINGS, ...DEEDS]) {
          if (entry === undefined || !isThing(thing, to, entry)) continue;
          const way = wayOf(thing, entry.from, to);
          losses.set(way, [...new Set([...(losses.get(way) ?? []), ...named.map(({ what }) => what)])]);
        }
      }
    }
    return losses;
  } finally {
    await log.close();
  }
}

interface Detail {
  readonly losses?: readonly { readonly what: string }[];
}

interface Told {
  readonly from: Network;
  readonly about: About | null;
  readonly words: string;
  /** Words of the message that it is about. */
  readonly target: string;
}

async function entriesOf(log: Log): Promise<ReadonlyMap<number, Told>> {
  const all = new Map<number, Told>();
  const subjects = new Map(NETWORKS.map((from) => [subjectOf(SOURCES[from].account, SOURCES[from].channel), from]));
  for (let after = 0, more = true; more;) {
    const entries = await log.read({ subjects: [...subjects.keys()], after, limit: 1_000 });
    for (const { seq, subject, payload } of entries) {
      const { message, about } = decodeStored(payload);
      const files = (message.Extra?.file ?? []).flatMap(({ Name, Comment }) => [Name, Comment]);
      const target = all.get(about?.seq ?? -1)?.words ?? "";
      all.set(seq, { from: subjects.get(subject) ?? "api", about, words: [message.text, ...files].join(" "), target });
    }
    after = entries.at(-1)?.seq ?? 0;
    more = entries.length > 0;
  }
  return all;
}

/** `to`: where it went. */
function isThing(thing: string, to: Network, { from, about, words, target }: Told): boolean {
  switch (thing) {
    case "react":
    case "unreact":
      return about?.is === "reaction" && about.on === (thing === "react") && holds(target, wordOf("reacted", from));
    case "cheer":
      return about?.is === "reaction" && holds(target, wordOf("home", to));
    case "delete":
      return about?.is === "delete" && holds(target, wordOf("deleteed", from));
    case "answer":
      return holds(words, wordOf("answer", from, to));
    default:
      return holds(words, wordOf(thing, from));
  }
}

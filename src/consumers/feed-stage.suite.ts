import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { Gateway } from "../config/config.ts";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { encodeStored, type Stored } from "../gateway/codec.ts";
import { liveRoutes } from "../gateway/live-routes.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../gateway/samples.suite.ts";
import { beginningMarks, joiningMarks, prefixOf } from "../http/api/reader-marks.ts";
import type { Seq, Subject } from "../log/log.ts";
import type { SqliteLogOptions } from "../log/sqlite/open.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import type { EventFilter, FeedItem } from "./feed.ts";
import { openFeed } from "./open-feed.ts";

export const ALL: EventFilter = { gateways: [], types: [], accounts: [], mine: false };
export const OWN = "api.own";
export const GATEWAYS = [
  aGateway("lobby", ["inout net.a #x", "inout net.b #y", "inout api.own api"]),
  aGateway("games", ["inout net.a #g", "inout api.own api", "inout api.other api"]),
  aGateway("away", ["inout net.a #away", "inout net.b #y"]),
];

const storedOf = (stored: Partial<Stored> = {}): Stored => {
  return { message: aMessage(), source: null, about: null, files: [], avatar: null, topic: null, ...stored };
};

interface FeedStageOptions extends Partial<SqliteLogOptions> {
  readonly gateways?: readonly Gateway[];
  readonly begin?: boolean;
  /** Positions up to here were given to no entry, as where several machines write. */
  readonly hole?: Seq;
}

async function leaveHole(dataPath: string, hole: Seq): Promise<void> {
  await (await openAt(dataPath)).close();
  const db = new BetterSqlite3(join(dataPath, "log.sqlite"));
  db.prepare("UPDATE high SET seq = ?").run(hole);
  db.close();
}

/** The feed of `api.own` over a log of its own, in which the gateways have been there from the beginning. */
export async function feedStage({ gateways = GATEWAYS, begin = true, hole = 0, ...options }: FeedStageOptions = {}) {
  const dataPath = scratchFolder();
  if (hole > 0) await leaveHole(dataPath, hole);
  const log = await openAt(dataPath, options);
  const compiled = (next: readonly Gateway[]) => compileRoutes(aConfig(next, [anAccount(OWN)]));
  const routes = liveRoutes(compiled(gateways));
  const { logger, lines } = new MemoryLogger();
  const links = { until: null as number | null };
  const linkFor = (_: string, name: string): string | null =>
    links.until === null ? null : `https://files/${links.until}/${name}`;
  if (begin) await log.mark(beginningMarks(OWN, routes.reads(OWN), 0));
  const open = () => {
    const opened = openFeed({ account: OWN, log, routes, files: { linkFor, linksUntil: () => links.until }, logger });
    onTestFinished(() => opened.close());
    return opened;
  };
  const feed = open();
  const say = async (subject: Subject, stored: Partial<Stored> = {}): Promise<Seq> => {
    const whole = storedOf(stored);
    const entry = { subject, key: null, label: whole.message.event, payload: encodeStored(whole) };
    const appended = await log.append({ account: "net.a", entries: [entry] });
    return appended.is === "stored" ? (appended.seqs[0] ?? 0) : 0;
  };
  return {
    log,
    feed,
    links,
    lines,
    /** Another feed over the same log, as after a restart. */
    open,
    say,
    text: async (subject: Subject, text: string) => await say(subject, { message: aMessage({ text }) }),
    reload: async (next: readonly Gateway[]): Promise<void> => {
      const after = compiled(next);
      const marks = await log.marks(prefixOf(OWN));
      const [before, { head }] = [routes.reads(OWN), log];
      await log.mark(joiningMarks(OWN, { before, after: after.reads(OWN), marks, head }));
      routes.swap(after);
    },
  };
}

/** All that passes after a position, page by page. */
export async function readAll(
  feed: Pick<ReturnType<typeof openFeed>, "read" | "head">,
  filter: EventFilter = ALL,
  { after = 0, limit = 100 }: { readonly after?: Seq; readonly limit?: number } = {},
): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  for (let at = after; ;) {
    const page = await feed.read({ after: at, filter, limit, bytes: 1024 * 1024 });
    items.push(...page.items);
    if (page.next >= feed.head) return items;
    if (page.next <= at) throw new Error(`the feed does not move at ${at}`);
    at = page.next;
  }
}

export const seqsOf = (items: readonly FeedItem[]): readonly Seq[] => items.map(({ seq }) => seq);

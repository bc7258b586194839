import type { Loss, Reason } from "../contract/outcome.ts";
import type { MessageRef, Progress } from "../contract/ids.ts";
import { laneName } from "../delivery/lanes.ts";
import { againSubject, isUnfinished } from "../gateway/again.ts";
import { decodeStored } from "../gateway/codec.ts";
import { type Checkpoint, marksOf, readCheckpoint } from "../delivery/lane/checkpoint.ts";
import type { AccountStatus, LaneStatus } from "../delivery/status.ts";
import type { Routes, Target } from "../gateway/routes.ts";
import { settleSources } from "../gateway/sources.ts";
import { accountOf } from "../gateway/subject.ts";
import type { Log, Receipt, Seq, StoredEntry, Subject } from "../log/log.ts";
import type { Destination } from "./views.ts";
import { isObject, parseAs } from "../lib/shapes.ts";

export interface DestinationOptions {
  readonly log: Pick<Log, "head" | "ids" | "marks" | "read">;
  readonly routes: Routes;
  readonly accounts: readonly AccountStatus[];
}

interface Asked {
  readonly seq: Seq;
  readonly subject: Subject;
  readonly label: string;
  /** The log has let go of it. */
  readonly gone: boolean;
}

/** Every field of `Destination` but the place. */
type Fate = Omit<Destination, "gateway" | "account" | "channel">;
const NO_FATE: Omit<Fate, "state"> = { why: null, remedy: null, retryMs: null, tries: null, refs: [], losses: [] };

/** Why nobody can say where a message has got to: only a damaged log or a newer program has such marks. */
export const UNREADABLE = "where this bridge stands cannot be read from the log";

/**
 * So many places are looked at together: one after the other, each waits for its turn at the log's thread several
 * times.
 */
const TOGETHER = 64;

/** Most messages that may wait at one destination to be sent again, and how much of them is read at once, in bytes. */
export const AGAIN_MAX = 100;
const AGAIN_BYTES = 1024 * 1024;

/**
 * For one question. Where messages have got to, as the marks and receipts of the log say, and for what waits: as its
 * lane says.
 */
export class Destinations {
  readonly #options: DestinationOptions;
  readonly #asked = new Map<string, ReturnType<Log["marks"]>>();

  constructor(options: DestinationOptions) {
    this.#options = options;
  }

  /**
   * Where this message goes by the configuration of now, and where receipts say that it went before. Rejects with the
   * log's LogError.
   */
  async of(asked: Asked, receipts: readonly Receipt[]): Promise<readonly Destination[]> {
    const ends = new Map(receipts.map((receipt) => [receipt.lane, receipt]));
    const targets = this.#options.routes.targets(asked.subject);
    const destinations = await inParts(targets, async (target) => {
      const { gateway, account, channel } = target;
      const lane = laneOf(target);
      const receipt = ends.get(lane);
      const isAgain =
        receipt !== undefined && isUnfinished(receipt.state) && (await this.pending(target))?.has(asked.seq) === true;
      const fate = account.protocol === "api" ? await this.#reader(target, asked) : await this.#lane(target, asked);
      const noted = isAgain
        ? { ...this.#waiting(target, asked.seq, false), refs: await this.#options.log.ids.refs(asked.seq, lane) }
        : await this.#noted(fate, asked, lane, receipt);
      return { gateway, account: account.name, channel, ...noted };
    });
    const named = new Set(targets.map(laneOf));
    const gone = receipts.filter(({ lane }) => !named.has(lane));
    const former = await inParts(gone, async (receipt) => {
      const { lane } = receipt;
      const place = lane.slice(lane.indexOf("/") + 1);
      const [account, channel] = [accountOf(place), place.slice(place.indexOf("/") + 1)];
      const fate = await this.#noted({ ...NO_FATE, state: "unknown" }, asked, lane, receipt);
      return { gateway: accountOf(lane), account, channel, ...fate };
    });
    return [...destinations, ...former];
  }

  /**
   * Messages that wait there to be sent again, or are on their way; null: it cannot be read where that bridge stands.
   * Rejects with the log's LogError.
   */
  async pending(target: Target): Promise<ReadonlySet<Seq> | null> {
    const subject = againSubject(target);
    const pending = new Set<Seq>();
    const stand = await this.#stand(target, subject);
    if (stand === "nowhere") return pending;
    if (stand === "unreadable") return null;
    const { position, since } = stand;
    for (let after: Seq | null = position.after; after !== null;) {
      const query = { subjects: [subject], after, limit: AGAIN_MAX, bytes: AGAIN_BYTES };
      const entries: readonly StoredEntry[] = await this.#options.log.read(query);
      for (const { seq, payload } of entries) {
        const isOver = seq <= since || isSettled(position, seq);
        const again = isOver ? undefined : decodeStored(payload).again;
        if (again !== undefined) pending.add(again.of);
      }
      after = entries.at(-1)?.seq ?? null;
    }
    return pending;
  }

  /** What the receipt says counts before where the lane stands. */
  async #noted(fate: Fate, { seq }: Asked, lane: string, receipt: Receipt | undefined): Promise<Fate> {
    const refs = await this.#options.log.ids.refs(seq, lane);
    if (receipt === undefined)
      return refs.length > 0 && fate.state !== "waiting" ? { ...NO_FATE, state: "sent", refs } : { ...fate, refs };
    const { why, losses = [], messages = [] } = detailOf(receipt);
    // An unconfirmed part is noted before the rest has gone.
    const stands = fate.state === "sending" || fate.state === "waiting" ? fate : { ...NO_FATE, state: receipt.state };
    return { ...stands, why: why?.message ?? stands.why, refs: refs.length > 0 ? refs : messages, losses };
  }

  async #lane(target: Target, { seq, subject, label, gone }: Asked): Promise<Fate> {
    const stand = await this.#stand(target, subject);
    if (stand === "nowhere") return { ...NO_FATE, state: "unknown" };
    if (stand === "unreadable") return { ...NO_FATE, state: "unknown", why: UNREADABLE };
    const { position, since } = stand;
    if (seq <= since) return { ...NO_FATE, state: "before" };
    if (!isSettled(position, seq)) return this.#waiting(target, seq, position.next?.seq === seq);
    if (gone) return { ...NO_FATE, state: "unknown" };
    return { ...NO_FATE, state: label === "" ? "sent" : "settled" };
  }

  async #stand(target: Target, subject: Subject): Promise<Stand | "nowhere" | "unreadable"> {
    const names = marksOf(laneOf(target));
    const value = (await this.#marks(names.checkpoint)).get(names.checkpoint);
    if (value === undefined) return "nowhere";
    const position = readCheckpoint(value);
    const since = sinceOf((await this.#marks(names.sources)).get(names.sources), subject);
    return position === null || since === null ? "unreadable" : { position, since };
  }

  /** As they were when this question first needed them. */
  #marks(prefix: string): Promise<ReadonlyMap<string, string>> {
    const asked = this.#asked.get(prefix) ?? this.#options.log.marks(prefix);
    this.#asked.set(prefix, asked);
    return asked;
  }

  #waiting({ account: { key }, gateway, channel }: Target, seq: Seq, begun: boolean): Fate {
    const account = this.#options.accounts.find((each) => each.key === key);
    const room = account?.channels.find((each) => each.channel === channel);
    const lane = room?.lanes.find((each: LaneStatus) => each.gateway === gateway);
    const reasons = [lane, room, account].filter((each) => each !== undefined);
    const { why, remedy } = reasons.find((each) => each.why !== null) ?? NO_FATE;
    // A lane that waits for its account knows the reason, and the account the time.
    const retryMs = reasons.find((each) => each.retryMs !== null)?.retryMs ?? null;
    // Those behind it wait for their turn.
    const isFirst = lane?.oldest?.seq === seq;
    const state = begun || (isFirst && lane.state === "sending") ? "sending" : "waiting";
    const tries = isFirst ? lane.oldest.tries : null;
    return { ...NO_FATE, state, why: wordsOf(why), remedy, retryMs, tries };
  }

  /** A reader of the API: what its positions have passed was handed out, or has fallen out of its buffer. */
  async #reader({ account, gateway }: Target, { seq, subject }: Asked): Promise<Fate> {
    const prefix = `api/${account.key}/`;
    const marks = await this.#marks(prefix);
    const since = sinceOf(marks.get(`${prefix}since/${gateway}`), subject);
    if (since === null) return { ...NO_FATE, state: "unknown", why: UNREADABLE };
    if (seq <= since) return { ...NO_FATE, state: "before" };
    const read = ["poll", "stream", "websocket"].map((name) => Number(marks.get(prefix + name) ?? 0));
    return { ...NO_FATE, state: Math.max(...read) >= seq ? "read" : "unread" };
  }
}

async function inParts<T, R>(all: readonly T[], task: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += TOGETHER) {
    results.push(...(await Promise.all(all.slice(at, at + TOGETHER).map(task))));
  }
  return results;
}

/** Of a lane. `since`: entries of the subject up to here are not for it. */
interface Stand {
  readonly position: Checkpoint;
  readonly since: Seq;
}

/** As settle.ts writes it. */
interface Detail {
  readonly from?: Progress;
  readonly gap?: boolean;
  readonly why?: Reason;
  readonly losses?: readonly Loss[];
  readonly messages?: readonly MessageRef[];
}

const isDetail = (value: unknown): value is Detail => isObject(value);

/** Nothing, where a failing disk has left something else. */
export function detailOf({ detail }: Receipt): Detail {
  try {
    return parseAs(detail, isDetail);
  } catch {
    return {};
  }
}

const laneOf = (target: Target): string => laneName(target);

const wordsOf = (why: Reason | string | null): string | null =>
  typeof why === "string" ? why : (why?.message ?? null);

/** Since when a reader with this mark hears the subject; null: it cannot be read. */
function sinceOf(sources: string | undefined, subject: Subject): Seq | null {
  try {
    return settleSources(sources, [subject], 0).since.get(subject) ?? 0;
  } catch {
    return null;
  }
}

function isSettled({ after, done = [] }: Checkpoint, seq: Seq): boolean {
  return seq <= after || done.includes(seq);
}

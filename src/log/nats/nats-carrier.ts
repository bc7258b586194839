import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import type { JsMsg } from "@nats-io/jetstream";
import { LogError } from "../errors.ts";
import { type EpochClaim, type Fence, isVoid, LOG_ACCOUNT } from "../fence.ts";
import type { Carrier, CarrierSite } from "../sqlite/carrier.ts";
import { type Commit } from "../sqlite/group-commit.ts";
import type { CommittedReply } from "../sqlite/protocol.ts";
import type { StreamPlace, StreamState } from "../sqlite/stream-place.ts";
import { tailOf } from "../sqlite/tail-of.ts";
import { encodeClaims, encodeCommit, type MessageId } from "./codec.ts";
import { Epochs } from "./epochs.ts";
import {
  behind,
  closed,
  DELETED,
  diverged,
  PARTS_LOST,
  STORED_BEFORE,
  STORED_LATER,
  type StreamFaults,
  StreamFaultCounter,
  unclear,
  unimported,
} from "./faults.ts";
import { FOLLOWS, Follows, followsText } from "./follows.ts";
import { commitOf, type Label, labelOf, NO_COMMIT } from "./messages.ts";
import { Parts } from "./parts.ts";
import { Publisher, type Publishing } from "./publisher.ts";
import { StreamReader } from "./reader.ts";
import type { CommitStream } from "./stream.ts";
import { decodeVote, encodeVote, Votes } from "./votes.ts";

/** Seqs that one message of the stream has to itself; what needs more takes from the next. */
const SEQS = 1024;
/** Most commits that the worker has at a time. */
const APPLYING = 16;
/**
 * A commit that the servers have and that does not come makes the reader begin anew, in ms: what they kept of it went
 * with one of them. The client sees that for itself after twice as long at best.
 */
const OVERDUE_MS = 1000;
/** What cannot be applied for so long, in ms, and so often, is not left to pass by itself: the node is stuck. */
const STUCK_MS = 1000;
const STUCK_TRIES = 2;
/** So long the states of other nodes are waited for, once two are not the same, in ms. */
const JUDGE_MS = 5000;
/** `isLost`: parts of it are missing, for good. */
type Arrived = Pick<MessageId, "node" | "run" | "is" | "number"> &
  Pick<StreamPlace, "sum"> & { readonly isLost: boolean };

interface Pending {
  readonly number: number;
  /** Its place in the stream, once the servers have acknowledged it. */
  at: number | null;
  readonly done: (reply: CommittedReply | LogError) => void;
}

/** Brings the commits of this node into the stream, and those of all to the log, in the order of the stream. */
export class NatsCarrier implements Carrier {
  readonly groupEntries = 512;
  readonly failed: Promise<LogError>;
  readonly fence: Fence;
  readonly #epochs: Epochs;
  readonly #stream: CommitStream;
  readonly #node: string;
  readonly #stamp: (serverMs: number) => number;
  readonly #fail: (error: LogError) => void;
  readonly #warn: (error: LogError) => void;
  readonly #isShortened: () => Promise<boolean>;
  readonly #parts = new Parts();
  readonly #publisher: Publisher;
  readonly #waiting: { readonly seq: number; readonly tell: () => void }[] = [];
  readonly #votes: Votes;
  readonly #follows: Follows;
  readonly #faults: StreamFaultCounter;
  readonly #judgeMs: number;
  #isEnding = false;
  #judging: NodeJS.Timeout | undefined;
  #site: CarrierSite | null = null;
  #reader: StreamReader | null = null;
  #watch: NodeJS.Timeout | undefined;
  #pending: Pending | null = null;
  #number = 0;
  /** Place of the last commit that the worker has, and of the last it has stored. */
  #given: number;
  #applied: number;
  /** Where to read after a restart. */
  #resume: number;
  /** Everything up to here was read; up to `#seen` it was also applied, if it is a commit. */
  #read: number;
  #seen: number;
  #applying = 0;
  /** Counts the times that the reader began anew: what was under way before does not count. */
  #round = 0;
  #room: (() => void) | null = null;
  /** Why the last commit could not be applied, since when none could, and how often it was tried. */
  #trouble: { readonly error: LogError; readonly sinceMs: number; readonly tries: number } | null = null;

  constructor(options: {
    readonly stream: CommitStream;
    readonly node: string;
    readonly state: StreamState;
    readonly stamp: (serverMs: number) => number;
    readonly warn: (error: LogError) => void;
    readonly isShortened: () => Promise<boolean>;
    readonly doubtMs?: number;
    readonly judgeMs?: number;
  }) {
    const { stream, node, state } = options;
    this.#stream = stream;
    this.#node = node;
    this.#votes = new Votes(node);
    this.#judgeMs = options.judgeMs ?? JUDGE_MS;
    this.#stamp = options.stamp;
    this.#warn = options.warn;
    this.#isShortened = options.isShortened;
    this.#given = this.#applied = this.#read = this.#seen = state.applied;
    this.#follows = new Follows(state.commits);
    this.#faults = new StreamFaultCounter(stream.name, node, options.warn);
    this.#resume = state.resume;
    const { promise, resolve } = Promise.withResolvers<LogError>();
    this.failed = promise;
    this.#fail = resolve;
    this.#publisher = new Publisher(stream, options.doubtMs);
    void stream.nc.closed().then((error) => {
      if (!this.#isEnding) resolve(closed(error instanceof Error ? `: ${error.message}` : ""));
    });
    // Of this process alone: one that has been restarted has to raise epochs of its own.
    const own = { node, run: randomUUID() };
    this.fence = this.#epochs = new Epochs(own, state.held, (...of) => this.#claim(...of));
  }

  /** Where nobody holds the log, all may: to delete the same twice is to delete it once. */
  get sweeps(): boolean {
    return !isVoid(this.#epochs.current(LOG_ACCOUNT), this.epochOf(LOG_ACCOUNT));
  }

  epochOf(account: string): number {
    return this.#epochs.epochOf(account);
  }

  get isStuck(): boolean {
    if (this.#trouble === null || this.#trouble.tries < STUCK_TRIES) return false;
    return performance.now() - this.#trouble.sinceMs >= STUCK_MS;
  }

  /** What the stream has that it should not have, and what it lacks, since this process began. */
  get faults(): StreamFaults {
    return this.#faults.counts;
  }

  attach(site: CarrierSite): void {
    this.#site = site;
    const reader = new StreamReader({
      stream: this.#stream,
      from: () => this.#resume,
      take: (message) => this.#take(message),
      isShortened: this.#isShortened,
    });
    this.#reader = reader;
    void reader.ended.then((error) => error !== null && this.#fail(error));
    this.#watch = setInterval(() => this.#look(), 500).unref();
  }

  send(commit: Commit, done: (reply: CommittedReply | LogError) => void): void {
    const number = ++this.#number;
    const pending: Pending = { number, at: null, done };
    this.#pending = pending;
    const id = { ...this.#epochs.own, is: "commit" as const, number };
    const last = this.#follows.last(this.#node);
    void this.#publisher
      .publish(id, encodeCommit(commit), {
        isWanted: () => this.#pending === pending,
        doubt: (error) => this.#site?.abandon(error),
        ...(last !== null && { headers: { [FOLLOWS]: followsText(last) } }),
      })
      .then((stored) => {
        if (stored instanceof LogError) return this.#settle(pending, stored);
        pending.at = stored;
        this.#see(this.#seen);
      });
  }

  /** Resolves when everything up to this place of the stream was applied here. */
  reached(seq: number): Promise<void> {
    if (this.#seen >= seq) return Promise.resolve();
    return new Promise((tell) => this.#waiting.push({ seq, tell }));
  }

  /** See NatsLog. */
  refuseWhile(isCutOff: () => boolean): void {
    this.#publisher.isCutOff = isCutOff;
  }

  end(): void {
    this.#isEnding = true;
    this.#publisher.end();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    clearTimeout(this.#judging);
    this.#round += 1;
    this.#room?.();
    this.#reader?.stop();
    // What the reader asks of servers that are gone ends with the connection.
    await this.#stream.nc.close();
    await this.#reader?.ended;
  }

  async #take(message: JsMsg): Promise<void> {
    const seq = message.info.streamSequence;
    const label = labelOf(message);
    if (label === null) return this.#skip(seq);
    // What a stream begins with comes with a snapshot: a log that has to read it is not that log.
    if (label.is === "import" && seq > this.#given) throw unimported(this.#stream.name);
    const at = Math.floor(message.info.timestampNanos / 1_000_000);
    if (label.is === "vote") this.#hear(label.node, message.data);
    const body = this.#parts.add(label, message.data, seq, at);
    if (body === null || seq <= this.#given) return this.#pass(seq);
    const isLost = body === "lost";
    const commit = isLost ? NO_COMMIT : commitOf(label, body);
    if (commit === null) return this.#skip(seq);
    this.#compare(label, isLost);
    const sum = crc32(isLost ? "" : body);
    this.#apply({ ...commit, at: this.#stamp(at) }, { ...label, isLost, sum }, seq);
    if (this.#applying >= APPLYING) await new Promise<void>((resolve) => (this.#room = resolve));
  }

  /** Leaves no trace in the log: somebody may delete the message before other nodes read it. */
  #skip(seq: number): void {
    this.#faults.skip(seq);
    this.#pass(seq);
  }

  /** Whether commits of its node are missing before this one, or parts of it. */
  #compare({ node, run, is, number, follows }: Label, isLost: boolean): void {
    if (is !== "commit") return;
    const isBehindGap = !this.#follows.take(node, { run, number }, follows);
    if (isBehindGap || isLost) this.#faults.gap(node);
  }

  /** Nothing is to be applied at this place. */
  #pass(seq: number): void {
    this.#read = Math.max(seq, this.#read);
    if (this.#applying === 0) this.#see(this.#read);
  }

  #apply(commit: Commit, { node, run, is, number, isLost, sum }: Arrived, seq: number): void {
    const place: StreamPlace = {
      seq,
      after: this.#given,
      resume: this.#parts.resume(seq),
      from: seq * SEQS,
      node,
      run,
      number: is === "commit" ? number : 0,
      sum,
    };
    const round = this.#round;
    this.#given = seq;
    this.#read = Math.max(seq, this.#read);
    this.#applying += 1;
    this.#site?.apply(
      commit,
      (reply) => {
        this.#applying -= 1;
        this.#room?.();
        this.#room = null;
        if (reply instanceof LogError) return round === this.#round ? this.#stumble(reply) : undefined;
        this.#trouble = null;
        this.#applied = seq;
        this.#resume = place.resume;
        this.#tell(commit, { node, run, is, number, isLost, sum }, reply);
        this.#see(seq);
        if (this.#applying === 0) this.#see(this.#read);
        if (reply.state !== undefined) this.#vote(seq, reply.state);
      },
      place,
    );
  }

  #tell(commit: Commit, { node, run, is, number, isLost }: Arrived, reply: CommittedReply): void {
    const isOwn = node === this.#node && run === this.#epochs.own.run;
    if (is === "claim") return this.#epochs.applied(reply.raised ?? [], isOwn ? number : null);
    if (is === "commit" && isOwn && this.#pending?.number === number) {
      const stored = isLost ? PARTS_LOST : reply;
      this.#settle(this.#pending, reply.fate === "taken" ? stored : STORED_BEFORE);
    } else if (reply.fate === "taken") {
      this.#site?.publish(tailOf(commit, reply));
    }
  }

  /** Tells the others the state of this node, and compares it with theirs. */
  #vote(place: number, state: string): void {
    this.#count(place, this.#node, state);
    const id = { ...this.#epochs.own, is: "vote" as const, number: place };
    // One that does not come through is missing in one comparison.
    void this.#publisher.publish(id, encodeVote({ place, state }), {
      isWanted: () => !this.#isEnding,
      doubt: () => undefined,
    });
  }

  #hear(node: string, data: Uint8Array): void {
    const vote = decodeVote(data);
    if (vote !== null && node !== this.#node) this.#count(vote.place, node, vote.state);
  }

  #count(place: number, node: string, state: string): void {
    if (!this.#votes.add(place, node, state) || this.#judging !== undefined) return;
    // Those who are a little behind have a voice as well.
    this.#judging = setTimeout(() => {
      this.#judging = undefined;
      const verdict = this.#votes.judge(place, this.#epochs.current(LOG_ACCOUNT).node);
      if (verdict === "outvoted") this.#fail(diverged(this.#node, place));
      if (verdict === "unclear") this.#warn(unclear(this.#node, place));
    }, this.#judgeMs).unref();
  }

  #settle(pending: Pending, outcome: CommittedReply | LogError): void {
    if (this.#pending !== pending) return;
    this.#pending = null;
    pending.done(outcome);
  }

  /** A commit could not be applied: those after it, which the worker refuses, come again with it. */
  #stumble(error: LogError): void {
    if (error.code === "damaged" || error.code === "closed") return this.#fail(error);
    const told = error.code === "disk_full" ? behind(this.#node, error) : error;
    const isNew = this.#trouble?.error.code !== told.code;
    const { sinceMs = performance.now(), tries = 0 } = this.#trouble ?? {};
    this.#trouble = { error: told, sinceMs, tries: tries + 1 };
    // Without an append of its own a node would be behind and say nothing.
    if (isNew) this.#warn(told);
    this.#again();
  }

  #again(): void {
    this.#round += 1;
    this.#given = this.#read = this.#applied;
    this.#parts.clear();
    this.#reader?.restart();
  }

  #see(seq: number): void {
    this.#seen = Math.max(seq, this.#seen);
    while (this.#waiting[0] !== undefined && this.#waiting[0].seq <= this.#seen) this.#waiting.shift()?.tell();
    if (this.#pending !== null && this.#pending.at !== null && this.#pending.at <= this.#seen) {
      this.#lose(this.#pending);
    }
  }

  /** Its commit was deleted from the stream before it came back. */
  #lose(pending: Pending): void {
    if (this.#pending !== pending) return;
    // The next commit names it, so that the other nodes notice the gap as well.
    this.#follows.take(this.#node, { run: this.#epochs.own.run, number: pending.number }, null);
    this.#faults.gap(this.#node);
    this.#settle(pending, DELETED);
  }

  /** A commit that does not come may have been deleted behind all that comes. */
  async #lookFor(pending: Pending, at: number): Promise<void> {
    const { jsm, name } = this.#stream;
    const found = await jsm.streams.getMessage(name, { seq: at }).catch(() => undefined);
    if (found === null) this.#lose(pending);
  }

  #look(): void {
    if (this.#pending === null) return;
    // The servers have it, and here it will not come to be applied in time.
    if (this.#publisher.isOver) return this.#settle(this.#pending, STORED_LATER);
    const { stored } = this.#publisher;
    // What has come and is not applied yet would only come again.
    const hasCome = stored === null || stored.seq <= this.#given || this.#applying >= APPLYING;
    if (!hasCome && performance.now() - stored.sinceMs > OVERDUE_MS) {
      this.#publisher.stored = { seq: stored.seq, sinceMs: performance.now() };
      if (this.#pending.at !== null) void this.#lookFor(this.#pending, this.#pending.at);
      this.#again();
    }
    this.#site?.refuse(this.#publisher.patienceMs, this.#trouble?.error ?? this.#publisher.unreachable());
  }

  async #claim(number: number, claims: readonly EpochClaim[], how: Publishing): Promise<LogError | null> {
    const id = { ...this.#epochs.own, is: "claim" as const, number };
    const outcome = await this.#publisher.publish(id, encodeClaims(claims), how);
    return outcome instanceof LogError ? outcome : null;
  }
}

import type { Account } from "../../config/config.ts";
import type { FileId } from "../../contract/ids.ts";
import { EventLabel, type Message } from "../../contract/message.ts";
import { fileId } from "../../files/file-id.ts";
import { aboutReply } from "../../gateway/acts.ts";
import { decode, encode, encodeStored, isBare } from "../../gateway/codec.ts";
import { type Drop, droppedPost, type DropReason, type OnDrop } from "../../gateway/drops.ts";
import { compileMatcher } from "../../gateway/filters.ts";
import { ACTS, fullMessage, hasFullEvents } from "../../gateway/full-events.ts";
import type { Inbound } from "../../gateway/inbound.ts";
import { postedNote } from "../../gateway/posted.ts";
import type { PostingTarget, Routes } from "../../gateway/routes.ts";
import { LogError } from "../../log/errors.ts";
import type { Appended, Log, NewEntry, Seq } from "../../log/log.ts";
import { isUnknown } from "../../log/unknown-outcome.ts";
import type { Logger } from "../../logger.ts";
import type { ReadWriteLock } from "../../lib/read-write-lock.ts";
import { Throttle } from "../../lib/throttle.ts";
import { act, findTarget, type PostResult, type PostPlace } from "./acting.ts";
import { extraOf, type FileDraft } from "./file-drafts.ts";
import { type AddressOf, withPublished } from "./published-files.ts";
import { type Draft, reservedEvent } from "./post-body.ts";
import { explain, shorten } from "./posting-refusal.ts";
import { problem, type HttpProblem, notStored } from "./problem.ts";
import type { Said, SayOutcome, SayScene, Speech } from "./say.ts";
import { SerialQueue } from "./serial-queue.ts";
import { Passing, passThrough, type OutcomeWaiter } from "./waiter.ts";

export type Ingested =
  /** `line` is the whole message as JSON; `stored` says whether it was relayed or only answered. */
  | { readonly ok: true; readonly line: string; readonly stored: boolean }
  | { readonly ok: false; readonly problem: HttpProblem };

export interface OnceKey {
  readonly key: string;
  /** Digest of the request, to tell a repeat from another message under the same key. */
  readonly fingerprint: string;
}

/** Who waits for the end of a post. `failed`: with a bug, or with a LogError `unknown`. */
export type Poster = OutcomeWaiter<Ingested>;

export interface IngestDeps {
  readonly account: Account;
  readonly log: Log;
  readonly routes: Routes;
  readonly inbound: Inbound;
  readonly logger: Logger;
  readonly nowMs: () => number;
  /** Passed by every post, from the look at the routes until it is stored; absent: these never change. */
  readonly lock?: ReadWriteLock;
  /**
   * Keeps the content of a file for networks, so that they need not read it out of the message: its SHA-256, null when
   * it is not kept. Rejects with a LogError when its message is to be refused. Absent: no content is kept.
   */
  readonly keepFile?: (content: Uint8Array, name: string) => Promise<string | null>;
  /** Kept files get addresses, so they are kept for readers of the API as well. Absent: there is no media server. */
  readonly addressOf?: AddressOf;
  /** Absent: nobody asks what was dropped. */
  readonly onDrop?: OnDrop;
}

const REFUSAL_LOG_MS = 60_000;
const REFUSAL_LOG_LINES = 20;

/**
 * Takes what clients of one API account post: routes it, applies the account's filters, and appends it to the log, in
 * the order of the calls.
 */
export class Ingest {
  #deps: IngestDeps;
  #acting: SayScene;
  readonly #isFull: boolean;
  readonly #refusals: Throttle;
  readonly #turns = new SerialQueue();
  readonly #audiences = new Map<string, Audience>();
  readonly #dropped = new Map<DropReason, number>();
  #accepted = 0;
  #keepsIds = false;
  #stamp = { ms: Number.NaN, text: "" };

  constructor(deps: IngestDeps) {
    this.#deps = deps;
    this.#acting = this.#actingOf(deps);
    this.#isFull = hasFullEvents(deps.account);
    this.#refusals = new Throttle({ windowMs: REFUSAL_LOG_MS, perWindowMax: REFUSAL_LOG_LINES, nowMs: deps.nowMs });
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** How many messages a filter dropped, by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dropped);
  }

  /** Other filters and transforms from now on, and other routes. */
  change({ account, inbound }: Pick<IngestDeps, "account" | "inbound">): void {
    this.#deps = { ...this.#deps, account, inbound };
    this.#acting = this.#actingOf(this.#deps);
    this.#audiences.clear();
  }

  /** Resolves once the message is durable, or with the reason why it is not. */
  post(draft: Draft, once: OnceKey | null): Promise<Ingested> {
    return new Promise((resolve, reject) => this.postThen(draft, once, { answered: resolve, failed: reject }));
  }

  /** The same without a promise where nothing has to be waited for but the disk. */
  postThen(draft: Draft, once: OnceKey | null, poster: Poster): void {
    passThrough(this.#deps.lock, poster, (inside) => this.#post(draft, once, inside));
  }

  /** Messages are known by their ids from now on, whoever reads them: `/v1` is in use. */
  keepIds(): void {
    this.#keepsIds = true;
    this.#audiences.clear();
  }

  /** For `/v1`: says something in the order of the posts. It is told of LogErrors as failures. */
  sayThen(speech: Speech): void {
    passThrough(this.#deps.lock, speech, (inside) => {
      const ready = this.#turns.take(() => speech.make(this.#acting));
      if (!(ready instanceof Promise)) return this.#store(ready, inside);
      ready.then((said) => this.#store(said, inside)).catch((error: unknown) => inside.failed(error));
    });
  }

  /** The same for what acts on a message: what comes after it waits until it is stored. */
  actThen(speech: Speech): void {
    passThrough(this.#deps.lock, speech, (inside) => {
      const acting = this.#turns.take(async () => {
        const said = await speech.make(this.#acting);
        await new Promise<void>((leave) => this.#store(said, new Passing(inside, { leave })));
      });
      Promise.resolve(acting).catch((error: unknown) => inside.failed(error));
    });
  }

  #store(said: Said, waiter: OutcomeWaiter<SayOutcome>): void {
    const { batch, dropped } = said;
    if (dropped !== null) this.#drop(dropped.message, dropped.drop);
    if (batch === null) return waiter.answered({ said, appended: null });
    this.#deps.log.appendThen(batch, (appended) => {
      if (appended instanceof LogError) return waiter.failed(appended);
      if (appended.is === "stored") this.#accepted += batch.entries.length;
      waiter.answered({ said, appended });
    });
  }

  #actingOf(deps: IngestDeps): SayScene {
    const ignoresNick = compileMatcher(deps.account.presentation.ignoreNicks);
    return { ...deps, ignoresNick, stamp: () => this.#timestamp(this.#deps.nowMs()) };
  }

  #drop(message: Message, drop: Drop): void {
    this.#dropped.set(drop.reason, (this.#dropped.get(drop.reason) ?? 0) + 1);
    const { account, logger, onDrop, nowMs } = this.#deps;
    onDrop?.(droppedPost(message, drop, nowMs()));
    logger.debug({ account: account.name, gateway: message.gateway, reason: drop.reason }, "message not relayed");
  }

  #post(draft: Draft, once: OnceKey | null, poster: Poster): void {
    try {
      const begun = this.#begin(draft, once, poster);
      if (begun instanceof Promise) begun.catch((error: unknown) => this.#fail(error, poster));
    } catch (error) {
      this.#fail(error, poster);
    }
  }

  #begin(draft: Draft, once: OnceKey | null, poster: Poster): void | Promise<void> {
    const { account, routes } = this.#deps;
    const posting = routes.posting(account.key, draft.gateway === "" ? null : draft.gateway);
    if (posting.is !== "ok") return poster.answered({ ok: false, problem: this.#refuse(posting, draft.gateway) });
    if (draft.event === EventLabel.delete && !this.#isFull)
      return poster.answered({ ok: false, problem: reservedEvent(EventLabel.delete) });
    if (this.#isFull && ACTS.has(draft.event)) return this.#turns.take(() => this.#act(draft, posting, once, poster));
    const ready = this.#turns.take(() => this.#prepare(draft, posting));
    if (!(ready instanceof Promise)) return this.#take(ready, posting, once, poster);
    return ready.then((made) => this.#take(made, posting, once, poster));
  }

  #fail(error: unknown, poster: Poster): void {
    if (!(error instanceof LogError) || isUnknown(error)) return poster.failed(error);
    this.#report(error.code, { why: error.message });
    poster.answered({ ok: false, problem: notStored(error) });
  }

  #take({ posted, files }: Ready, at: PostPlace, once: OnceKey | null, poster: Poster): void {
    if (posted.is === "refused") return poster.answered({ ok: false, problem: posted.problem });
    if (posted.is === "entry") return this.#append(posted, files, at, once, poster);
    const { message, drop } = posted;
    this.#drop(message, drop);
    const line = encode(message);
    if (once === null) return poster.answered({ ok: true, line, stored: false });
    const batch = { account: this.#deps.account.key, entries: [], once: { ...once, answer: line } };
    this.#deps.log.appendThen(batch, (outcome) => this.#answer(outcome, () => line, at, once, poster));
  }

  /** What is to be stored; a promise only where something has to be looked up or kept first. */
  #prepare(draft: Draft, at: PostPlace): Ready | Promise<Ready> {
    const message = this.#message(draft, at.gateway);
    const verdict = this.#deps.inbound(message);
    if (verdict.is === "drop") return { posted: { is: "drop", message, drop: verdict }, files: [] };
    // A label of a client that cannot name messages acts on none.
    const label = ACTS.has(message.event) ? "" : message.event;
    const posted: PostResult = { is: "entry", message: verdict.message, label, about: null, note: null };
    const answers = this.#isFull && draft.parent_id !== "";
    if (!answers && !this.#keeps(draft.files, at)) return { posted, files: [] };
    return this.#sayMore(posted, answers ? draft.parent_id : "", draft.files, at);
  }

  /** What comes after it waits until it is stored: what is looked up then is the message as this one leaves it. */
  async #act(draft: Draft, at: PostPlace, once: OnceKey | null, poster: Poster): Promise<void> {
    const posted = await act(this.#message(draft, at.gateway), draft.id, at, this.#acting);
    const ready = posted.is === "entry" ? await this.#keep(posted, draft.files, at) : { posted, files: [] };
    await new Promise<void>((leave) => this.#take(ready, at, once, new Passing(poster, { leave })));
  }

  /** A parent that nobody knows is no reason to lose what was said: it travels as given. */
  async #sayMore(posted: PostedEntry, parent: string, given: readonly FileDraft[], at: PostPlace): Promise<Ready> {
    const target = parent === "" ? null : await findTarget(parent, at, this.#acting);
    const about = aboutReply(target, null);
    return await this.#keep({ ...posted, about }, given, at);
  }

  #keeps(given: readonly FileDraft[], { subject }: PostPlace): boolean {
    const { keepFile, addressOf } = this.#deps;
    if (given.length === 0 || keepFile === undefined) return false;
    const { network, readers } = this.#audience(subject);
    return (network || (readers && addressOf !== undefined)) && given.some(({ content }) => content !== null);
  }

  /** `given`: the content of its files, as long as it has some. */
  async #keep(posted: PostedEntry, given: readonly FileDraft[], at: PostPlace): Promise<Ready> {
    const { keepFile, addressOf } = this.#deps;
    if (keepFile === undefined || !this.#keeps(given, at)) return { posted, files: [] };
    const files: (FileId | null)[] = [];
    for (const { content, Name } of given) {
      const sha256 = content === null ? null : await keepFile(content, Name);
      files.push(sha256 === null ? null : fileId({ is: "stored", sha256 }));
    }
    if (addressOf === undefined) return { posted, files };
    return { posted: { ...posted, message: await withPublished(posted.message, given, files, addressOf) }, files };
  }

  #audience(subject: string): Audience {
    let audience = this.#audiences.get(subject);
    if (audience === undefined) {
      const accounts = this.#deps.routes.targets(subject).map(({ account }) => account);
      const network = accounts.some(({ protocol }) => protocol !== "api");
      const readers = accounts.some(({ key, protocol }) => protocol === "api" && key !== this.#deps.account.key);
      audience = {
        network,
        readers,
        refers: network || this.#isFull || this.#keepsIds || accounts.some(hasFullEvents),
      };
      this.#audiences.set(subject, audience);
    }
    return audience;
  }

  /** Many messages come within one millisecond. */
  #timestamp(nowMs: number): string {
    if (nowMs !== this.#stamp.ms) this.#stamp = { ms: nowMs, text: new Date(nowMs).toISOString() };
    return this.#stamp.text;
  }

  #message(draft: Draft, gateway: string): Message {
    const { account } = this.#deps;
    return {
      text: draft.text,
      channel: "api",
      username: draft.username,
      userid: draft.userid,
      avatar: draft.avatar,
      account: account.name,
      event: draft.event,
      protocol: account.protocol,
      gateway,
      parent_id: draft.parent_id,
      timestamp: this.#timestamp(this.#deps.nowMs()),
      id: "",
      Extra: extraOf(draft.files),
      ...(draft.hops > 0 ? { hops: draft.hops } : {}),
    };
  }

  #append(
    { message, label, about, note }: PostedEntry,
    files: readonly (FileId | null)[],
    at: PostPlace,
    once: OnceKey | null,
    poster: Poster,
  ): void {
    const { account, log } = this.#deps;
    const { subject } = at;
    const payload = encodeStored({ message, source: null, about, files, avatar: null, topic: null });
    const answerOf = (seq: Seq | null): string => {
      if (this.#isFull) return encode(fullMessage(message, about, seq));
      return isBare(payload) ? payload : encode(message);
    };
    // A message about another has a note already; what nobody can refer to needs none.
    const said = note === null && this.#audience(subject).refers;
    const refs = once !== null && this.#isFull ? [onceRef(once.key, message.timestamp)] : [];
    const own = said ? postedNote(message, account, refs) : note;
    const entry: NewEntry =
      own === null ? { subject, key: null, label, payload } : { subject, key: null, label, payload, note: own };
    const batch = { account: account.key, entries: [entry] };
    log.appendThen(once === null ? batch : { ...batch, once: { ...once, answer: answerOf(null) } }, (outcome) => {
      if ("is" in outcome && outcome.is === "stored") this.#accepted += 1;
      this.#answer(outcome, answerOf, at, once, poster);
    });
  }

  #answer(
    outcome: Appended | LogError,
    answerOf: (seq: Seq | null) => string,
    at: PostPlace,
    once: OnceKey | null,
    poster: Poster,
  ): void {
    try {
      if (outcome instanceof LogError) return this.#fail(outcome, poster);
      switch (outcome.is) {
        case "stored": {
          const [seq = null] = outcome.seqs;
          return poster.answered({ ok: true, line: answerOf(seq), stored: seq !== null });
        }
        case "repeated":
          return this.#repeat(outcome.answer, at, once, poster);
        case "conflict":
          return poster.answered({ ok: false, problem: OTHER_BODY });
      }
    } catch (error) {
      this.#fail(error, poster);
    }
  }

  #repeat(answer: string, { subject }: PostPlace, once: OnceKey | null, poster: Poster): void {
    if (!this.#isFull || once === null) return poster.answered({ ok: true, line: answer, stored: false });
    this.#withId(answer, subject, once).then(
      (line) => poster.answered({ ok: true, line, stored: false }),
      (error: unknown) => this.#fail(error, poster),
    );
  }

  /** The first answer was stored together with its message, before that had an id. */
  async #withId(answer: string, subject: string, { key }: OnceKey): Promise<string> {
    const message = decode(answer);
    const known = message.id === "" ? await this.#deps.log.ids.find(subject, [onceRef(key, message.timestamp)]) : null;
    return known === null ? answer : encode({ ...message, id: String(known.seq) });
  }

  /** Some clients try again without a pause: one line a minute for each gateway and kind, with the number held back. */
  #report(kind: string, fields: Readonly<Record<string, unknown>>): void {
    const { passes, suppressed } = this.#refusals.pass(kind);
    const account = this.#deps.account.name;
    if (passes) this.#deps.logger.warn({ account, ...fields, repeated: suppressed }, "messages are refused");
  }

  #refuse(posting: Exclude<PostingTarget, { is: "ok" }>, named: string): HttpProblem {
    const refusal = explain(posting, named);
    this.#report(`${posting.is} ${shorten(named)}`, { status: refusal.status, why: refusal.message });
    return refusal;
  }
}

const OTHER_BODY = problem(
  422,
  "this Idempotency-Key was used with another body in the last 24 h; use a new key for a new message",
);

type PostedEntry = Extract<PostResult, { is: "entry" }>;

interface Ready {
  readonly posted: PostResult;
  /** As for `Stored`. */
  readonly files: readonly (FileId | null)[];
}

/** Who gets what is posted to a gateway. `refers`: somebody there can speak of it later. */
interface Audience {
  readonly network: boolean;
  /** Other accounts of the API. */
  readonly readers: boolean;
  readonly refers: boolean;
}

/** Finds a message again when its post is repeated; the time keeps a key apart that is used again after a day. */
const onceRef = (key: string, timestamp: string): string => `once ${timestamp} ${key}`;

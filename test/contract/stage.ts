import type { Opened } from "../../src/contract/adapter.ts";
import type { Capabilities } from "../../src/contract/capabilities.ts";
import type { SharedFile, Style } from "../../src/contract/content.ts";
import type { ChannelRef, OpId, Progress } from "../../src/contract/ids.ts";
import type { OpAuthor, PostOp } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { ChannelRequest, Session } from "../../src/contract/session.ts";
import type { Ground, Harness, Heard, Person, Settings } from "./harness.ts";
import { within } from "../support/wait.ts";
import { RecordingAttempt } from "./recording-attempt.ts";
import { RecordingHost } from "./recording-host.ts";
import { plainBody } from "./texts.ts";

export const ALICE: OpAuthor = { id: "origin-alice", name: "alice", shown: "<alice> ", avatar: null };

/** A session with one channel entered and one person in it. */
export interface Room {
  readonly session: Session;
  readonly host: RecordingHost;
  readonly channel: ChannelRequest;
  readonly ref: ChannelRef;
  readonly person: Person;
}

export interface PostSpec {
  readonly text: string;
  readonly style?: Style;
  readonly files?: readonly SharedFile[];
  /** `ALICE` when absent. */
  readonly author?: OpAuthor | null;
  readonly id?: OpId;
  readonly attempt?: number;
  readonly resume?: Progress | null;
}

export interface Try {
  readonly op: PostOp;
  readonly attempt: RecordingAttempt;
  readonly outcome: Promise<Outcome>;
  /** Whether the outcome is there. */
  readonly ended: () => boolean;
}

/** What a case works with: opens, joins, posts and waits, always with a limit and a sentence about what did not come. */
export class Stage {
  readonly ground: Ground;
  readonly harness: Harness;
  readonly #sessions: Session[] = [];
  readonly #attempts: RecordingAttempt[] = [];
  #posts = 0;

  constructor(ground: Ground, harness: Harness) {
    this.ground = ground;
    this.harness = harness;
  }

  get capabilities(): Capabilities {
    return this.ground.adapter.capabilities;
  }

  async within<T>(promise: Promise<T>, what: string): Promise<T> {
    return await within(promise, () => what, this.harness.patienceMs);
  }

  /** Waits until the question is answered with something else than null or false. */
  async until<T>(ask: () => T | null | false, what: () => string): Promise<T> {
    const ms = this.harness.patienceMs ?? 8_000;
    for (const start = Date.now(); ;) {
      const answer = ask();
      if (answer !== null && answer !== false) return answer;
      if (Date.now() - start > ms) throw new Error(`waited ${ms} ms for ${what()}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Tries to open a session; a rejection is against the contract. */
  async tryOpen(
    settings: Settings = this.harness.settings,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ readonly opened: Opened; readonly host: RecordingHost }> {
    const host = new RecordingHost();
    const loaded = await this.ground.adapter.load();
    const opened = await this.within(
      loaded.open({ settings, host, signal }).catch((error: unknown) => {
        throw new Error(`open() rejected, which it never may: ${String(error)}`, { cause: error });
      }),
      "open() to resolve",
    );
    if (opened.ok) this.#sessions.push(opened.session);
    return { opened, host };
  }

  async open(): Promise<{ readonly session: Session; readonly host: RecordingHost }> {
    const { opened, host } = await this.tryOpen();
    if (!opened.ok) throw new Error(`no session opens: ${opened.ended.cause}, ${opened.ended.why.message}`);
    return { session: opened.session, host };
  }

  async join(session: Session, channel: ChannelRequest): Promise<ChannelRef> {
    const joined = await this.within(session.join(channel, new AbortController().signal), `join of ${channel.name}`);
    if (!joined.ok) throw new Error(`cannot enter ${channel.name}: ${joined.why.message}`);
    return joined.ref;
  }

  /** Somebody in the first channel, then we. */
  async room(channel: ChannelRequest = this.harness.channels[0]): Promise<Room> {
    const person = await this.harness.person();
    await person.join(channel);
    const { session, host } = await this.open();
    return { session, host, channel, ref: await this.join(session, channel), person };
  }

  /** Starts one try of a post. The outcome rejects when the handler throws or takes too long. */
  post(room: Pick<Room, "session" | "ref">, spec: PostSpec, attempt = new RecordingAttempt()): Try {
    this.#posts += 1;
    this.#attempts.push(attempt);
    const op: PostOp = {
      kind: "post",
      id: spec.id ?? (`op-${this.#posts}` as OpId),
      channel: room.ref,
      attempt: spec.attempt ?? 1,
      author: spec.author === undefined ? ALICE : spec.author,
      body: plainBody(spec.text, spec.style, spec.files),
      resume: spec.resume ?? null,
    };
    const outcome = this.within(
      (async () => await room.session.handlers.post(op, attempt))().then(
        (ended) => {
          attempt.end(ended);
          return ended;
        },
        (error: unknown) => {
          throw new Error(`the post handler threw, which it never may: ${String(error)}`, { cause: error });
        },
      ),
      "the outcome of a post",
    );
    let ended = false;
    const over = (): void => void (ended = true);
    outcome.then(over, over);
    return { op, attempt, outcome, ended: () => ended };
  }

  /** Posts, and expects that it is delivered. */
  async deliver(room: Pick<Room, "session" | "ref">, spec: PostSpec): Promise<Try> {
    const tried = this.post(room, spec);
    const outcome = await tried.outcome;
    if (outcome.is !== "delivered") throw new Error(`a post ended as ${outcome.is}: ${outcome.why.message}`);
    return tried;
  }

  /** Waits until the person has heard `count` lines of ours, and gives all of them. */
  async heard({ person, channel }: Pick<Room, "person" | "channel">, count: number): Promise<readonly Heard[]> {
    return await this.until(
      () => (person.heard(channel.name).length >= count ? person.heard(channel.name) : null),
      () => `line ${count} in ${channel.name}; heard so far: ${JSON.stringify(person.heard(channel.name).slice(-5))}`,
    );
  }

  /** Waits until `count` lines of people were handed to the host, and gives all of them. */
  async taken(host: RecordingHost, count: number): Promise<RecordingHost["posted"]> {
    return await this.until(
      () => (host.posted.length >= count ? host.posted : null),
      () => `event ${count} from people; ${host.posted.length} came`,
    );
  }

  /** Throws when a handler broke a rule about `sending` and `sent` that holds in every case. */
  expectSoundProgress(): void {
    const faults = this.#attempts.flatMap((attempt) => attempt.faults);
    if (faults.length > 0) throw new Error(`what a handler told of its progress: ${faults.join("; ")}`);
  }

  /** Closes what is still open, however that goes: whether close() works is a case of its own. */
  async end(): Promise<void> {
    const closings = this.#sessions.map(async (session) => await session.close(AbortSignal.timeout(1_000)));
    await this.within(Promise.allSettled(closings), "close()").catch(() => undefined);
  }
}

/**
 * The text of a line of ours as the person sees it, without the author before it. Fails when the author is not to be seen;
 * only a later part of a post may go without.
 */
export function textOf(heard: Heard, author: OpAuthor = ALICE, part: "first" | "later" = "first"): string {
  if (heard.text.startsWith(author.shown)) return heard.text.slice(author.shown.length);
  if (heard.by.includes(author.name) || part === "later") return heard.text;
  throw new Error(`nobody sees that ${author.shown.trim()} said it: ${JSON.stringify(heard)}`);
}

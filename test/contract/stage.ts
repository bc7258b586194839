import type { Opened } from "../../src/contract/adapter.ts";
import type { Capabilities } from "../../src/contract/capabilities.ts";
import type { SharedFile, Style } from "../../src/contract/content.ts";
import type { ChannelRef, Cursor, MessageRef, OpId, Progress } from "../../src/contract/ids.ts";
import type {
  EditOp,
  MayPing,
  Op,
  OpAuthor,
  OpReply,
  PostDraft,
  PostOp,
  ReactOp,
  StandingReaction,
} from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { ChannelRequest, Handler, RoomLimits, Session } from "../../src/contract/session.ts";
import type { Fixture, Harness, Heard, Person, Settings } from "./fixture.ts";
import { within } from "../support/wait.ts";
import { RecordingAttempt } from "./recording-attempt.ts";
import { RecordingHost } from "./recording-host.ts";
import { plainBody } from "./texts.ts";

export const ALICE: OpAuthor = anAuthor("alice");

export function anAuthor(name: string): OpAuthor {
  return { id: `origin-${name}`, name, shown: `<${name}> `, avatar: null, account: "origin" };
}

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
  readonly reply?: OpReply | null;
  readonly thread?: MessageRef | null;
  /** Nobody when absent. */
  readonly mayPing?: MayPing;
  readonly id?: OpId;
  readonly attempt?: number;
  readonly resume?: Progress | null;
}

export interface Reaction {
  readonly emoji: string;
  readonly on: boolean;
  readonly author?: OpAuthor;
  readonly names: readonly string[];
  /** Other emojis that stand there. */
  readonly others?: readonly StandingReaction[];
}

export interface Try {
  readonly op: PostOp;
  readonly attempt: RecordingAttempt;
  readonly outcome: Promise<Outcome>;
  /** Whether the outcome is there. */
  readonly ended: () => boolean;
}

/**
 * What a case works with: opens, joins, posts and waits, always with a limit and a sentence about what did not come.
 */
export class Stage {
  readonly ground: Fixture;
  readonly harness: Harness;
  readonly #sessions: Session[] = [];
  readonly #attempts: RecordingAttempt[] = [];
  /** As the joins said. */
  readonly #limits = new Map<ChannelRef, RoomLimits>();
  #posts = 0;

  constructor(fixture: Fixture, harness: Harness) {
    this.ground = fixture;
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
    const ms = this.harness.patienceMs ?? 20_000;
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
    since: Cursor | null = null,
  ): Promise<{ readonly opened: Opened; readonly host: RecordingHost }> {
    const host = new RecordingHost();
    const loaded = await this.ground.adapter.load();
    const opened = await this.within(
      loaded.open({ settings, host, since, signal }).catch((error: unknown) => {
        throw new Error(`open() rejected, which it never may: ${String(error)}`, { cause: error });
      }),
      "open() to resolve",
    );
    if (opened.ok) this.#sessions.push(opened.session);
    return { opened, host };
  }

  /** `since`: as in OpenArgs. */
  async open(since: Cursor | null = null): Promise<{ readonly session: Session; readonly host: RecordingHost }> {
    const { opened, host } = await this.tryOpen(undefined, undefined, since);
    if (!opened.ok) throw new Error(`no session opens: ${opened.ended.cause}, ${opened.ended.why.message}`);
    return { session: opened.session, host };
  }

  async join(session: Session, channel: ChannelRequest): Promise<ChannelRef> {
    const joined = await this.within(session.join(channel, new AbortController().signal), `join of ${channel.name}`);
    if (!joined.ok) throw new Error(`cannot enter ${channel.name}: ${joined.why.message}`);
    this.#limits.set(joined.ref, joined.limits ?? {});
    return joined.ref;
  }

  /** Somebody in the first channel, then we. */
  async room(channel: ChannelRequest = this.harness.channels[0]): Promise<Room> {
    const person = await this.harness.person();
    await person.join(channel);
    const { session, host } = await this.open();
    return { session, host, channel, ref: await this.join(session, channel), person };
  }

  /**
   * The same room in another session, with `since` as in OpenArgs; the one before is closed when it is not over yet.
   */
  async reopen(room: Room, since: Cursor | null = null): Promise<Room> {
    await this.within(room.session.close(AbortSignal.timeout(2_000)), "close()");
    const { session, host } = await this.open(since);
    return { ...room, session, host, ref: await this.join(session, room.channel) };
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
      ...this.#draft(room.ref, spec),
      resume: spec.resume ?? null,
    };
    const outcome = this.#handle(room.session.handlers.post, op, attempt);
    let ended = false;
    const over = (): void => void (ended = true);
    outcome.then(over, over);
    return { op, attempt, outcome, ended: () => ended };
  }

  /** The outcome rejects when the handler throws or takes too long; so do the other two. */
  async edit(
    { session, ref }: Pick<Room, "session" | "ref">,
    target: readonly MessageRef[],
    spec: PostSpec,
  ): Promise<Outcome> {
    return await this.#handle(session.handlers.edit, {
      ...this.#base(ref, spec.id),
      kind: "edit",
      target,
      ...this.#draft(ref, spec),
    });
  }

  async erase(
    { session, ref }: Pick<Room, "session" | "ref">,
    target: readonly MessageRef[],
    author: OpAuthor | null = ALICE,
  ): Promise<Outcome> {
    return await this.#handle(session.handlers.delete, {
      ...this.#base(ref),
      kind: "delete",
      target,
      author,
    });
  }

  /** `names`: who stands behind the emoji after this, us not counted. */
  async react(
    { session, ref }: Pick<Room, "session" | "ref">,
    target: MessageRef,
    { emoji, on, author = ALICE, names, others = [] }: Reaction,
  ): Promise<Outcome> {
    const standing = names.length === 0 ? others : [...others, { emoji, names }];
    const op: ReactOp = { ...this.#base(ref), kind: "react", target, author, emoji, on, standing };
    return await this.#handle(session.handlers.react, op);
  }

  async setTopic({ session, ref }: Pick<Room, "session" | "ref">, topic: string): Promise<Outcome> {
    return await this.#handle(session.handlers.topic, { ...this.#base(ref), kind: "topic", topic });
  }

  /** With what the core says of the room. */
  #draft(room: ChannelRef, spec: PostSpec): PostDraft {
    const { textMax } = this.#limits.get(room) ?? {};
    const isLess = textMax !== undefined && textMax < this.capabilities.limits.textMax;
    return { ...draftOf(spec), ...(isLess && { textMax }) };
  }

  #base(channel: ChannelRef, id?: OpId): Pick<EditOp, "id" | "channel" | "attempt"> {
    this.#posts += 1;
    return { id: id ?? (`op-${this.#posts}` as OpId), channel, attempt: 1 };
  }

  async #handle<O extends Op>(
    handler: Handler<O> | undefined,
    op: O,
    attempt = new RecordingAttempt(),
  ): Promise<Outcome> {
    if (handler === undefined) throw new Error(`there is no handler for ${op.kind}`);
    const ended = (async () => await handler(op, attempt))().then(
      (outcome) => {
        attempt.end(outcome);
        return outcome;
      },
      (error: unknown) => {
        throw new Error(`the ${op.kind} handler threw, which it never may: ${String(error)}`, { cause: error });
      },
    );
    const article = op.kind === "edit" ? "an" : "a";
    return await this.within(ended, `the outcome of ${article} ${op.kind}`);
  }

  /** Posts, and expects that it is delivered. */
  async deliver(room: Pick<Room, "session" | "ref">, spec: PostSpec): Promise<Try> {
    const tried = this.post(room, spec);
    const outcome = await tried.outcome;
    if (outcome.is !== "delivered") throw new Error(`a post ended as ${outcome.is}: ${outcome.why.message}`);
    return tried;
  }

  /** As `deliver`; resolves to the refs of the messages. */
  async messagesOf(room: Pick<Room, "session" | "ref">, spec: PostSpec): Promise<readonly MessageRef[]> {
    const outcome = await (await this.deliver(room, spec)).outcome;
    return outcome.is === "delivered" ? outcome.receipt.messages : [];
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

function draftOf({ text, style, files, author, reply, thread, mayPing }: PostSpec): PostDraft {
  return {
    author: author === undefined ? ALICE : author,
    body: plainBody(text, style, files),
    reply: reply ?? null,
    thread: thread ?? null,
    mayPing: mayPing ?? { users: false, everyone: false },
  };
}

/**
 * The text of a line of ours as the person sees it, without the author before it. Fails when the author is not to be
 * seen; only a later part of a post may go without.
 */
export function textOf(heard: Heard, author: OpAuthor = ALICE, part: "first" | "later" = "first"): string {
  if (heard.text.startsWith(author.shown)) return heard.text.slice(author.shown.length);
  if (heard.by.includes(author.name) || part === "later") return heard.text;
  throw new Error(`nobody sees that ${author.shown.trim()} said it: ${JSON.stringify(heard)}`);
}

import type { Capabilities } from "./capabilities.ts";
import type { GuestDesk } from "./guests.ts";
import type { ChannelRef, FileRef, MessageRef, Progress, UserRef } from "./ids.ts";
import type { Op, OptionalKind } from "./ops.ts";
import type { Outcome, Reason } from "./outcome.ts";

/** One try to do an op: what the handler tells while it runs. */
export interface Attempt {
  /** Aborted when the op must end: send nothing more, and return the outcome as it stands. */
  readonly signal: AbortSignal;
  /**
   * Before the first byte of each part leaves, in order: the parts up to `upTo` will have been sent. Resolves once that
   * is durable, false when it cannot be or an older message has to go first (send nothing, return `deferred`). Answers
   * come in the order of the calls: what waits for them alike keeps its order. Only networks without idempotency need
   * to call it.
   */
  sending(upTo: Progress): Promise<boolean>;
  /**
   * The parts up to `upTo` are confirmed, with the messages that they newly made: a later attempt, also after a
   * restart, continues after them. To be called for all that was confirmed before an outcome other than `delivered` is
   * returned.
   */
  sent(upTo: Progress, messages: readonly MessageRef[]): void;
}

export type Handler<O extends Op> = (op: O, attempt: Attempt) => Promise<Outcome>;
type HandlerOf<K extends Op["kind"]> = Handler<Extract<Op, { kind: K }>>;

/** Exactly the handlers that the capabilities declare: one missing or one too many does not compile. */
export type Handlers<C extends Capabilities> = { readonly post: HandlerOf<"post"> } & {
  readonly [K in OptionalKind as C["ops"][K] extends "none" ? never : K]: HandlerOf<K>;
};
export type AnyHandlers = { readonly post: HandlerOf<"post"> } & { readonly [K in OptionalKind]?: HandlerOf<K> };

/** One live connection of an account. It never reconnects by itself: it ends, and the supervisor opens another. */
export interface Session<H extends AnyHandlers = AnyHandlers> {
  /** Who we are there, for people: the nick. */
  readonly as: string;
  /**
   * Why messages that handlers were given do not leave at once, where their pace is limited; null: they do. Absent
   * where it never is.
   */
  readonly paced?: Reason | null;
  /**
   * Called at most `limits.inflightMax` at once for one channel, and in its order; nothing is queued beyond these
   * calls.
   */
  readonly handlers: H;
  /** Enters a channel by its name in the configuration; events of it may come before this resolves. Idempotent. */
  join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined>;
  /**
   * Leaves a channel that was joined and is no longer wanted: nothing of it is handed over from the call on, it is not
   * `Host.lost`, and posts to it are deferred. It may be joined again afterwards. Never rejects, and is over at the
   * latest when the signal is aborted. Absent where staying does no harm; the core then hears no more of what is said
   * there.
   */
  leave?(channel: ChannelRef, signal: AbortSignal): Promise<void>;
  /**
   * The content of a file that an event named by this ref, from its beginning. Never rejects. Absent where no event has
   * such refs.
   */
  openFile?(ref: FileRef, signal: AbortSignal): Promise<OpenedFile>;
  /**
   * Who is in a joined channel, without ourselves and those whom we have made, as far as it is known without asking
   * long; null: nobody knows. Never rejects. Absent where the network does not say.
   */
  members?(channel: ChannelRef, signal: AbortSignal): Promise<readonly Member[] | null>;
  /**
   * The number of people in a joined channel, without the own user; null: it is not known. Never rejects. Absent where
   * `members` is there, and where the network does not say.
   */
  count?(channel: ChannelRef, signal: AbortSignal): Promise<number | null>;
  /**
   * Rooms that can be bridged, as the configuration writes them: those that we are in, and those that we could enter,
   * as far as the network lists them in a few requests; some hundred at most, those that we are in first. Never
   * rejects, and is over at the latest when the signal is aborted. Absent where the network does not list any.
   */
  rooms?(signal: AbortSignal): Promise<readonly string[]>;
  /** Absent where the network cannot show that somebody types. */
  readonly typing?: TypingDisplay;
  /** Absent where nobody comes as a guest of ours. */
  readonly guests?: GuestDesk;
  /** Never rejects. */
  readonly ended: Promise<Ended>;
  /** Stop, step 1: no event is handed over after this resolves; handlers still work. */
  quiesce(): Promise<void>;
  /** Stop, step 2: says goodbye; idempotent, and over at the latest when the signal is aborted. */
  close(signal: AbortSignal): Promise<void>;
}

/** How a network shows that somebody elsewhere types. */
export interface TypingDisplay {
  /** How long the network shows it; the core repeats `on` before that. Infinity: until it is switched off. */
  readonly lastsMs: number;
  /**
   * Switches it on or off in a joined channel. Returns at once and never throws. It is dropped while messages need the
   * connection or a rate limit holds them, and nobody learns whether it arrived. Our own typing is never a hint.
   */
  show(channel: ChannelRef, on: boolean): void;
}

/** Somebody in a channel. */
export interface Member {
  readonly id: UserRef;
  readonly name: string;
  readonly bot: boolean;
  /** Whether the person can be reached now; null: the network does not say. */
  readonly present: boolean | null;
}

export interface ChannelRequest {
  readonly name: string;
  /** `options` of the bridge, keys in lower case. */
  readonly options: Readonly<Record<string, string>>;
}

export type Joined =
  /** `without`: kinds that the network has, but not here or not for us. `limits`: absent where there are none. */
  | {
      readonly ok: true;
      readonly ref: ChannelRef;
      readonly without: readonly OptionalKind[];
      readonly limits?: RoomLimits;
    }
  /** `retryInMs`: when it makes sense to try again, null when the core is to choose. */
  | { readonly ok: false; readonly why: Reason; readonly retryInMs: number | null };

/**
 * What one room takes less of than the capabilities say; what is absent is not limited, or nobody has said so. The core
 * keeps to it: adapters get nothing to edit, to attach or to react with that the room would refuse.
 */
export interface RoomLimits {
  /** Of one part of a post, in the unit of the capabilities. Ops have it as `PostDraft.textMax`. */
  readonly textMax?: number;
  /** Of one file. A larger one comes without its `id`, as one that could not be fetched. */
  readonly fileBytesMax?: number;
  /** So long after it was said a message can be edited. */
  readonly editWithinMs?: number;
  /** The only emoji that can be put on. */
  readonly reactions?: readonly string[];
}

/** `auth` and `config` need a person; `lost` heals by itself; `asked` follows `close`. */
export interface Ended {
  readonly cause: "asked" | "lost" | "auth" | "config";
  readonly why: Reason;
}

/** `bytes` and `mime`: null when nobody knows before it is read. The stream errors when the content breaks off. */
export type OpenedFile =
  | {
      readonly ok: true;
      readonly bytes: number | null;
      readonly mime: string | null;
      readonly stream: ReadableStream<Uint8Array>;
    }
  | { readonly ok: false; readonly why: Reason };

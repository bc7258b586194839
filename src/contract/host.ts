import type { Author, Event } from "./events.ts";
import type { ChannelRef, Cursor, FileId } from "./ids.ts";
import type { Reason } from "./outcome.ts";
import type { Member, OpenedFile } from "./session.ts";

/** All that an adapter may touch of the world beside its own sockets: tests own time, chance and the log through it. */
export interface Host {
  /**
   * Resolves, never rejects, once the events are on disk with the cursor, all or none; only then acknowledge upstream.
   * Events may be empty (a cursor that only moves on). Calls may pipeline; of one channel, their order is the order in
   * the log. Waiting on it is the inbound back-pressure: it waits while the log takes nothing (disk full). One answer
   * per event.
   */
  accept(batch: { readonly events: readonly Event[]; readonly cursor: Cursor | null }): Promise<readonly Accepted[]>;
  /** A joined channel is no more: kicked, banned, gone. The core joins again, not before `retryInMs`. */
  lost(channel: ChannelRef, why: Reason, retryInMs: number): void;
  /**
   * The connection is up, but not as it should be, for the reason given; null: that is over. It may be said before the
   * session is there. `about` tells reasons apart that have nothing to do with each other: all stand until each is
   * over.
   */
  degraded(why: Reason | null, about?: string): void;
  /**
   * What is only true now: it is never stored, and dropped where nobody wants it or too much comes. Absent in tests
   * that have no use for it.
   */
  hint?(hint: Hint): void;
  /**
   * The channels that share a gateway with a joined one, and the people in them. Absent in tests that have no use for
   * it.
   */
  readonly linked?: LinkedReader;
  /** The content of a file of an op, from its beginning, as often as it is asked for. Never rejects. */
  openFile(id: FileId, signal: AbortSignal): Promise<OpenedFile>;
  /**
   * A public address of this text, for what is too long for a network; null where none can be given. The same text has
   * the same one. Never rejects.
   */
  publish(text: string): Promise<string | null>;
  readonly clock: Clock;
  /** 0 <= x < 1. */
  readonly random: () => number;
  readonly log: AdapterLog;
}

export interface LinkedReader {
  /** Never rejects, and takes 10 s at most. */
  read(channel: ChannelRef): Promise<LinkedChannels>;
  /**
   * Calls back when people come, go or are renamed in channels that are heard in this one, until the returned function
   * is called or the session ends. The channel may still be joined. The task must be quick.
   */
  watch(channel: ChannelRef, task: () => void): () => void;
}

export interface LinkedChannels {
  /** In the order of the configuration. */
  readonly channels: readonly LinkedChannel[];
  /** Names of the people in all linked channels, also of those that are not listed, and our own names there. */
  readonly people: readonly string[];
  /** What the gateways, the accounts, the networks and Rialto itself are called. */
  readonly labels: readonly string[];
}

/** A channel whose messages come to another channel. */
export interface LinkedChannel {
  /** Name of the account. */
  readonly account: string;
  /** The name of its protocol, for people. */
  readonly title: string;
  readonly isJoined: boolean;
  /** Without those whom the settings keep back; null: the network does not list them, or the settings keep back all. */
  readonly members: readonly Member[] | null;
  /** Null: not known. */
  readonly count: number | null;
}

/** Somebody else types, or is there, or no longer. */
export interface Hint {
  readonly kind: "typing" | "presence";
  readonly channel: ChannelRef;
  readonly author: Author;
  readonly on: boolean;
  /** How long `on` holds where the network does not say when it ends; absent: until it says so. */
  readonly forMs?: number;
}

/**
 * `ignored`: a filter dropped it, no gateway has the channel, we wrote it ourselves, or nothing can be done with its
 * kind.
 */
export type Accepted = "stored" | "duplicate" | "ignored";

export interface Clock {
  /** Unix milliseconds, by a calendar that somebody may set at any moment, by hours, either way. */
  nowMs(): number;
  /**
   * Milliseconds from some moment on, which only count on, as the timers do: for how long something takes or may take.
   */
  monoMs(): number;
  /** Calls back once after `ms`, unless cancelled by the function it returns. */
  after(ms: number, task: () => void): () => void;
}

/**
 * Static message, data as fields; secrets are scrubbed at the sink, and texts of messages stay out at all levels but
 * trace.
 */
export interface AdapterLog {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

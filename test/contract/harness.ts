import type { Adapter } from "../../src/contract/adapter.ts";
import type { Style } from "../../src/contract/content.ts";
import type { ChannelRequest } from "../../src/contract/session.ts";

/**
 * What an adapter's test gives to the shared suite: the adapter, a network that runs, and other people on it.
 * `contract.test.ts` of an adapter is: `describeAdapter("protocol on server", ground)`.
 */
export interface Ground {
  readonly adapter: Adapter;
  /** The cases that need more than every network has; see `Offer`. */
  readonly offers: ReadonlySet<Offer>;
  /** Called once per case: channels without history, people nobody has seen. The server itself may be shared. */
  start(): Promise<Harness>;
}

/**
 * - `auth`, `config`, `unreachable`: `Harness.wrong` has settings that must end with cause auth, config, lost.
 * - `refused`: `Harness.refused` is a channel that we may not enter.
 * - `kick`: the first person in a channel may kick others from it, us too.
 * - `stall`: `Harness.stall` stops the server from answering.
 */
export type Offer = "auth" | "config" | "unreachable" | "refused" | "kick" | "stall";

export type Settings = Readonly<Record<string, unknown>>;

export interface Harness {
  /** Validated settings with which a session opens. No pacing: a case posts some hundred lines. */
  readonly settings: Settings;
  readonly wrong: Readonly<Partial<Record<"auth" | "config" | "unreachable", Settings>>>;
  /** Two channels as a configuration names them; the suite lets a person enter before us. */
  readonly channels: readonly [ChannelRequest, ChannelRequest];
  readonly refused?: ChannelRequest;
  /** What must not be in any log: passwords, tokens. */
  readonly secrets: readonly string[];
  /** How many lines a person says in one go where a case asks for many; the network must bear it. 1500 or more tests the bound. */
  readonly burst: number;
  /** How long the suite waits for what must come. 8000 when absent. */
  readonly patienceMs?: number;
  /** Somebody new, connected, in no channel. A client that shares no code with the adapter. */
  person(): Promise<Person>;
  /** The server's side (or the road to it) breaks all connections of the account now; opening another works at once. */
  cut(): Promise<void>;
  /** The server takes no byte and answers nothing until the function it gives is called. */
  stall?(): Promise<() => Promise<void>>;
  /**
   * Resolves when whatever the adapter has sent, and whatever the network has sent it, has surely been seen by now. For cases in
   * which nothing may come: a short sleep is all right here, and only here.
   */
  settle(): Promise<void>;
  /** Ends people and whatever `start` started. The suite has closed its sessions before. */
  dispose(): Promise<void>;
}

/** Somebody on the other side. Channels are named as in the configuration (`ChannelRequest.name`). */
export interface Person {
  /** The name that others see now. */
  readonly name: string;
  /** Resolves when in. */
  join(channel: ChannelRequest): Promise<void>;
  leave(channel: string, reason: string): Promise<void>;
  /** Resolves when the line is on its way. Lines are said in the order of the calls. */
  say(channel: string, text: string, style?: Style): Promise<void>;
  /** Takes another name that is free, and resolves to it. */
  rename(): Promise<string>;
  setTopic(channel: string, topic: string): Promise<void>;
  kick(channel: string, name: string, reason: string): Promise<void>;
  /** What others said in the channel since this person entered, oldest first: the state of now, edits and deletions done. */
  heard(channel: string): readonly Heard[];
}

/** One line or message as a person sees it, with nothing of the network's own syntax. */
export interface Heard {
  /** The name it stands under. */
  readonly by: string;
  readonly text: string;
  readonly style: Style;
  /** Emoji that stand under it; only networks that have reactions. */
  readonly reactions?: readonly string[];
}

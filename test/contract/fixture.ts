import type { Adapter } from "../../src/contract/adapter.ts";
import type { Style } from "../../src/contract/content.ts";
import type { ChannelRequest } from "../../src/contract/session.ts";

/**
 * What an adapter's test gives to the shared suite: the adapter, a network that runs, and other people on it.
 * `contract.test.ts` of an adapter is: `describeAdapter("protocol on server", ground)`.
 */
export interface Fixture {
  readonly adapter: Adapter;
  /** The cases that need more than every network has; see `Offer`. */
  readonly features: ReadonlySet<Feature>;
  /** Called once per case: channels without history, people nobody has seen. The server itself may be shared. */
  start(): Promise<Harness>;
}

/**
 * - `auth`, `config`, `unreachable`: `Harness.wrong` has settings that must end with cause auth, config, lost.
 * - `refused`: `Harness.refused` is a channel that we may not enter.
 * - `kick`: the first person in a channel may kick others from it, us too.
 * - `leave`: sessions have `leave`.
 * - `stall`: `Harness.stall` stops the server from answering.
 * - `edit`, `erase`, `react`, `reply`, `thread`, `file`: people can do that, by the methods of `Person` of these names
 *   (`file`: `sendFile`);
 *   the adapter then hands it over as events.
 * - `notified`: `Person.notified` knows by what a person's client would sound.
 * - `history`: what is said while nobody is connected can be had later; see `OpenArgs.since`.
 * - `announces`: before a post leaves, the adapter puts it into its cursor and waits until that is on disk.
 * - `fetch`: `Person.fetch` reads the files that a person sees.
 * - `members`: sessions have `members`, which know those who are in a channel and have said something.
 * - `rooms`: sessions have `rooms`, which list the channels of the harness once we are in them.
 * - `typing`: `Person.type` shows others that somebody types, and the adapter then gives hints.
 * - `showsTyping`: `Person.typists` knows who is shown as typing; sessions have `typing`.
 * - `setTopic`: `Person.topic` shows what we set, and we may set topics where the person is.
 * What is asked of us depends on the capabilities: edits of ours are looked for where `ops.edit` is native, and so on.
 */
export type Feature =
  | "auth"
  | "config"
  | "unreachable"
  | "refused"
  | "kick"
  | "leave"
  | "stall"
  | "edit"
  | "erase"
  | "react"
  | "reply"
  | "thread"
  | "file"
  | "notified"
  | "history"
  | "announces"
  | "fetch"
  | "members"
  | "rooms"
  | "typing"
  | "showsTyping"
  | "setTopic";

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
  /**
   * Texts that cannot be said as they are there, because they mean something to the network; absent: there are none.
   */
  readonly unsayable?: ReadonlySet<string>;
  /** People are thrown out of channels without a reason; absent: with the one that is given. */
  readonly kicksWithoutReason?: boolean;
  /** People have no way to say what they do in the third person. */
  readonly peopleDoNotAct?: boolean;
  /** Notices of ours are seen as such, but people have no way to say one. */
  readonly peopleSayNoNotices?: boolean;
  /** The network has no list of who is there: only who has spoken can be called. */
  readonly callsSpeakers?: boolean;
  /** Typing that is shown cannot be ended: it ends by itself. */
  readonly typingStays?: boolean;
  /** So many emoji of ours can stand on a message; absent: as many as there are. The newest stay. */
  readonly reactionsMost?: number;
  /** What the network has been told to be durable it never tells again, whatever the cursor. */
  readonly confirms?: boolean;
  /**
   * How many lines a person says in one go where a case asks for many; the network must bear it. 3000 or more tests the
   * bound.
   */
  readonly burst: number;
  /** How long the suite waits for what must come. 20 000 when absent. */
  readonly patienceMs?: number;
  /** Somebody new, connected, in no channel. A client that shares no code with the adapter. */
  person(): Promise<Person>;
  /** The server's side (or the road to it) breaks all connections of the account now; opening another works at once. */
  cut(): Promise<void>;
  /** The server takes no byte and answers nothing until the function it gives is called. */
  stall?(): Promise<() => Promise<void>>;
  /**
   * Resolves when whatever the adapter has sent, and whatever the network has sent it, has surely been seen by now. For
   * cases in which nothing may come: a short sleep is all right here, and only here.
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
  /**
   * What others said in the channel since this person entered, oldest first: the state of now, edits and deletions
   * done.
   */
  heard(channel: string): readonly Heard[];
  /**
   * As `say`, for what is spoken of later: resolves, once the network has it, to its handle. With any of the offers
   * edit, erase, react, reply, thread.
   */
  write?(channel: string, text: string, how?: How): Promise<Handle>;
  /** A message of this person's gets another text. */
  edit?(channel: string, message: Handle, text: string): Promise<void>;
  /** A message of this person's is taken back. */
  erase?(channel: string, message: Handle): Promise<void>;
  react?(channel: string, message: Handle, emoji: string, on: boolean): Promise<void>;
  /** Resolves once the network has it, to the handle of the message with the file. */
  sendFile?(channel: string, file: SentFile): Promise<Handle>;
  /**
   * Texts of messages in the channel that a client would alert this person to, because they mention it or everybody.
   */
  notified?(channel: string): readonly string[];
  /** The client shows others in the channel that this person types, or no longer does. */
  type?(channel: string, on: boolean): Promise<void>;
  /** Who else this person's client shows as typing in the channel now; of us, `Session.as`. */
  typists?(channel: string): readonly string[];
  /** The topic of the channel as this person's client shows it; empty: none; null: it has seen none yet. */
  topic?(channel: string): string | null;
  /** The content of the file in a message that this person sees. */
  fetch?(channel: string, message: Handle): Promise<Uint8Array>;
}

/**
 * What a person calls a message that it sees or has written, whatever that is on its network; people do not share them.
 */
export type Handle = string;

export interface How {
  /** The message that it answers. */
  readonly reply?: Handle;
  /** The first message of the thread that it goes to. */
  readonly thread?: Handle;
}

export interface SentFile {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
  /** The caption; empty: none. */
  readonly comment: string;
}

/** One line or message as a person sees it, with nothing of the network's own syntax. */
export interface Heard {
  /** The name it stands under. */
  readonly by: string;
  /** Without a network's own fallback for replies. Of a file: its caption. */
  readonly text: string;
  readonly style: Style;
  /** Absent where messages have no ids. */
  readonly handle?: Handle;
  /** The message that it answers, where the network says so; absent: none, or one that this person does not see. */
  readonly reply?: Handle;
  /** The first message of the thread it is in. */
  readonly thread?: Handle;
  /** The name of the file that came natively. */
  readonly file?: string;
  /** Emoji that stand under it; only networks that have reactions. */
  readonly reactions?: readonly string[];
}

import type { Proxy } from "../servers/proxy.ts";

/** Requests of one kind, as faults choose them and as the server counts them. */
export interface Asked {
  readonly method: string;
  /** What the fakes call the path: without what every path begins with. */
  readonly path: RegExp;
}

/** What Rialto asks of a network that matters here. `history`: what was said before in a channel. */
export type Ask = "post" | "edit" | "delete" | "react" | "file" | "history";

type Some = Partial<Asked>;

/** What every fake server has. */
interface Server {
  readonly faults: {
    loseAnswer(which: Some): void;
    break(which: Some): void;
    fail(which: Some, status: number, times: number): void;
    /** The next ones wait until the function it gives is called. */
    hold(which: Some, times?: number): () => void;
    clear(): void;
  };
  readonly wire: Proxy;
  /** The connections on which events come. */
  readonly sockets: {
    /** Breaks all of them, and the server sees it. */
    terminate(): void;
    /** The server sees which have ended. */
    see(): void;
  };
  /** Each as `POST /path`. */
  readonly requests: readonly string[];
  /** Breaks all connections; the server takes them for sound until `sockets.see()`. */
  cutUnseen(): void;
  /** Goes, and comes back when `down` is over: what is stored stays, sessions and keys are forgotten. */
  restart(down?: () => Promise<void>): Promise<void>;
}

/** Keeps what is to be done at the end, as `onTestFinished` does. */
export type AtEnd = (end: () => Promise<void>) => void;

/** A message of ours that stands in the channel. */
export interface Standing {
  readonly id: string;
  /** Without the name of whoever said it and the line of what it answers. */
  readonly text: string;
  /** The message that it answers; empty: none. */
  readonly answers: string;
  /** One for everybody who reacted, as characters. */
  readonly reactions: readonly string[];
  readonly files: number;
}

/** One server: the channel "town", alice in it, and the bot that Rialto is there. Messages are named by their ids. */
export interface Side {
  readonly server: Server;
  /** Where the server listens itself, behind `wire`. */
  readonly port: number;
  /** As the configuration names the channel, where its name is not enough. */
  readonly address?: string;
  /** Settings of the account, a line each. */
  readonly settings: string;
  /** It never reaches the log. */
  readonly secret: string;
  readonly asks: Readonly<Record<Ask, Asked>>;
  /** What we have posted and still stands, the oldest first. */
  standing(): readonly Standing[];

  /** What alice does. Two things are never of one moment. */
  say(text: string): Promise<string>;
  reply(to: string, text: string): Promise<void>;
  edit(id: string, text: string): void;
  erase(id: string): void;
  /** With a character. */
  react(id: string, emoji: string): void;

  /** Whether there is a connection that was made after those that are cut. */
  isBack(): boolean;
  /** No connection can be taken up again where it broke; the channel's history stays. */
  forget(): void;
  /** The server no longer knows the keys by which it tells a repeated post, where it has such. */
  forgetKeys(): void;

  /** So many posts a second, and as many at once. */
  allow(perSecond: number): void;
  /** Refuses requests as too many, and says for how many seconds. */
  refuse(which: Some, seconds: number, times: number): void;
  /** How many requests were refused by limits, those of `refuse` aside, and as far as Rialto could know of them. */
  refused(): number;
  /** Nothing is limited or refused any more. */
  free(): void;
}

/** A network whose servers are a fake of ours. */
export interface Network<S extends Side> {
  /** As accounts name it. */
  readonly protocol: string;
  /** The ways in which Rialto may speak there, the usual one first; a case runs in each, or in the usual one. */
  readonly modes: readonly [string, ...string[]];
  /** How many characters a message has at most. */
  readonly textMax: number;
  /** False: of a post whose outcome is unknown nobody ever learns it. It is unconfirmed then, and not said again. */
  readonly settles?: boolean;
  /** False: nobody is told that people have deleted something. */
  readonly tellsDeletions?: boolean;
  /** How long what waits may take on a busy machine, where the usual time is too short. */
  readonly patienceMs?: number;
  /** Starts a server, which ends at the end that is given, or with the test. */
  readonly found: (mode: string, atEnd?: AtEnd) => Promise<S>;
}

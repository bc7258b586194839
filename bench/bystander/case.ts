import type { OutgoingHttpHeaders } from "node:http";
import type { Figure } from "../lib/result.ts";

/** The gateway and the account that a case attacks. */
export const ATTACKED = { gateway: "attacked", account: "api.reader" } as const;

export interface Answer {
  /** 0: the connection failed or ended early. */
  readonly status: number;
  readonly body: Buffer;
  readonly headers: OutgoingHttpHeaders;
}

export interface AskOptions {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** An object is sent as JSON. */
  readonly body?: object | Buffer;
}

/** The running program, as an attacker sees it. */
export interface Scene {
  readonly port: number;
  readonly smoke: boolean;
  /** Aborted when the bystander has posted for long enough. */
  readonly signal: AbortSignal;
  /** Makes a token of the attacked account. */
  readonly token: (scopes: string) => Promise<string>;
  /** One request to the attacked account. Never rejects. */
  readonly ask: (path: string, options?: AskOptions) => Promise<Answer>;
}

/** A chat server of the attacker's. */
export interface ChatServer {
  /** TOML of an account that connects to it, and of a gateway with that account. */
  readonly config: string;
  /** From now on it sends all it can. */
  readonly flood: () => void;
  readonly close: () => void;
}

/** Something that a user, a client or a chat server does while the bystander posts. */
export interface Case {
  readonly name: string;
  /** Messages that the attacked gateway has before the program starts; absent: none. */
  readonly backlog?: number;
  /** Lines of `[general]`. */
  readonly general?: string;
  /** Starts a chat server, to which the program connects before the measurement begins; absent: there is none. */
  readonly server?: () => Promise<ChatServer>;
  /** Runs before the measurement begins; what it resolves with is handed to `attack`. */
  readonly prepare?: (scene: Scene) => Promise<readonly string[]>;
  /** Runs until the signal of the scene is aborted. May resolve with figures of its own. */
  readonly attack: (scene: Scene, prepared: readonly string[]) => Promise<readonly Figure[] | void>;
}

/** Runs `work` again and again, `count` at once, until the bystander has posted for long enough. */
export async function repeat(count: number, { signal }: Scene, work: () => Promise<unknown>): Promise<void> {
  const one = async (): Promise<void> => {
    while (!signal.aborted) await work();
  };
  await Promise.all(Array.from({ length: count }, one));
}

/** Resolves when the bystander has posted for long enough. */
export async function over({ signal }: Scene): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

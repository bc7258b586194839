import { within } from "../../support/wait.ts";

/** Servers and clients of others take their time on a busy machine. */
const PATIENCE_MS = 30_000;

/** Something a person saw in a channel, as that person's own client understood it. */
export interface Heard {
  readonly kind: "message" | "action" | "notice" | "join" | "leave" | "nick" | "topic" | "other";
  readonly nick: string;
  readonly text: string;
}

/** Somebody in a channel, who uses a client that others have written. */
export interface Person {
  readonly nick: string;
  /** The client, for people. */
  readonly client: string;
  /** Each text is a line, in this order; resolves once the client has them. */
  readonly say: (channel: string, ...texts: readonly string[]) => Promise<void>;
  readonly act: (channel: string, text: string) => Promise<void>;
  /** A line of the protocol, as it is. */
  readonly raw: (line: string) => Promise<void>;
  readonly ears: Ears;
  readonly quit: () => Promise<void>;
}

export interface PersonOptions {
  readonly port: number;
  readonly nick: string;
  /** The person is in all of them when the promise resolves. */
  readonly channels: readonly string[];
  readonly password?: string;
}

/**
 * What a person heard, by channel, in order; what the server says outside of channels is under the empty name. Most
 * clients show their own lines too.
 */
export class Ears {
  readonly #heard = new Map<string, Heard[]>();
  readonly #wakes = new Set<() => void>();
  readonly #context: () => string;

  /** `context`: what is worth reading when something that was awaited does not come. */
  constructor(context: () => string) {
    this.#context = context;
  }

  hear(channel: string, what: Heard): void {
    const all = this.in(channel);
    this.#heard.set(channel.toLowerCase(), all);
    all.push(what);
    for (const wake of this.#wakes) wake();
  }

  /** Everything so far. */
  in(channel: string): Heard[] {
    return this.#heard.get(channel.toLowerCase()) ?? [];
  }

  /** Texts of the messages so far, without joins and such. */
  texts(channel: string): string[] {
    return this.in(channel).flatMap(({ kind, text }) => (kind === "message" ? [text] : []));
  }

  /**
   * Resolves with all that was heard as soon as it passes; says what was heard instead when nothing is heard for so
   * long.
   */
  async until(
    channel: string,
    enough: (heard: readonly Heard[]) => boolean,
    what: string,
    ms: number = PATIENCE_MS,
  ): Promise<readonly Heard[]> {
    const passed = Promise.withResolvers<readonly Heard[]>();
    let again = (): void => undefined;
    const look = (): void => {
      again();
      if (enough(this.in(channel))) passed.resolve(this.in(channel));
    };
    this.#wakes.add(look);
    look();
    try {
      const waitedFor = (): string => `${what} in ${channel}; heard ${this.#summary(channel)}`;
      return await within(passed.promise, waitedFor, ms, (restart) => (again = restart));
    } finally {
      this.#wakes.delete(look);
    }
  }

  /** Resolves once this text was said by anybody. */
  async untilText(channel: string, part: string, ms?: number): Promise<readonly Heard[]> {
    return await this.until(channel, (heard) => heard.some(({ text }) => text.includes(part)), `"${part}"`, ms);
  }

  #summary(channel: string): string {
    const all = this.in(channel);
    const last = all.slice(-5).map(({ kind, nick, text }) => `${kind} ${nick}: ${text}`);
    return `${all.length}, last:\n${last.join("\n")}\n${this.#context().slice(-2_000)}`;
  }
}

/** The way of a person into the channels; whoever does not get there leaves. */
export async function settleIn(person: Pick<Person, "quit">, enter: () => Promise<void>): Promise<void> {
  try {
    await enter();
  } catch (error) {
    await person.quit();
    throw error;
  }
}

import path from "node:path";
import { within } from "../../support/wait.ts";
import { Child } from "../child.ts";
import { PYTHON } from "../installed.ts";

const SCRIPT = path.join(import.meta.dirname, "slixmpp-person.py");
const PATIENCE_MS = 30_000;

/** A groupchat message as the client read it. */
export interface SeenMessage {
  readonly kind: "message";
  readonly room: string;
  readonly nick: string;
  readonly id: string | null;
  /** The room's id for it. */
  readonly sid: string | null;
  readonly body: string | null;
  readonly subject: string | null;
  readonly late: boolean;
  readonly replaces: string | null;
  readonly reply: string | null;
  /** Where in the body the quote for older clients begins and ends. */
  readonly quote: readonly [string, string] | null;
  readonly retracts: string | null;
  readonly moderates: string | null;
  readonly reacts: string | null;
  readonly emojis: readonly string[];
  readonly oob: string | null;
  /** Whether its author types (XEP-0085). */
  readonly state: string | null;
  readonly unstyled: boolean;
}

interface SeenPresence {
  readonly kind: "presence";
  readonly room: string;
  readonly nick: string;
  readonly here: boolean;
  readonly codes: readonly string[];
  readonly rename: string | null;
}

type Seen =
  | SeenMessage
  | SeenPresence
  | { readonly kind: "online"; readonly jid: string }
  | { readonly kind: "refused"; readonly room: string; readonly condition: string }
  | { readonly kind: "error"; readonly condition: string }
  | { readonly kind: "done"; readonly tag: number; readonly result: unknown }
  | { readonly kind: "failed"; readonly tag: number; readonly error: string };

/** An element of a message: namespace, name, attributes, children. */
export type Extension = readonly [string, string, Readonly<Record<string, string>>, readonly Inner[]];
/** The same with a text in place of children. */
type Inner = readonly [string, string, Readonly<Record<string, string>>, string];

interface SlixmppOptions {
  readonly port: number;
  readonly jid: string;
  readonly password: string;
  readonly nick: string;
}

/** Somebody with a client on slixmpp, which shows everything it sees in rooms. Rooms are named by their addresses. */
export class SlixmppPerson {
  nick: string;
  readonly #child: Child;
  readonly #seen: Seen[] = [];
  readonly #wakes = new Set<() => void>();
  #rest = "";
  #tags = 0;

  private constructor({ port, jid, password, nick }: SlixmppOptions) {
    this.nick = nick;
    const decoder = new TextDecoder();
    this.#child = new Child({
      command: [PYTHON, SCRIPT, String(port), jid, password],
      onOutput: (part) => this.#read(decoder.decode(part, { stream: true })),
    });
  }

  /** Resolves when logged in. */
  static async connect(options: SlixmppOptions): Promise<SlixmppPerson> {
    const person = new SlixmppPerson(options);
    await person.until((seen) => seen.some(({ kind }) => kind === "online"), "to be online");
    return person;
  }

  /** All messages of a room so far, and our own. */
  messages(room: string): readonly SeenMessage[] {
    return this.#seen.filter((one): one is SeenMessage => one.kind === "message" && one.room === room);
  }

  /** Enters a room, under our nick; rejects when it does not let us in. */
  async join(room: string, password = ""): Promise<void> {
    const from = this.#seen.length;
    this.#tell({ do: "join", room, nick: this.nick, password });
    const since = (): readonly Seen[] => this.#seen.slice(from);
    const own = (one: Seen): boolean =>
      one.kind === "presence" && one.room === room && one.here && one.codes.includes("110");
    const refusal = (one: Seen): boolean => one.kind === "refused" && one.room === room;
    await this.until(() => since().some((one) => own(one) || refusal(one)), `to enter ${room}`);
    const refused = since().find(refusal);
    if (refused !== undefined) throw new Error(`${room} does not let ${this.nick} in: ${JSON.stringify(refused)}`);
  }

  leave(room: string, reason: string): void {
    this.#tell({ do: "leave", room, nick: this.nick, reason });
  }

  /** The id is this client's own. */
  say(
    room: string,
    body: string | null,
    extensions: readonly Extension[] = [],
    id: string = crypto.randomUUID(),
  ): string {
    this.#tell({ do: "say", room, id, ...(body !== null && { body }), extensions });
    return id;
  }

  /** Resolves with what the room made of a message of ours, once it shows it. */
  async shown(room: string, id: string): Promise<SeenMessage> {
    const own = (): SeenMessage | undefined =>
      this.messages(room).find((one) => one.nick === this.nick && one.id === id);
    await this.until(() => own() !== undefined, `${room} to show ${id}`);
    const message = own();
    if (message === undefined) throw new Error("what was there is gone");
    return message;
  }

  async rename(room: string, nick: string): Promise<void> {
    this.#tell({ do: "nick", room, nick });
    await this.until(
      (seen) => seen.some((one) => one.kind === "presence" && one.room === room && one.here && one.nick === nick),
      `to be ${nick}`,
    );
    this.nick = nick;
  }

  setSubject(room: string, subject: string): void {
    this.#tell({ do: "subject", room, subject });
  }

  /** What the client is to do as its script says; resolves with its answer. */
  async ask(
    what: "kick" | "affiliate" | "configure" | "moderate" | "picture" | "upload",
    fields: object,
  ): Promise<unknown> {
    const tag = this.#tell({ do: what, ...fields });
    const answer = (): Seen | undefined =>
      this.#seen.find((one) => (one.kind === "done" || one.kind === "failed") && one.tag === tag);
    await this.until(() => answer() !== undefined, `the answer to ${what}`);
    const found = answer();
    if (found?.kind !== "done") throw new Error(`${what} failed: ${JSON.stringify(found)}`);
    return found.result;
  }

  /** Characters of the stream, as they are. */
  raw(xml: string): void {
    this.#tell({ do: "raw", xml });
  }

  /** Resolves as soon as what was seen passes. */
  async until(enough: (seen: readonly Seen[]) => boolean, what: string): Promise<void> {
    const passed = Promise.withResolvers<void>();
    let again = (): void => undefined;
    const look = (): void => {
      again();
      if (enough(this.#seen)) passed.resolve();
    };
    const end = this.#child.exited.then(() =>
      Promise.reject(new Error(`${this.nick} is gone:\n${this.#child.output.slice(-2_000)}`)),
    );
    this.#wakes.add(look);
    look();
    try {
      await within(
        Promise.race([passed.promise, end]),
        () => `${this.nick} ${what}; it printed:\n${this.#child.output.slice(-2_000)}`,
        PATIENCE_MS,
        (restart) => (again = restart),
      );
    } finally {
      this.#wakes.delete(look);
    }
  }

  async quit(): Promise<void> {
    await this.#child.stop();
  }

  #tell(command: object): number {
    this.#tags += 1;
    this.#child.write(`${JSON.stringify({ ...command, tag: this.#tags })}\n`);
    return this.#tags;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("{")) this.#seen.push(JSON.parse(line) as Seen);
    for (const wake of this.#wakes) wake();
  }
}

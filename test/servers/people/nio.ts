import path from "node:path";
import { within } from "../../support/wait.ts";
import { Child } from "../child.ts";
import { PYTHON } from "../installed.ts";

const SCRIPT = path.join(import.meta.dirname, "nio-people.py");
/** Servers and clients of others take their time on a busy machine. */
const PATIENCE_MS = 30_000;

type Fields = Readonly<Record<string, unknown>>;

/** An event of a room, as nio handed it over. */
export interface Seen {
  readonly room: string;
  /** The name its sender has in the room. */
  readonly by: string;
  readonly event: Fields;
}

/** Somebody with a client on matrix-nio. */
export interface NioPerson {
  readonly id: string;
  /** Everything seen so far, in order. */
  readonly seen: readonly Seen[];
  /** A command of nio-people.py; resolves to its result. */
  ask(what: string, fields?: Fields): Promise<unknown>;
}

interface Answer {
  readonly n?: number;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly who?: string;
}

/** Many people in one program: it starts once. */
export class NioPeople {
  readonly #child: Child;
  readonly #seen = new Map<string, Seen[]>();
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #rest = "";
  #count = 0;

  constructor(server: string) {
    const decoder = new TextDecoder();
    this.#child = new Child({
      command: [PYTHON, SCRIPT, server],
      onOutput: (part) => {
        const lines = (this.#rest + decoder.decode(part, { stream: true })).split("\n");
        this.#rest = lines.pop() ?? "";
        for (const line of lines) this.#take(JSON.parse(line) as Answer);
      },
    });
  }

  /** Registers somebody new. `deaf`: sees no events. */
  async person(name: string, { password = "correct horse", deaf = false } = {}): Promise<NioPerson> {
    const seen: Seen[] = [];
    this.#seen.set(name, seen);
    const ask = async (what: string, fields: Fields = {}): Promise<unknown> => await this.#ask(name, what, fields);
    return { id: String(await ask("start", { password, deaf })), seen, ask };
  }

  /** The person with this id leaves; whoever has left already is no matter. */
  async quit(id: string): Promise<void> {
    const name = id.replace(/^@|:.*$/gu, "");
    if (this.#seen.delete(name)) await this.#ask(name, "quit", {});
  }

  async stop(): Promise<void> {
    await this.#child.stop();
  }

  async #ask(who: string, what: string, fields: Fields): Promise<unknown> {
    const n = (this.#count += 1);
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(n, waiting);
    this.#child.write(`${JSON.stringify({ n, who, do: what, ...fields })}\n`);
    return await within(
      waiting.promise,
      () => `${who} to ${what}; it printed:\n${this.#child.output.slice(-2_000)}`,
      PATIENCE_MS,
    );
  }

  #take(answer: Answer): void {
    if (answer.n === undefined) {
      this.#seen.get(answer.who ?? "")?.push(answer as unknown as Seen);
      return;
    }
    const waiting = this.#waiting.get(answer.n);
    this.#waiting.delete(answer.n);
    if (answer.ok === true) waiting?.resolve(answer.result);
    else waiting?.reject(new Error(String(answer.result)));
  }
}

import { readFileSync } from "node:fs";
import path from "node:path";
import { Inbox, within } from "../../support/wait.ts";
import { Child } from "../child.ts";
import { pathOf, SYNAPSE_ROOT } from "../installed.ts";
import type { WireUpdate } from "./wire.ts";

const SCRIPT = readFileSync(path.join(import.meta.dirname, "ptb.py"), "utf8");
const PATIENCE_MS = 60_000;

interface Line {
  readonly n?: number;
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly more?: unknown;
  readonly update?: WireUpdate;
}

/** What the library threw: its class with the words, and the seconds or the chat that it has read from the answer. */
class PtbError extends Error {
  readonly more: unknown;

  constructor(what: string, more: unknown) {
    super(what);
    this.name = what.replace(/:.*$/s, "");
    this.more = more;
  }
}

/** A bot on python-telegram-bot, which runs in the folder that holds it. */
export class PtbBot {
  readonly #child: Child;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #heard = new Inbox<WireUpdate>();
  #rest = "";
  #count = 0;

  constructor(url: string, token: string) {
    const decoder = new TextDecoder();
    const python = pathOf("python3-python-telegram-bot");
    this.#child = new Child({
      command: ["chroot", SYNAPSE_ROOT, python, "-c", SCRIPT, url, token],
      onOutput: (part) => {
        const lines = (this.#rest + decoder.decode(part, { stream: true })).split("\n");
        this.#rest = lines.pop() ?? "";
        for (const line of lines) this.#take(JSON.parse(line) as Line);
      },
    });
  }

  /** Calls a method by the library's name; `poll` and `download` are ours. */
  async call(what: string, args: object = {}): Promise<unknown> {
    const n = (this.#count += 1);
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(n, waiting);
    this.#child.write(`${JSON.stringify({ n, do: what, args })}\n`);
    return await within(waiting.promise, () => `${what}; it printed:\n${this.#child.output.slice(-2000)}`, PATIENCE_MS);
  }

  async next(): Promise<WireUpdate> {
    const over = this.#child.exited.then(() => this.#child.output);
    return await this.#heard.next(() => "an update", over, PATIENCE_MS);
  }

  async stop(): Promise<void> {
    await this.#child.stop();
  }

  #take({ n, ok, result, more, update }: Line): void {
    if (update !== undefined) this.#heard.push(update);
    if (n === undefined) return;
    const waiting = this.#waiting.get(n);
    this.#waiting.delete(n);
    if (ok === true) waiting?.resolve(result);
    else waiting?.reject(new PtbError(String(result), more));
  }
}

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { StatusView } from "../../../src/admin/views.ts";
import { ask } from "../../../src/cli/client.ts";
import type { Rialto } from "../../support/rialto.ts";
import { masked, pageOf, terminalOf } from "./words.ts";

const PROGRAM = path.join(import.meta.dirname, "../../../bin/rialto.js");
/** Servers, people's programs and six Rialtos share the machine with other tests. */
const PATIENCE_MS = 90_000;
/** Longest that a view may be another than the page has it. */
const USUAL_MS = 60_000;

/** Asks again until the answer passes. */
export async function until<T>(
  look: () => T | Promise<T>,
  passes: (answer: T) => boolean,
  what: string,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  for (const begun = Date.now(); ;) {
    const answer = await look();
    if (passes(answer)) return answer;
    if (Date.now() - begun > patienceMs)
      throw new Error(`waited for ${what}; there is:\n${JSON.stringify(answer, null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What an operator sees, with what differs from run to run taken out. */
export interface Sights {
  readonly terminal: string;
  readonly page: string;
  readonly json: string;
  readonly log: string;
}

/** Looks at a Rialto as an operator does. */
export class Operator {
  readonly #rialto: Rialto;
  readonly #config: string;

  /** `config`: as it was started with. */
  constructor(rialto: Rialto, config: string) {
    this.#rialto = rialto;
    this.#config = config;
  }

  get #socket(): string {
    return path.join(this.#rialto.dataPath, "rialto.sock");
  }

  async status(): Promise<StatusView> {
    return JSON.parse((await ask(this.#socket, { method: "GET", path: "/api/v1/status" })).body) as StatusView;
  }

  /** Writes the configuration with these words in place of those, and resolves once it holds. */
  async change(...replacements: readonly (readonly [string, string])[]): Promise<void> {
    const text = replacements.reduce((rest, [from, to]) => rest.replace(from, to), this.#config);
    await writeFile(this.#rialto.file, await this.#rialto.text(text));
    await this.#run("reload");
  }

  /**
   * What is to be seen while it is so. It may be otherwise for a moment, while something is tried again: then it is
   * looked at again.
   */
  async look(situation: Situation): Promise<Sights> {
    const home = this.#rialto.dataPath;
    const { says, retries, told, account, messages } = situation;
    const has = (text: string, retry: string): boolean =>
      says.every((words) => text.includes(words)) && (!retries || text.includes(retry));
    const view = async (show: () => Promise<string>, retry: string, what: string): Promise<string> => {
      const text = await until(show, (shown) => has(shown, retry), what);
      if (told === null || told.includes(text)) return text;
      // A moment in which something was under way: the next one may be as usual. What is different is for the test to
      // say.
      return await until(show, (shown) => told.includes(shown), what, USUAL_MS).catch(() => text);
    };
    const terminal = await view(async () => terminalOf(await this.#run("status"), home), "again in", "the terminal");
    const html = async (): Promise<string> => (await ask(this.#socket, { method: "GET", path: "/" })).body;
    const page = await view(async () => pageOf(await html(), home), "again in", "the page");
    const retried = '"retryMs": "‹time›"';
    const json = await view(async () => jsonOf(await this.status(), account, home), retried, "the JSON");
    const log = await until(
      () => messages.map((pattern) => this.#line(pattern)),
      (lines) => lines.every((line) => line !== null),
      "the log",
    );
    return { terminal, page, json, log: log.map((line) => masked(line ?? "", home)).join("\n") };
  }

  #line(pattern: RegExp): string | null {
    return (
      this.#rialto
        .output()
        .split("\n")
        .find((line) => line.startsWith("{") && pattern.test(line)) ?? null
    );
  }

  /** A command of the installed program. Exit code 1 is for something that is not well. */
  async #run(command: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, [PROGRAM, command, "--socket", this.#socket], (error, stdout, stderr) => {
        if (error !== null && error.code !== 1)
          reject(new Error(`rialto ${command}: ${stdout}${stderr}`, { cause: error }));
        else resolve(stdout);
      });
    });
  }
}

export interface Situation {
  /** What the page says of it; null: nothing that counts. */
  readonly told: string | null;
  /** Words of every view. */
  readonly says: readonly string[];
  /** It is said when something is tried again. */
  readonly retries: boolean;
  /** The account of the JSON that is shown; null: none. */
  readonly account: string | null;
  /** The lines of the log that are shown: the first of each. */
  readonly messages: readonly RegExp[];
}

/** The troubles, whether the log takes messages, and one account. */
function jsonOf({ troubles, log, accounts }: StatusView, account: string | null, home: string): string {
  const own = troubles.filter(({ of }) => of !== "the event loop");
  const { takes, why } = log;
  const found = accounts.find((each) => each.account === account);
  const shown = { troubles: own, log: { takes, why }, ...(found !== undefined && { accounts: [found] }) };
  const left = new Set(["key", "protocol", "reconnects", "accepted", "dropped", "delivered", "heardMs", "as"]);
  const text = JSON.stringify(
    shown,
    (name, value: unknown) => {
      if (left.has(name)) return undefined;
      if (name === "oldest" && value !== null) return { seq: "‹number›", tries: "‹number›" };
      if (name === "waiting" && value !== 0) return "‹number›";
      return name.endsWith("Ms") && typeof value === "number" ? "‹time›" : value;
    },
    2,
  );
  return masked(text, home);
}

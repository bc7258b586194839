import { formatProblems } from "../config/problem-lines.ts";
import type { Loaded } from "../config/load.ts";
import { hasErrors, type ConfigProblem } from "../config/problems.ts";
import type { Logger } from "../logger.ts";
import { type Changed, changeConfig, type Moved, type Running } from "./change.ts";
import { type ConfigFile, faultOfChange, faultOfFile } from "./config-file.ts";

/** What has come of reading the configuration again. */
export type Reloaded =
  | Exclude<Changed, { is: "impossible" }>
  /** The old configuration stays. */
  | { readonly is: "refused"; readonly problems: readonly ConfigProblem[] };

/** Reads the configuration again while the program runs, and goes on with it; says in the log what has come of that. */
export class Reloader {
  readonly #running: Running;
  readonly #read: () => Loaded | Promise<Loaded>;
  readonly #file: ConfigFile;
  readonly #logger: Logger;
  #last: Promise<unknown> = Promise.resolve();
  /** One that has not begun: who asks meanwhile gets the same answer. */
  #next: Promise<Reloaded> | null = null;
  #stopped = false;

  /** `read`: loads what the program was started with, as it is now. `file` gets the result of each reload. */
  constructor(running: Running, read: () => Loaded | Promise<Loaded>, file: ConfigFile, logger: Logger) {
    this.#running = running;
    this.#read = read;
    this.#file = file;
    this.#logger = logger;
  }

  /** Resolves when all has moved that is to move. One at a time. Never rejects but for bugs. */
  reload(): Promise<Reloaded> {
    this.#next ??= this.#queue();
    return this.#next;
  }

  /** Nothing is reloaded any more; what is under way is not waited for. */
  stop(): void {
    this.#stopped = true;
  }

  async #queue(): Promise<Reloaded> {
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => undefined);
      this.#next = null;
      return await this.#reload();
    })();
    this.#last = own;
    return await own;
  }

  async #reload(): Promise<Reloaded> {
    if (this.#stopped) return this.#refuse([], ["Rialto is stopping"]);
    const loaded = await this.#read();
    // A start goes on without what an error concerns; what runs is not taken away because of one.
    if (!loaded.ok || hasErrors(loaded.problems)) {
      this.#file.refused(faultOfFile(loaded));
      return this.#refuse(loaded.problems, []);
    }
    const changed = await changeConfig(loaded.config, this.#running);
    if (changed.is === "impossible") {
      this.#file.refused(faultOfChange(changed.reasons, changed.passes));
      return this.#refuse(loaded.problems, changed.reasons);
    }
    this.#file.accepted(changed.is === "applied");
    if (changed.is === "applied") {
      for (const problem of loaded.problems) this.#logger.warn({ problem: lineOf(problem) }, "the configuration");
      this.#logger.info(briefOf(changed.moved), "the configuration was reloaded");
    } else this.#logger.debug("the configuration has not changed");
    if (changed.needsRestart.length > 0)
      this.#logger.warn({ settings: changed.needsRestart }, "these settings have changed, and need a restart");
    return changed;
  }

  #refuse(found: readonly ConfigProblem[], reasons: readonly string[]): Reloaded {
    const file = this.#running.config.path ?? "";
    const own = reasons.map((message): ConfigProblem => ({
      severity: "error",
      code: "reload",
      file,
      line: 0,
      column: 0,
      message,
      remedy: "",
    }));
    const problems = [...found, ...own];
    for (const problem of problems) {
      const level = problem.severity === "error" ? "error" : "warn";
      this.#logger[level]({ problem: lineOf(problem) }, "the configuration");
    }
    this.#logger.error("the configuration was not reloaded: the old one stays in use");
    return { is: "refused", problems };
  }
}

/** As `rialto check` has it. */
const lineOf = (problem: ConfigProblem): string => formatProblems([problem]).trimEnd();

/** Only what there is, and of long lists the number. */
function briefOf({ accounts, gateways, general }: Moved): Readonly<Record<string, unknown>> {
  const lists = {
    ...named("accounts", accounts),
    ...named("gateways", gateways),
    settings: general,
  };
  const told = Object.entries(lists).filter(([, names]) => names.length > 0);
  return Object.fromEntries(told.map(([what, names]) => [what, names.length > SHOWN_MAX ? names.length : names]));
}

const named = (
  what: string,
  sides: Moved["accounts"] | Moved["gateways"],
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries<readonly string[]>({ ...sides }).map(([side, names]) => [`${what}_${side}`, names]),
  );

const SHOWN_MAX = 20;

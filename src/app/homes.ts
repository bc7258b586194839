import { LogError } from "../log/errors.ts";
import type { Fence } from "../log/fence.ts";
import type { Log } from "../log/log.ts";
import { isObject, readJson } from "../lib/shapes.ts";

/** By account: where its home is kept. */
const HOME_STEM = "home/";
/** How often it is looked whether a home is still one, in ms. */
const LOOK_MS = 60_000;
/** Who was away for so long is no home any more: what was said since is where the account is now. In ms. */
const AWAY_MS = 24 * 60 * 60 * 1000;

/** The node that has the data of an account. */
interface Home {
  readonly node: string;
  /** Unix ms since when it was seen to be away; null: it was there. */
  readonly awayMs: number | null;
}

interface Seen {
  /** The node that runs the account, and looks. */
  readonly own: string;
  readonly lives: (node: string) => boolean;
  /** Unix ms. */
  readonly nowMs: number;
}

/** The home of an account, by what was known of it; null: nothing, so it is where it runs first. Pure. */
export function homeOf(known: Home | null, { own, lives, nowMs }: Seen): Home {
  if (known === null || known.node === own) return { node: own, awayMs: null };
  if (lives(known.node)) return { node: known.node, awayMs: null };
  if (known.awayMs === null) return { node: known.node, awayMs: nowMs };
  return nowMs - known.awayMs < AWAY_MS ? known : { node: own, awayMs: null };
}

interface HomesOptions extends Pick<Seen, "lives"> {
  readonly log: Pick<Log, "marks" | "mark">;
  readonly fence: Pick<Fence, "own" | "current" | "changed">;
  /** The accounts that have a home, by the configuration as it is now. */
  readonly accounts: () => readonly string[];
  /** Told of the homes of those that run here. */
  readonly told: (homes: ReadonlyMap<string, string>) => void;
  readonly nowMs: () => number;
}

/** Where accounts belong whose data is on one node: who runs one keeps that in the log, for whoever runs it later. */
export class Homes {
  readonly #options: HomesOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;
  #looks: Promise<void> = Promise.resolve();

  constructor(options: HomesOptions) {
    this.#options = options;
    const { fence, accounts } = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#unlisten = fence.changed(({ account, run }) => {
      if (run === fence.own.run && accounts().includes(account)) this.#look();
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
  }

  /** One after the other. */
  #look(): void {
    this.#looks = this.#looks.then(async () => {
      try {
        await this.#find();
      } catch (error) {
        // The next look tries again.
        if (!(error instanceof LogError)) throw error;
      }
    });
  }

  async #find(): Promise<void> {
    const { log, fence, accounts, lives, told, nowMs } = this.#options;
    const marks = await log.marks(HOME_STEM);
    const homes = new Map<string, string>();
    for (const account of accounts()) {
      if (fence.current(account).run !== fence.own.run) continue;
      const name = `${HOME_STEM}${account}`;
      const home = homeOf(read(marks.get(name)), { own: fence.own.node, lives, nowMs: nowMs() });
      const value = JSON.stringify(home);
      if (value !== marks.get(name)) await log.mark([{ name, value }], { account });
      homes.set(account, home.node);
    }
    told(homes);
  }
}

/** Lets go of the homes of accounts that are not among these. Rejects with a LogError. */
export async function forgetHomes(log: Pick<Log, "marks" | "unmark">, accounts: ReadonlySet<string>): Promise<void> {
  const gone = [...(await log.marks(HOME_STEM)).keys()].filter((name) => !accounts.has(name.slice(HOME_STEM.length)));
  if (gone.length > 0) await log.unmark(gone);
}

function read(value: string | undefined): Home | null {
  const home = readJson(value);
  if (!isObject(home) || typeof home["node"] !== "string") return null;
  return { node: home["node"], awayMs: typeof home["awayMs"] === "number" ? home["awayMs"] : null };
}

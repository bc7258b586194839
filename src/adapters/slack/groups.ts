import type { Clock } from "../../contract/host.ts";
import { inTime } from "../kit/in-time.ts";
import type { SlackApi } from "./api.ts";

/** So many groups of people of a workspace are known. */
const GROUPS_MAX = 5_000;
/** One that nobody knows may be new: all are asked for again, but not more often. */
const AGAIN_MS = 300_000;

interface SlackGroupsOptions {
  readonly api: Pick<SlackApi, "groups">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  /** Whether we have the right to ask now. */
  readonly mayAsk: () => boolean;
}

/** The groups of people that a text may call, such as `@crew`, by their ids. */
export class SlackGroups {
  readonly #options: SlackGroupsOptions;
  readonly #names = new Map<string, string>();
  #reading: Promise<void> | null = null;
  #againMs = -Infinity;

  constructor(options: SlackGroupsOptions) {
    this.#options = options;
  }

  /** Null: nobody knows. */
  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  /** Those of which nobody knows the name, and to ask may tell it. */
  toAsk(ids: readonly string[]): readonly string[] {
    const { clock, mayAsk } = this.#options;
    const isTime = this.#reading !== null || clock.monoMs() >= this.#againMs;
    return isTime && mayAsk() ? ids.filter((id) => !this.#names.has(id)) : [];
  }

  /** Asks which there are, if that may tell more, and waits so long at most. Never rejects. */
  async learn(ids: readonly string[], ms: number): Promise<void> {
    if (this.toAsk(ids).length === 0) return;
    const { clock } = this.#options;
    this.#reading ??= this.#learn();
    await inTime(this.#reading, { clock, ms, signal: never }, () => undefined);
  }

  async #learn(): Promise<void> {
    const { api, clock } = this.#options;
    const answer = await api.groups(never);
    if (answer.ok) {
      this.#names.clear();
      for (const [id, name] of answer.value.slice(0, GROUPS_MAX)) this.#names.set(id, name);
    }
    this.#againMs = clock.monoMs() + AGAIN_MS;
    this.#reading = null;
  }
}

const never = new AbortController().signal;

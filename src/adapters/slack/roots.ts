import { Lru } from "../../lib/lru.ts";
import type { SlackApi } from "./api.ts";
import type { SlackMessage } from "./model.ts";
import type { SlackResult } from "./result.ts";

/** So many messages are known to be in a thread, or in none. */
const ROOTS_MAX = 10_000;

/** The first messages of threads: only to these can be replied. */
export class SlackRoots {
  readonly #api: Pick<SlackApi, "message">;
  readonly #roots = new Lru<string, string>(ROOTS_MAX);

  constructor(api: Pick<SlackApi, "message">) {
    this.#api = api;
  }

  note(channel: string, { ts, threadTs }: Pick<SlackMessage, "ts" | "threadTs">): void {
    this.#roots.set(`${channel} ${ts}`, threadTs === "" ? ts : threadTs);
  }

  /** The first message of the thread that a message is in or may begin; null: there is no such message. */
  async of(channel: string, ts: string, signal: AbortSignal): Promise<SlackResult<string | null>> {
    const known = this.#roots.get(`${channel} ${ts}`);
    if (known !== undefined) return { ok: true, value: known };
    const answer = await this.#api.message(channel, ts, signal);
    if (!answer.ok) return answer;
    if (answer.value !== null) this.note(channel, answer.value);
    return { ok: true, value: this.#roots.get(`${channel} ${ts}`) ?? null };
  }
}

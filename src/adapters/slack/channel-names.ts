import type { Clock } from "../../contract/host.ts";
import { Directory } from "../kit/directory.ts";
import { inTime } from "../kit/in-time.ts";
import type { SlackApi } from "./api.ts";
import type { SlackChannel } from "./model.ts";

/** So many names are known at once, those that were mentioned last. */
const NAMES_MAX = 1_000;
/** What has no name for us is not asked for again for so long, nor what could not be looked up. */
const ABSENT_MS = 600_000;
const FAILED_MS = 60_000;
/** More than so many are looked for in the list of all channels first. */
const FEW = 5;
/** Pages of that list, and how long it is not read again. */
const PAGES_MAX = 10;
const LISTED_MS = 300_000;
/** Of what is not in the list so many are asked for one by one; what is mentioned beside them has no name. */
const ASKED_MAX = 10;
/** So many look-ups wait for one another; what is mentioned beyond that is told as it is. */
const WAITING_MAX = 100;

const never = new AbortController().signal;

interface SlackChannelNamesOptions {
  readonly api: Pick<SlackApi, "channel" | "channelsPage">;
  readonly clock: Pick<Clock, "monoMs" | "after">;
  /** The name of a channel that we are in; null: we are not. */
  readonly joined: (id: string) => string | null;
}

/** What channels are called that somebody mentions: looked up then, and kept fresh by events. */
export class SlackChannelNames {
  readonly #options: SlackChannelNamesOptions;
  readonly #byId: Directory<string, string>;
  /** Those that somebody has waited for in vain: nobody does that again. */
  readonly #late = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #listedUntilMs = -Infinity;

  constructor(options: SlackChannelNamesOptions) {
    const { api, clock } = options;
    this.#options = options;
    this.#byId = new Directory({
      clock,
      max: NAMES_MAX,
      absentMs: ABSENT_MS,
      failedMs: FAILED_MS,
      load: async (id) => {
        const channel = await api.channel(id, never);
        if (!channel.ok) throw new Error(channel.failure.message);
        return channel.value?.name || null;
      },
    });
  }

  /** Without `#`; null: not known now. */
  nameOf(id: string): string | null {
    return this.#options.joined(id) ?? this.#byId.known(id) ?? null;
  }

  /** Those that somebody has to be asked for, and can be asked now. */
  toAsk(ids: Iterable<string>): readonly string[] {
    if (this.#waiting >= WAITING_MAX) return [];
    return [...new Set(ids)].filter((id) => !this.#isKnown(id) && !this.#byId.hasFailed(id) && !this.#late.has(id));
  }

  /** Looks up those that are not known, a bounded number of them, in bounded time. Never rejects. */
  async learn(ids: Iterable<string>, ms: number): Promise<void> {
    const unknown = this.toAsk(ids);
    if (unknown.length === 0) return;
    // Whoever asks for the same ones meanwhile finds them then.
    const learned = this.#last.then(async () => await this.#learn(unknown));
    this.#waiting += 1;
    this.#last = learned;
    await inTime(learned, { clock: this.#options.clock, ms }, () => {
      for (const id of unknown) this.#late.add(id);
      void learned.then(() => {
        for (const id of unknown) this.#late.delete(id);
      });
    });
  }

  /** Null: it says nothing. */
  renamed(channel: Pick<SlackChannel, "id" | "name"> | null): void {
    if (channel === null || channel.name === "" || this.#byId.known(channel.id) === undefined) return;
    this.#byId.put(channel.id, channel.name);
  }

  async #learn(ids: readonly string[]): Promise<void> {
    try {
      await this.#lookUp(ids);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #lookUp(ids: readonly string[]): Promise<void> {
    const { clock } = this.#options;
    const unknown = ids.filter((id) => !this.#isKnown(id));
    if (unknown.length > FEW && clock.monoMs() >= this.#listedUntilMs) {
      this.#listedUntilMs = clock.monoMs() + LISTED_MS;
      await this.#list(new Set(unknown));
    }
    const left = unknown.filter((id) => !this.#isKnown(id) && !this.#byId.hasFailed(id));
    for (const id of left.slice(0, ASKED_MAX)) await this.#byId.get(id);
  }

  async #list(missing: Set<string>): Promise<void> {
    let cursor = "";
    for (let page = 0; page < PAGES_MAX && missing.size > 0; page += 1) {
      const listed = await this.#options.api.channelsPage({ mine: false, cursor }, never);
      if (!listed.ok) return;
      for (const { id, name } of listed.value.channels) if (missing.delete(id)) this.#byId.put(id, name);
      if (listed.value.next === "" || listed.value.next === cursor) return;
      cursor = listed.value.next;
    }
  }

  #isKnown(id: string): boolean {
    return id === "" || this.#options.joined(id) !== null || this.#byId.known(id) !== undefined;
  }
}

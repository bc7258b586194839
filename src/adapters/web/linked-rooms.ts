import type { Clock, LinkedChannels, LinkedReader } from "../../contract/host.ts";
import type { WebMembers, WebMembersChange } from "../../contract/web-chat.ts";
import { inTime } from "../kit/in-time.ts";
import { channelRef } from "./ids.ts";
import { changeOf, networksOf } from "./networks.ts";

/** Changes within this time are sent together. */
const COLLECT_MS = 250;
/** Between two reads of one room. */
const PAUSE_MS = 1_000;
/** Read again after this time, also when nothing has been heard, as of a network that has lost its connection. */
const LOOK_MS = 10_000;
/** Most time that a request waits for a read. */
const WAIT_MS = 2_000;

interface LinkedRoom {
  readonly unwatch: () => void;
  read: LinkedChannels;
  view: Pick<WebMembers, "networks" | "version">;
  /** When the next read may begin, by the clock that only counts on. */
  nextMs: number;
  reading: Promise<void> | null;
  /** Something has changed since the last read began. */
  isStale: boolean;
  /** Ends the wait for the next read. */
  cancel: () => void;
  dueMs: number;
}

interface LinkedRoomsOptions {
  readonly linked: LinkedReader | undefined;
  readonly clock: Clock;
  /** Whether a page of the room is open. */
  readonly isWatched: (room: string) => boolean;
  readonly onChange: (room: string, change: WebMembersChange) => void;
}

const NOTHING: LinkedChannels = { channels: [], people: [], labels: [] };

/** Who is in the channels that are linked with each room. It is read while pages are open, and when a guest joins. */
export class LinkedRooms {
  readonly #options: LinkedRoomsOptions;
  readonly #rooms = new Map<string, LinkedRoom>();

  constructor(options: LinkedRoomsOptions) {
    this.#options = options;
  }

  open(room: string): void {
    this.close(room);
    const { linked } = this.#options;
    const unwatch = linked?.watch(channelRef(room), () => this.#moved(room)) ?? (() => undefined);
    const view = { networks: [], version: 0 };
    const cancel = (): void => undefined;
    const none = { reading: null, isStale: true, cancel, dueMs: Infinity, nextMs: -Infinity };
    this.#rooms.set(room, { unwatch, read: NOTHING, view, ...none });
  }

  close(room: string): void {
    const known = this.#rooms.get(room);
    known?.unwatch();
    known?.cancel();
    this.#rooms.delete(room);
  }

  stop(): void {
    for (const room of this.#rooms.keys()) this.close(room);
  }

  /** As it is now, or was a moment ago. */
  async view(room: string): Promise<LinkedRoom["view"]> {
    return (await this.#fresh(room))?.view ?? { networks: [], version: 0 };
  }

  /** The names that people and everything else have there. */
  async names(room: string): Promise<Pick<LinkedChannels, "people" | "labels">> {
    return (await this.#fresh(room))?.read ?? NOTHING;
  }

  async #fresh(room: string): Promise<LinkedRoom | undefined> {
    const { clock } = this.#options;
    const known = this.#rooms.get(room);
    if (known === undefined) return undefined;
    const isFresh = known.reading === null && clock.monoMs() < known.nextMs;
    if (!isFresh) await inTime(this.#read(room, known), { clock, ms: WAIT_MS }, () => undefined);
    if (known.reading === null) this.#later(room, known, known.isStale ? COLLECT_MS : LOOK_MS);
    return known;
  }

  #moved(room: string): void {
    const known = this.#rooms.get(room);
    if (known === undefined) return;
    known.isStale = true;
    if (known.reading === null) this.#later(room, known, COLLECT_MS);
  }

  #later(room: string, known: LinkedRoom, ms: number): void {
    const { clock, isWatched } = this.#options;
    const nowMs = clock.monoMs();
    const dueMs = Math.max(nowMs + ms, known.nextMs);
    if (dueMs >= known.dueMs || this.#rooms.get(room) !== known || !isWatched(room)) return;
    known.cancel();
    known.dueMs = dueMs;
    known.cancel = clock.after(dueMs - nowMs, () => {
      known.dueMs = Infinity;
      if (isWatched(room)) void this.#read(room, known);
    });
  }

  async #read(room: string, known: LinkedRoom): Promise<void> {
    known.reading ??= this.#once(room, known).finally(() => {
      known.reading = null;
      this.#later(room, known, known.isStale ? COLLECT_MS : LOOK_MS);
    });
    await known.reading;
  }

  async #once(room: string, known: LinkedRoom): Promise<void> {
    const { linked, clock, onChange } = this.#options;
    known.isStale = false;
    known.read = (await linked?.read(channelRef(room))) ?? NOTHING;
    known.nextMs = clock.monoMs() + PAUSE_MS;
    const networks = networksOf(known.read.channels);
    const change = changeOf(known.view.networks, networks);
    if (change === null || this.#rooms.get(room) !== known) return;
    const { version: from } = known.view;
    known.view = { networks, version: from + 1 };
    onChange(room, { type: "members", from, version: from + 1, ...change });
  }
}

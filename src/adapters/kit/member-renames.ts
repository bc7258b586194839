import type { Author, Event, Membership } from "../../contract/events.ts";
import type { ChannelRef, UserRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";

/** Of so many people it is known where they were heard. */
const PEOPLE_MAX = 3_000;

/** Where people are known by their names: there, and nowhere else, it is told when somebody takes another. */
export class MemberRenames {
  readonly #places = new Lru<UserRef, Set<ChannelRef>>(PEOPLE_MAX);

  /** What was told of people in a channel. */
  note(events: readonly Event[]): void {
    for (const { echoOf, channel, ...event } of events) {
      if (echoOf !== null || (event.kind !== "posted" && event.kind !== "member")) continue;
      const { id } = event.author;
      const places = this.#places.get(id) ?? new Set();
      if (event.kind === "member" && event.change === "leave") places.delete(channel);
      else places.add(channel);
      this.#places.set(id, places);
    }
  }

  told(before: Author, after: Author, atMs: number): readonly Membership[] {
    if (before.name === after.name) return [];
    const text = `${before.name} is now known as ${after.name}`;
    return Array.from(this.#places.get(after.id) ?? [], (channel) => ({
      kind: "member",
      channel,
      key: null,
      atMs,
      echoOf: null,
      author: after,
      change: "rename",
      newName: after.name,
      text,
    }));
  }
}

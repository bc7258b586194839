import { objectIn, textIn } from "../kit/json.ts";
import type { RoomEvent } from "./receive.ts";

/** What an event says of our own being in the room; null: nothing. */
export function ownChange(event: RoomEvent, user: string): "enter" | "leave" | null {
  if (event.type !== "m.room.member" || event.stateKey !== user) return null;
  const is = textIn(event.content, "membership") === "join";
  const was = textIn(objectIn(objectIn(event.raw, "unsigned"), "prev_content"), "membership") === "join";
  if (is === was) return null;
  return is ? "enter" : "leave";
}

export function isOwnJoin(event: RoomEvent, user: string): boolean {
  return ownChange(event, user) === "enter";
}

/** The events from while we were in the room, oldest first: a room's history from before us is not ours to tell. */
export function whilePresent(events: readonly RoomEvent[], user: string): readonly RoomEvent[] {
  const first = events.map((event) => ownChange(event, user)).find((change) => change !== null);
  let present = first !== "enter";
  return events.filter((event) => {
    const change = ownChange(event, user);
    if (change === "enter") present = true;
    const counts = present;
    if (change === "leave") present = false;
    return counts;
  });
}

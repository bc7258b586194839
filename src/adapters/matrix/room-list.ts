import { isObject, textIn } from "../kit/json.ts";
import type { Client } from "./client.ts";

/** Rooms of which the alias is asked for, one by one, and how many of them at once. */
const ASKED_MAX = 60;
const AT_ONCE = 10;
const PUBLIC_MAX = 200;

/** Rooms that we are in, then those that the homeserver tells everybody of: by their aliases where they have one. */
export async function listRooms(
  client: Pick<Client, "joinedRooms" | "publicRooms" | "state">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [joined, open] = await Promise.all([client.joinedRooms(signal), client.publicRooms(PUBLIC_MAX, signal)]);
  const known = new Map(
    (open.ok ? open.value : []).filter(isObject).map((room) => {
      return [textIn(room, "room_id") ?? "", textIn(room, "canonical_alias") ?? ""] as const;
    }),
  );
  const ours = (joined.ok ? joined.value : []).filter((id) => typeof id === "string");
  const unknown = ours.filter((id) => !known.get(id)).slice(0, ASKED_MAX);
  for (let at = 0; at < unknown.length; at += AT_ONCE) {
    if (signal.aborted) break;
    const some = unknown.slice(at, at + AT_ONCE).map(async (id) => {
      const state = await client.state(id, "m.room.canonical_alias", signal);
      known.set(id, (state.ok ? textIn(state.value, "alias") : null) ?? "");
    });
    await Promise.all(some);
  }
  return [...new Set([...ours, ...known.keys()])].map((id) => known.get(id) || id);
}

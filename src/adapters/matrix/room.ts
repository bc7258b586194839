import type { OptionalKind } from "../../contract/ops.ts";
import { type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { localpartOf, RoomMembers } from "./members.ts";

/** What is known of a room that we are in. */
export interface MatrixRoom {
  readonly id: string;
  readonly members: RoomMembers;
  /** We made it, and its version gives those who made it every right (`hasEveryRight`). */
  ours: boolean;
  /** The core has it as a channel. */
  joined: boolean;
  /** It was one, and is no longer wanted: what is said there is not handed over. */
  unwanted: boolean;
}

export function emptyRoom(id: string, isOwn: (user: string) => boolean): MatrixRoom {
  return { id, members: new RoomMembers(isOwn), ours: false, joined: false, unwanted: false };
}

/** What people in the room may know a user of ours by. */
export function namesOf(user: string, { members }: MatrixRoom): readonly string[] {
  return [user, localpartOf(user), members.get(user)?.name ?? ""];
}

/** The first room version whose creators have every right, without a power level (MSC4289). */
const CREATORS_SINCE = 12;

/** Whether the user is a creator of the room, by its whole `m.room.create`, and so has every right there. */
export function hasEveryRight(creation: Json, user: string): boolean {
  const content = objectIn(creation, "content");
  const version = textIn(content, "room_version") ?? "";
  if (!(Number(version) >= CREATORS_SINCE || version.startsWith("org.matrix.hydra."))) return false;
  return textIn(creation, "sender") === user || listIn(content, "additional_creators").includes(user);
}

/** Of state that the power levels do not name. */
const STATE_LEVEL = 50;

/** What a user may not send, by `m.room.power_levels` ("Permissions" of the specification). */
export function missingRights(
  levels: Json,
  user: string,
): { readonly cannotSpeak: boolean; readonly without: readonly OptionalKind[] } {
  const own = numberIn(objectIn(levels, "users"), user) ?? numberIn(levels, "users_default") ?? 0;
  const may = (type: string): boolean =>
    own >= (numberIn(objectIn(levels, "events"), type) ?? numberIn(levels, "events_default") ?? 0);
  const maySet = (type: string): boolean =>
    own >= (numberIn(objectIn(levels, "events"), type) ?? numberIn(levels, "state_default") ?? STATE_LEVEL);
  return {
    cannotSpeak: !may("m.room.message"),
    without: [
      ...(may("m.room.redaction") ? [] : (["delete"] as const)),
      ...(may("m.reaction") ? [] : (["react"] as const)),
      ...(maySet("m.room.topic") ? [] : (["topic"] as const)),
    ],
  };
}

/** The room that takes the place of one with this `m.room.tombstone`. */
export function replacementIn(tombstone: Json): string | null {
  const next = textIn(tombstone, "replacement_room");
  return next?.startsWith("!") === true ? next : null;
}

/** `example.org` of `#room:example.org`; null for an id without one. */
export function serverOf(name: string): string | null {
  const colon = name.indexOf(":");
  return colon === -1 ? null : name.slice(colon + 1);
}

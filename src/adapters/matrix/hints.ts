import type { Hint } from "../../contract/host.ts";
import type { Member } from "../../contract/session.ts";
import { isObject, type Json, listIn, objectIn, textIn } from "../kit/json.ts";
import { roomRef, userRef } from "./ids.ts";
import { authorOf, nameOf, type NameSettings } from "./names.ts";
import type { MatrixRoom } from "./room.ts";

/** Who type at once in a room; of more nothing is told. */
const TYPING_MAX = 100;
/** More rooms in one answer are not looked at for whether something other than typing has changed. */
const QUIET_MAX = 1000;
/** The longest list of members. */
const MEMBERS_MAX = 10_000;

interface TypingOptions {
  readonly room: (id: string) => MatrixRoom;
  readonly settings: NameSettings;
  readonly isOwn: (user: string) => boolean;
}

/** Who type in which room, as `m.typing` says it: all of them, each time. */
export class Typing {
  readonly #options: TypingOptions;
  readonly #before = new Map<string, ReadonlySet<string>>();

  constructor(options: TypingOptions) {
    this.#options = options;
  }

  /** What an answer of /sync changes. */
  take(response: Json): readonly Hint[] {
    const rooms = objectIn(objectIn(response, "rooms"), "join");
    return Object.keys(rooms).flatMap((id) => {
      const events = listIn(objectIn(objectIn(rooms, id), "ephemeral"), "events").filter(isObject);
      const typing = events.findLast((event) => textIn(event, "type") === "m.typing");
      return typing === undefined ? [] : this.#changes(id, listIn(objectIn(typing, "content"), "user_ids"));
    });
  }

  #changes(id: string, users: readonly unknown[]): readonly Hint[] {
    const { room: roomOf, settings, isOwn } = this.#options;
    const room = roomOf(id);
    if (!room.joined || room.unwanted) return [];
    const others = users.filter((user) => typeof user === "string").filter((user) => !isOwn(user));
    const now = new Set(others.slice(0, TYPING_MAX));
    const before = this.#before.get(id) ?? new Set();
    if (now.size === 0) this.#before.delete(id);
    else this.#before.set(id, now);
    const hint = (user: string, on: boolean): Hint => {
      const author = authorOf(user, null, room.members, settings);
      return { kind: "typing", channel: roomRef(id), author, on };
    };
    const ended = [...before].filter((user) => !now.has(user)).map((user) => hint(user, false));
    return [...ended, ...[...now].filter((user) => !before.has(user)).map((user) => hint(user, true))];
  }
}

/** Whether nothing but what is true only now has changed in a room of an answer of /sync. */
export const isUnchanged = (part: Json): boolean =>
  ["timeline", "state"].every((name) => listIn(objectIn(part, name), "events").length === 0) &&
  objectIn(part, "timeline")["limited"] !== true;

/** Whether an answer of /sync says nothing but who types: its position need not be kept. */
export function isOnlyTyping(response: Json): boolean {
  const { join, ...others } = objectIn(response, "rooms");
  if (!isObject(join) || Object.values(others).some((part) => isObject(part) && Object.keys(part).length > 0))
    return false;
  const ids = Object.keys(join);
  if (ids.length > QUIET_MAX) return false;
  return ids.length > 0 && ids.every((id) => isUnchanged(objectIn(join, id)));
}

/** Those who have joined, without ours. Presence is asked of nobody: few servers tell it. */
export function membersOf(
  room: MatrixRoom,
  settings: NameSettings,
  isOwn: (user: string) => boolean,
): readonly Member[] {
  const others = room.members.all.filter(([id]) => !isOwn(id)).slice(0, MEMBERS_MAX);
  return others.map(([id, { name }]) => {
    return { id: userRef(id), name: nameOf(id, name, room.members, settings), bot: false, present: null };
  });
}

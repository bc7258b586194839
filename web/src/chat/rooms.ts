import { signal } from "@preact/signals";
import type { WebRooms } from "../../../src/contract/web-chat.ts";
import { get } from "../lib/api.ts";
import { lastRoom, readUpTo } from "./kept.ts";

type RoomEntry = WebRooms["rooms"][number];

/** The rooms that this browser is in; null: not known yet. */
export const rooms = signal<WebRooms["rooms"] | null>(null);

/** The room of this page; empty: none yet. */
let here = "";

/** All requests name the room from now on, and so does the address of the page. */
export function setRoom(name: string): void {
  here = name;
  lastRoom.write(name);
  history.replaceState(null, "", addressOfRoom(name));
}

export const addressOfRoom = (name: string): string => `/?room=${encodeURIComponent(name)}`;

/** A path of the API with the room that it is about: a browser can be in several rooms. */
export function inRoom(path: string): string {
  if (here === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}room=${encodeURIComponent(here)}`;
}

/** The room that the address of the page names, or the last one; null: this browser is not in it. */
export function roomToOpen(all: readonly RoomEntry[]): RoomEntry | null {
  const named = new URLSearchParams(location.search).get("room");
  if (named !== null) return all.find(({ name }) => name === named) ?? null;
  return all.find(({ name }) => name === lastRoom.read()) ?? all[0] ?? null;
}

/** Whether something was said there that this browser has not shown. */
export const hasNews = ({ name, newest }: RoomEntry): boolean =>
  name !== here && newest !== null && newest > readUpTo(name);

/** False: the rooms are not known. */
export async function loadRooms(): Promise<boolean> {
  const answer = await get<WebRooms>("/v1/rooms");
  if (answer.ok) rooms.value = answer.value.rooms;
  return answer.ok;
}

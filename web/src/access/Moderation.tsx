import type { JSX } from "preact";
import { Guests } from "./Guests.tsx";
import { Held } from "./Held.tsx";
import { Reports } from "./Reports.tsx";
import { Rules } from "./Rules.tsx";
import { guests, held, invites, reports, rooms } from "./store.ts";
import { useFresh } from "../parts/fresh.ts";
import "./access.css";

const hasRooms = (): boolean => (rooms.value.value?.rooms ?? []).length > 0;

async function load(): Promise<void> {
  await rooms.load();
  if (hasRooms()) await Promise.all([held, guests, reports, invites].map(async (each) => await each.load()));
}

/** What operators do about guests of the web chat; nothing where there is none. */
export function Moderation(): JSX.Element | null {
  useFresh(load);
  if (!hasRooms()) return null;
  return (
    <>
      <Held />
      <Reports />
      <Guests />
      <Rules />
    </>
  );
}

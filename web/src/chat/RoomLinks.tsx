import type { JSX } from "preact";
import { confirm } from "../parts/Dialog.tsx";
import { pending } from "./outbox.ts";
import { addressOfRoom, hasNews, rooms } from "./rooms.ts";
import { left, refusal, room } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";

/**
 * A link for each room. Each room is a page load of its own, so that nothing of one room is ever shown in another.
 */
export function RoomSwitch(): JSX.Element | null {
  const all = rooms.value ?? [];
  if (all.length < 2) return null;
  return (
    <nav class="rooms" aria-label={texts.rooms}>
      <ul>
        {all.map((entry) => {
          const isHere = entry.name === room.value?.name;
          return (
            <li key={entry.name}>
              <a
                href={addressOfRoom(entry.name)}
                aria-current={isHere ? "page" : undefined}
                onClick={(event) => {
                  if (isHere || event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  void goTo(entry.name);
                }}
              >
                <bdi>{entry.name}</bdi> {hasNews(entry) && !isHere ? <span class="tag">{texts.unread}</span> : null}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** What is not sent is kept in this tab, and sent when its room is opened there. */
async function goTo(name: string): Promise<void> {
  const unsent = pending.value.filter(({ state }) => state === "sending" || state === "failed").length;
  const question = { title: texts.unsentTitle(unsent), text: texts.unsentMore, action: texts.goTo(name) };
  if (unsent === 0 || (await confirm(question))) location.assign(addressOfRoom(name));
}

/** Where else this browser is, on pages without a room. */
export function OtherRooms(): JSX.Element | null {
  const isOut = (name: string): boolean => name === left.value || (refusal.value !== null && name === room.value?.name);
  const others = (rooms.value ?? []).filter(({ name }) => !isOut(name));
  if (others.length === 0) return null;
  return (
    <ul class="other-rooms" aria-label={texts.rooms}>
      {others.map(({ name }) => (
        <li key={name}>
          <a href={addressOfRoom(name)}>{texts.goTo(name)}</a>
        </li>
      ))}
    </ul>
  );
}

import { expect, test } from "vitest";
import { whilePresent } from "./presence.ts";
import { roomEvent } from "./receive.ts";

const US = "@rialto:a";
let count = 0;

function event(type: string, more: object) {
  count += 1;
  const found = roomEvent({ event_id: `$${count}`, type, sender: "@x:a", ...more });
  if (found === null) throw new Error("no event");
  return found;
}

const said = (body: string) => event("m.room.message", { content: { body } });
const us = (membership: string, before: string | null) =>
  event("m.room.member", {
    state_key: US,
    content: { membership },
    ...(before !== null && { unsigned: { prev_content: { membership: before } } }),
  });

test.each([
  ["who was there all the time has all", [said("a"), said("b")], ["a", "b"]],
  ["who enters has what comes then", [said("a"), us("join", null), said("b")], ["b"]],
  [
    "who is invited has nothing yet",
    [said("a"), us("invite", null), said("b"), us("join", "invite"), said("c")],
    ["c"],
  ],
  ["who leaves has what was before", [said("a"), us("leave", "join"), said("b")], ["a"]],
  [
    "who is back misses what was between",
    [said("a"), us("leave", "join"), said("b"), us("join", "leave"), said("c")],
    ["a", "c"],
  ],
  ["a new name is no entry", [said("a"), us("join", "join"), said("b")], ["a", "b"]],
])("%s", (_, events, texts) => {
  const bodies = whilePresent(events, US).flatMap(({ content }) => content["body"] ?? []);
  expect(bodies).toEqual(texts);
});

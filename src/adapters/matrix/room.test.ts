import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { missingRights } from "./room.ts";

const ME = "@rialto:example.org";

test.each<[string, Json, ReturnType<typeof missingRights>]>([
  ["nothing is said", {}, { cannotSpeak: false, without: ["topic"] }],
  ["we have power", { users: { [ME]: 50 } }, { cannotSpeak: false, without: [] }],
  ["everybody has", { users_default: 50 }, { cannotSpeak: false, without: [] }],
  ["topics are free", { events: { "m.room.topic": 0 } }, { cannotSpeak: false, without: [] }],
  ["all state is", { state_default: 0 }, { cannotSpeak: false, without: [] }],
  [
    "topics are for few",
    { users: { [ME]: 50 }, events: { "m.room.topic": 100 } },
    { cannotSpeak: false, without: ["topic"] },
  ],
  ["we are muted", { events_default: 50 }, { cannotSpeak: true, without: ["delete", "react", "topic"] }],
])("what we may not do where %s", (_name, levels, expected) => {
  expect(missingRights(levels, ME)).toEqual(expected);
});

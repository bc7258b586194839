import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { hasEveryRight, missingRights } from "./room.ts";

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

const creation = (sender: string, content: Json): Json => ({ type: "m.room.create", sender, content });

test.each<[string, Json, boolean]>([
  ["we made a room of version 12", creation(ME, { room_version: "12" }), true],
  ["we made a room of a later version", creation(ME, { room_version: "13" }), true],
  ["we made a room of the version's draft", creation(ME, { room_version: "org.matrix.hydra.11" }), true],
  ["we made an older room", creation(ME, { room_version: "11" }), false],
  ["we made a room of the first version", creation(ME, { creator: ME }), false],
  ["we made a room of an experiment", creation(ME, { room_version: "org.example.99" }), false],
  ["another made it", creation("@a:b", { room_version: "12", creator: ME }), false],
  ["another made it with us", creation("@a:b", { room_version: "12", additional_creators: ["@c:d", ME] }), true],
  ["an older room names us", creation("@a:b", { room_version: "11", additional_creators: [ME] }), false],
  ["its list is none", creation("@a:b", { room_version: "12", additional_creators: ME }), false],
  ["the server gives the content alone", { room_version: "12" }, false],
])("we have every right: %s", (_name, event, expected) => {
  expect(hasEveryRight(event, ME)).toBe(expected);
});

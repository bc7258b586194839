import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { listRooms } from "./room-list.ts";

const never = new AbortController().signal;
const refused = {
  ok: false,
  failure: { status: 403, retryInMs: null, why: { code: "forbidden", message: "no" } },
} as never;
const answered = <T>(value: T) => Promise.resolve({ ok: true, value } as const);

test("rooms go by their aliases, and by their ids where they have none; ours come first", async () => {
  const asked: string[] = [];
  const client = {
    joinedRooms: async () => await answered(["!a:x", "!b:x", "!town:x"]),
    publicRooms: async () =>
      await answered([{ room_id: "!town:x", canonical_alias: "#town:x" }, { room_id: "!open:x" }, "nonsense"]),
    state: async (id: string) => {
      asked.push(id);
      return id === "!a:x" ? await answered<Json>({ alias: "#a:x" }) : refused;
    },
  };
  expect(await listRooms(client, never)).toEqual(["#a:x", "!b:x", "#town:x", "!open:x"]);
  expect(asked).toEqual(["!a:x", "!b:x"]);
});

test("a homeserver that keeps its list to itself still has our rooms; with very many, most go by their ids", async () => {
  let count = 0;
  const client = {
    joinedRooms: async () => await answered(Array.from({ length: 100 }, (_, at) => `!${at}:x`)),
    publicRooms: async () => await Promise.resolve(refused),
    state: async (id: string) => {
      count += 1;
      return await answered<Json>({ alias: id.replace("!", "#") });
    },
  };
  const rooms = await listRooms(client, never);
  expect([rooms.length, count, rooms[0], rooms[99]]).toEqual([100, 60, "#0:x", "!99:x"]);
});

import { expect, test } from "vitest";
import { NS } from "./ns.ts";
import { listRooms } from "./room-list.ts";
import { el, type Stanza } from "./xml.ts";

const SERVICE = "Rooms.example";
const never = new AbortController().signal;
const item = (of: Readonly<Record<string, string>>): Stanza => el("item", of);

/** What the service lists, and what our bookmarks are. */
function requestsOf(rooms: readonly Stanza[], bookmarks: readonly Stanza[] | null) {
  const failure = { ok: false, error: { condition: "item-not-found", type: "cancel", text: "" } } as const;
  return {
    ask: async (_type: string, to: string | null) => {
      if (to === SERVICE)
        return await Promise.resolve({
          ok: true,
          iq: el("iq", {}, el("query", { xmlns: NS.discoItems }, ...rooms)),
        } as const);
      if (bookmarks === null) return failure;
      const items = el("items", { node: NS.bookmarks }, ...bookmarks);
      return { ok: true, iq: el("iq", {}, el("pubsub", { xmlns: NS.pubsub }, items)) } as const;
    },
  };
}

test("rooms of the service go by their names, others by their addresses", async () => {
  const rooms = [item({ jid: "town@rooms.example", name: "The town" }), item({ jid: "rooms.example" })];
  const bookmarks = [item({ id: "club@else.example" }), item({ id: "not a room" })];
  const options = { requests: requestsOf(rooms, bookmarks), service: SERVICE, entered: ["den@rooms.example"] };
  expect(await listRooms(options, never)).toEqual(["den", "club@else.example", "town"]);
});

test("without bookmarks there is the rest, and whoever gives up has what is known", async () => {
  const options = { requests: requestsOf([item({ jid: "town@rooms.example" })], null), service: SERVICE, entered: [] };
  expect(await listRooms(options, never)).toEqual(["town"]);
  const silent = { ask: async () => await new Promise<never>(() => undefined) };
  const given = { ...options, requests: silent, entered: ["den@rooms.example"] };
  expect(await listRooms(given, AbortSignal.abort())).toEqual(["den"]);
});

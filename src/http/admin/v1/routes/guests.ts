import type { GuestAct, GuestActed, GuestDesk, GuestRules } from "../../../../contract/guests.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type Call, type JsonSchema, ok, type Reply, type Route } from "../../../v1/route.ts";
import { type GuestOffice, inRooms, roomViews } from "../../guest-office.ts";
import type { AdminV1Deps } from "../deps.ts";

const text = { type: "string" } as const satisfies JsonSchema;
const count = { type: "integer" } as const satisfies JsonSchema;
const flag = { type: "boolean" } as const satisfies JsonSchema;
const moment = { type: "integer", description: "Unix ms." } as const satisfies JsonSchema;
const place = { gateway: text, account: text, channel: text } as const;

const GuestSchema = {
  type: "object",
  properties: {
    id: text,
    ...place,
    name: text,
    joinedMs: moment,
    seenMs: moment,
    present: flag,
    messages: count,
    held: { ...flag, description: "What is said waits for approval." },
    muted: flag,
    banned: flag,
    invite: { ...text, description: "By which the guest came." },
  },
} as const satisfies JsonSchema;

const HeldSchema = {
  type: "object",
  properties: {
    id: text,
    ...place,
    guest: text,
    name: text,
    text,
    files: { type: "array", items: text },
    atMs: moment,
  },
} as const satisfies JsonSchema;

const ReportSchema = {
  type: "object",
  properties: {
    id: text,
    ...place,
    by: { ...text, description: "Name of who reports." },
    why: text,
    message: text,
    author: text,
    guest: { ...text, description: "Id of the guest who wrote it; empty: it was none." },
    text: { ...text, description: "Empty when the message is gone." },
    atMs: moment,
  },
} as const satisfies JsonSchema;

const RulesSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    hold: { ...flag, description: "First messages of guests wait for approval." },
    slowModeS: { type: "integer", minimum: 0, maximum: 21_600, description: "Seconds between two messages; 0: none." },
    linksAfter: { type: "integer", minimum: 0, maximum: 1000, description: "Links only after so many messages." },
  },
} as const satisfies JsonSchema;

const RoomSchema = {
  type: "object",
  properties: { ...place, ...RulesSchema.properties },
} as const satisfies JsonSchema;

const ACTS: readonly (readonly [GuestAct, string])[] = [
  ["mute", "A guest may read, and say nothing"],
  ["unmute", "A guest may speak again"],
  ["ban", "A guest's session ends, and nobody joins from the address for BanTime"],
  ["unban", "A guest and the address may come again"],
  ["purge", "All that a guest has said is deleted, on all networks"],
];

const list = (name: string, schema: JsonSchema): JsonSchema => ({
  type: "object",
  required: [name],
  properties: { [name]: { type: "array", items: schema } },
});

/** Who joined by an invite, and what they say. */
export const guestsRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/guests",
    needs: "admin",
    id: "listGuests",
    summary: "The guests of the web chat",
    query: { gateway: { ...text, description: "Of this one only." } },
    answers: { 200: { about: "The one seen last is the first.", schema: list("guests", GuestSchema) } },
    handle: ({ query }, { guests }) => {
      const gateway = query.get("gateway");
      const found = inRooms(guests, (desk) => desk.guests(null));
      return ok({ guests: found.filter((guest) => gateway === null || guest.gateway === gateway) });
    },
  },
  {
    method: "GET",
    path: "/v1/admin/held",
    needs: "admin",
    id: "listHeld",
    summary: "Messages of guests that wait for approval",
    answers: { 200: { about: "The oldest first.", schema: list("held", HeldSchema) } },
    handle: (_call, { guests }) => ok({ held: inRooms(guests, (desk) => desk.held()) }),
  },
  held("approve", "It is said now, and the guest's next messages do not wait", (desk, id) => desk.approve(id)),
  held("reject", "It is never said", (desk, id) => desk.reject(id)),
  {
    method: "GET",
    path: "/v1/admin/reports",
    needs: "admin",
    id: "listReports",
    summary: "Messages that guests have reported",
    answers: { 200: { about: "The newest first.", schema: list("reports", ReportSchema) } },
    handle: (_call, { guests }) => ok({ reports: inRooms(guests, (desk) => desk.reports()) }),
  },
  {
    method: "DELETE",
    path: "/v1/admin/reports/{id}",
    needs: "admin",
    id: "settleReport",
    summary: "A report is settled",
    answers: { 204: { about: "It is gone." }, 404: { about: "There is no such report." } },
    handle: async (call, { guests }) => await byId(call, guests, (desk, id) => desk.settle(id)),
  },
  ...ACTS.map(([act, summary]): Route<AdminV1Deps> => ({
    method: "POST",
    path: `/v1/admin/guests/{id}/${act}`,
    needs: "admin",
    id: `${act}Guest`,
    summary,
    answers: {
      200: {
        about: "The guest as it is now, and how many messages were deleted.",
        schema: { type: "object", properties: { guest: GuestSchema, deleted: count } },
      },
      404: { about: "There is no such guest." },
    },
    handle: async ({ params }, { guests }) => {
      for (const desk of desksOf(guests)) {
        const acted: GuestActed | null = await desk.act(params["id"] ?? "", act);
        if (acted === null) continue;
        const [guest] = inRooms(guests, () => [acted.guest]);
        return ok({ guest: guest ?? acted.guest, deleted: acted.deleted });
      }
      throw new ProblemError("not_found", "there is no guest with this id, or the web chat is not open now");
    },
  })),
  {
    method: "GET",
    path: "/v1/admin/rooms",
    needs: "admin",
    id: "listRooms",
    summary: "Rooms that guests join, with what they may do there",
    answers: { 200: { about: "Those that are open now.", schema: list("rooms", RoomSchema) } },
    handle: (_call, { guests }) => ok({ rooms: roomViews(guests) }),
  },
  {
    method: "GET",
    path: "/v1/admin/rooms/{gateway}/moderation",
    needs: "admin",
    id: "getModeration",
    summary: "What guests may do in a room",
    answers: { 200: { about: "As it holds now.", schema: RulesSchema }, 404: { about: "There is no such room." } },
    handle: ({ params }, { guests }) => {
      const room = roomOf(guests, params["gateway"] ?? "");
      return ok(room.desk.moderation(room.channel));
    },
  },
  {
    method: "PUT",
    path: "/v1/admin/rooms/{gateway}/moderation",
    needs: "admin",
    id: "setModeration",
    summary: "Changes what guests may do in a room",
    about: "What is left out stays as it is. It counts instead of the account's settings, also after a restart.",
    body: RulesSchema,
    answers: { 200: { about: "As it holds now.", schema: RulesSchema }, 404: { about: "There is no such room." } },
    handle: async ({ params, body }, { guests }) => {
      const room = roomOf(guests, params["gateway"] ?? "");
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema above has checked it
      return ok(await room.desk.moderate(room.channel, body as Partial<GuestRules>));
    },
  },
];

function held(
  act: "approve" | "reject",
  about: string,
  task: (desk: GuestDesk, id: string) => Promise<boolean>,
): Route<AdminV1Deps> {
  return {
    method: "POST",
    path: `/v1/admin/held/{id}/${act}`,
    needs: "admin",
    id: `${act}Held`,
    summary: `${act === "approve" ? "Approves" : "Rejects"} a message that waits`,
    answers: { 204: { about: `${about}.` }, 404: { about: "It does not wait any more." } },
    handle: async (call, { guests }) => await byId(call, guests, task),
  };
}

async function byId(
  { params }: Call,
  office: GuestOffice,
  task: (desk: GuestDesk, id: string) => Promise<boolean>,
): Promise<Reply> {
  for (const desk of desksOf(office)) if (await task(desk, params["id"] ?? "")) return { status: 204 };
  throw new ProblemError("not_found", "there is nothing with this id, or the web chat is not open now");
}

const desksOf = (office: GuestOffice): ReadonlySet<GuestDesk> => new Set(office.rooms().map(({ desk }) => desk));

function roomOf(office: GuestOffice, gateway: string) {
  const room = office.room(gateway);
  if ("why" in room) throw new ProblemError("not_found", room.why);
  return room;
}

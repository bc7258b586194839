import { errorsAt } from "../../../v1/check.ts";
import { ProblemError } from "../../../v1/problems.ts";
import { type JsonSchema, ok, type Route } from "../../../v1/route.ts";
import { inRooms, makeInvite, readInviteOrder } from "../../guest-office.ts";
import type { AdminV1Deps } from "../deps.ts";

const text = { type: "string" } as const satisfies JsonSchema;
const moment = { type: "integer", description: "Unix ms." } as const satisfies JsonSchema;

const InviteSchema = {
  type: "object",
  properties: {
    id: text,
    gateway: text,
    account: text,
    channel: text,
    uses: { type: "integer", description: "How many may join by it." },
    used: { type: "integer", description: "How many have." },
    hold: { type: "boolean", description: "What they say first waits for approval." },
    createdMs: moment,
    expiresMs: moment,
  },
} as const satisfies JsonSchema;

const ORDER = {
  gateway: text,
  uses: { type: "integer", minimum: 1, maximum: 100_000, description: "Absent: 1." },
  expires: { ...text, description: "For how long it counts, such as 7d, which it is when absent." },
  hold: { type: "boolean", description: "What they say first waits for approval." },
} as const satisfies JsonSchema;

/** Links by which people join a room from a browser. */
export const invitesRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/invites",
    needs: "admin",
    id: "listInvites",
    summary: "Invites to the web chat",
    about: "Never with their secrets.",
    answers: {
      200: {
        about: "The newest first.",
        schema: {
          type: "object",
          required: ["invites"],
          properties: { invites: { type: "array", items: InviteSchema } },
        },
      },
    },
    handle: (_call, { guests }) => ok({ invites: inRooms(guests, (desk) => desk.invites()) }),
  },
  {
    method: "POST",
    path: "/v1/admin/invites",
    needs: "admin",
    id: "createInvite",
    summary: "Makes an invite",
    body: {
      type: "object",
      additionalProperties: false,
      required: ["gateway"],
      properties: ORDER,
    },
    answers: {
      201: {
        about: "With the link, which is shown this once.",
        schema: { ...InviteSchema, properties: { url: text, ...InviteSchema.properties } },
      },
      404: { about: "The gateway has no room for guests, or it is not open." },
    },
    handle: async ({ body }, { guests }) => {
      const order = readInviteOrder(body);
      if (typeof order === "string") throw new ProblemError("bad_request", order, { errors: errorsAt(order, ORDER) });
      const made = await makeInvite(guests, order);
      if (!made.ok) {
        const errors = [{ pointer: "/gateway", detail: made.message }];
        throw new ProblemError("not_found", made.message, { errors });
      }
      return { status: 201, body: made.invite };
    },
  },
  {
    method: "DELETE",
    path: "/v1/admin/invites/{id}",
    needs: "admin",
    id: "revokeInvite",
    summary: "Takes an invite back",
    about: "Who has joined by it stays.",
    answers: { 204: { about: "Nobody joins by it any more." }, 404: { about: "There is no such invite." } },
    handle: async ({ params }, { guests }) => {
      for (const desk of new Set(guests.rooms().map((room) => room.desk)))
        if (await desk.revoke(params["id"] ?? "")) return { status: 204 };
      throw new ProblemError("not_found", "there is no invite with this id, or the web chat is not open now");
    },
  },
];

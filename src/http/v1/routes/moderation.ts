import type { XStatic } from "typebox/schema";
import { maySee } from "../../../access/access.ts";
import { SeqSchema } from "../../../consumers/spec.ts";
import { parseSpan } from "../../../lib/duration.ts";
import { isObject } from "../../../lib/shapes.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import { type Call, ok, type Reply, type Route } from "../route.ts";
import { messagesOf, NOT_BOTH, removeAll, standing } from "../saying/moderation.ts";
import { gatewaysSeen } from "../saying/places.ts";
import { AuthorSchema, checked } from "../saying/shapes.ts";
import { list, shorten } from "../../api/posting-refusal.ts";

const LIMIT_MAX = 100;
const WITHIN_MS = 24 * 3_600_000;

const DeleteSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    messages: { type: "array", items: SeqSchema, minItems: 1, maxItems: LIMIT_MAX, description: "Ids of messages." },
    from: {
      type: "object",
      additionalProperties: false,
      required: ["account", "id"],
      description: "Instead of `messages`: what this person has said.",
      properties: {
        account: { type: "string", maxLength: 256, description: "`source.account` of their events." },
        id: {
          type: "string",
          maxLength: 1024,
          description: "`author.id` of their events; their name where it is empty.",
        },
      },
    },
    gateway: {
      type: "string",
      maxLength: 256,
      description: "With `from`: only there; absent: in all that the caller sees.",
    },
    within: { type: "string", maxLength: 32, description: "With `from`: how far back, such as `1h`; a day if absent." },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: LIMIT_MAX,
      description: "With `from`: the newest ones; 100 if absent.",
    },
    author: { ...AuthorSchema, description: "Who deletes, as people are to see it." },
  },
} as const;

type DeleteBody = XStatic<typeof DeleteSchema>;
const isDelete = (body: unknown): body is DeleteBody => isObject(body);

async function deleteAll({ body, access }: Call, deps: V1Deps): Promise<Reply> {
  const { messages, from, gateway = null, within, limit = LIMIT_MAX, author } = checked(body, isDelete);
  if ((messages === undefined) === (from === undefined)) throw NOT_BOTH;
  if (messages !== undefined) return ok({ ...(await removeAll(messages, author, access, deps)), more: false });
  if (from === undefined) throw NOT_BOTH;
  const names = gatewaysSeen(deps.account(), access, deps.config());
  if (gateway !== null && !(maySee(access, gateway) && names.includes(gateway))) {
    throw new ProblemError(
      "not_found",
      `there is no gateway "${shorten(gateway)}" for this caller; there are: ${list(names)}`,
    );
  }
  const spanMs = within === undefined ? WITHIN_MS : parseSpan(within);
  if (spanMs === null) {
    const errors = [{ pointer: "/within", detail: "is a duration such as 1h" }];
    throw new ProblemError("bad_request", "within is a duration such as 1h", { errors });
  }
  const query = { author: from, gateway, sinceMs: deps.clock.nowMs() - spanMs, limit };
  const { ids, more } = await standing(await messagesOf(query, access, deps), limit, deps);
  return ok({ ...(await removeAll(ids, author, access, deps)), more });
}

export const moderationRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/moderation/delete",
    needs: "moderate",
    id: "moderate",
    summary: "Deletes messages of anybody on all networks: those that are named, or what one person has said.",
    about:
      "In all gateways of the caller that have a message, its own room included, as far as the networks let Rialto: `receipts` say so. A message of a room that is also in a gateway that the token does not see is refused, and all others with it. Looks through the newest 10 000 entries; `more`: there are others, ask again.",
    body: DeleteSchema,
    answers: {
      200: {
        about: "The deletions are stored, and on their way.",
        schema: {
          type: "object",
          properties: {
            deleted: {
              type: "array",
              items: { type: "string" },
              description: "Ids; without those that were gone already.",
            },
            receipts: { type: "array", items: { type: "string" }, description: "One for each." },
            more: { type: "boolean" },
          },
          required: ["deleted", "receipts", "more"],
        },
      },
    },
    handle: deleteAll,
  },
];

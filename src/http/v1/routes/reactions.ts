import type { V1Deps } from "../deps.ts";
import type { Call, Reply, Route } from "../route.ts";
import { react } from "../saying/acts.ts";
import { DROPPED, TAKEN } from "../saying/answers.ts";
import { ActorSchema, checked, isActor } from "../saying/shapes.ts";
import { actingOf, IF_MATCH } from "./messages.ts";

const handler =
  (on: boolean) =>
  async (call: Call, deps: V1Deps): Promise<Reply> => {
    const { author } = checked(call.body, isActor);
    const reaction = { emoji: call.params["emoji"] ?? "", on, ...(author !== undefined && { author }) };
    return await react(actingOf(call), reaction, deps);
  };

const common = {
  path: "/v1/messages/{id}/reactions/{emoji}",
  needs: "write",
  headers: { "If-Match": IF_MATCH },
  body: ActorSchema,
  answers: {
    200: { about: "It is stored, and on its way; or a filter has dropped it.", schema: { anyOf: [TAKEN, DROPPED] } },
  },
} as const;

export const reactionsRoutes: readonly Route[] = [
  {
    ...common,
    method: "PUT",
    id: "addReaction",
    summary: "Puts an emoji under a message.",
    about:
      "Percent-encoded, or a short name: `%F0%9F%91%8D` and `:+1:` are the same. Under any message that the caller sees.",
    handle: handler(true),
  },
  {
    ...common,
    method: "DELETE",
    id: "removeReaction",
    summary: "Takes an emoji away that the same author has put there.",
    handle: handler(false),
  },
];

import { onceOf } from "../once.ts";
import type { Call, Reply, Route } from "../route.ts";
import type { V1Deps } from "../deps.ts";
import { type Acting, edit, remove } from "../saying/acts.ts";
import { DROPPED, TAKEN } from "../saying/answers.ts";
import { postThen } from "../saying/post.ts";
import { ActorSchema, checked, EditSchema, isActor, isEdit, isNewMessage, NewMessageSchema } from "../saying/shapes.ts";

function postMessage(call: Call, deps: V1Deps): Reply {
  const { params, access, body } = call;
  const once = onceOf(call);
  const fields = checked(body, isNewMessage);
  postThen({ gateway: params["gateway"] ?? "", fields, access, once }, deps, call.later);
  return "taken";
}

export function actingOf({ params, access, request }: Call): Acting {
  return { id: params["id"] ?? "", access, ifMatch: request.headers["if-match"] };
}

export const IF_MATCH = "The ETag of the message's revision: of the answer to the post, or to its last edit.";
const ABOUT_REVISION =
  "The revision of a message is the `seq` of the event that made it what it is: its id, or the seq of its newest `message.edited`. Its ETag is that in quotes.";

export const messagesRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/gateways/{gateway}/messages",
    needs: "write",
    id: "postMessage",
    summary: "Says something in a gateway.",
    about: `201 means that it is on disk. ${ABOUT_REVISION} What a filter of the operator drops is answered 200, with \`dropped\` and no message.`,
    headers: {
      "Idempotency-Key":
        "1 to 255 characters that the client chooses: a repeat within 24 h says nothing again, and has the first answer. Each token has its own keys.",
    },
    body: NewMessageSchema,
    answers: {
      200: { about: "A filter has dropped it; it goes nowhere.", schema: DROPPED },
      201: { about: "It is stored, and on its way.", schema: TAKEN },
    },
    handle: postMessage,
  },
  {
    method: "PATCH",
    path: "/v1/messages/{id}",
    needs: "write",
    id: "editMessage",
    summary: "Changes the text and the files of a message that this account has posted.",
    about: ABOUT_REVISION,
    headers: { "If-Match": IF_MATCH },
    body: EditSchema,
    answers: {
      200: {
        about: "The edit is stored, and on its way; or a filter has dropped it.",
        schema: { anyOf: [TAKEN, DROPPED] },
      },
    },
    handle: async (call, deps) => await edit(actingOf(call), checked(call.body, isEdit), deps),
  },
  {
    method: "DELETE",
    path: "/v1/messages/{id}",
    needs: "write",
    id: "deleteMessage",
    summary: "Deletes a message everywhere.",
    about:
      "One that this account has posted; with the scope `moderate` anybody's, in all gateways that have it: a token that does not see them all is refused. A message that is deleted already is answered the same way.",
    headers: { "If-Match": IF_MATCH },
    body: ActorSchema,
    answers: { 200: { about: "The deletion is stored, and on its way.", schema: TAKEN } },
    handle: async (call, deps) => await remove(actingOf(call), checked(call.body, isActor), deps),
  },
];

import type { JsMsg } from "@nats-io/jetstream";
import { isObject, readJson } from "../../lib/shapes.ts";
import type { Commit } from "../sqlite/group-commit.ts";
import type { StoredCommit } from "../sqlite/stream-place.ts";
import { decodeClaims, decodeCommit, decodeImport, type MessageId, parseId } from "./codec.ts";
import { FOLLOWS, parseFollows } from "./follows.ts";

/** A commit that stores nothing. */
export const NO_COMMIT: Commit = {
  is: "commit",
  at: 0,
  counts: [],
  subjects: [],
  subjectOf: [],
  labels: null,
  payloads: [],
  notes: null,
  extras: [],
};

/** Whose message it is, and which commit its node stored before it. */
export interface Label extends MessageId {
  readonly follows: StoredCommit | null;
}

/**
 * Null when no node wrote the message. This and `commitOf` look at nothing but the message and its place, so that all
 * nodes skip the same messages.
 */
export function labelOf({ headers, info, data }: Pick<JsMsg, "headers" | "info" | "data">): Label | null {
  const id = parseId(headers?.get("Nats-Msg-Id") ?? "");
  if (id === null) return null;
  // An import is the first message of its stream, or it is none.
  if (id.is === "import" && (info.streamSequence !== 1 || decodeImport(data) === null)) return null;
  return { ...id, follows: parseFollows(headers?.get(FOLLOWS) ?? "") };
}

/** What the nodes apply at the place of the message. Null when it is damaged. Throws as `decodeCommit` does. */
export function commitOf({ is }: Pick<MessageId, "is">, body: Uint8Array): Commit | null {
  switch (is) {
    case "commit":
      return decodeCommit(body);
    case "claim": {
      const claims = decodeClaims(body);
      return claims && { ...NO_COMMIT, claims };
    }
    case "vote":
      // Another version may write other votes, but always an object.
      return isObject(readJson(Buffer.from(body).toString("utf8"))) ? NO_COMMIT : null;
    case "import":
      return NO_COMMIT;
  }
}

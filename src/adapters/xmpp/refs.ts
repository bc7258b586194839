import { createHash } from "node:crypto";
import { eventKey, messageRef } from "./ids.ts";
import type { EventKey, MessageRef, OpId } from "../../contract/ids.ts";

/**
 * Names of messages. `sid:<id>`: by the id that the room gave it (XEP-0359), which nobody can forge.
 * `id:<identity>:<id>`: by the id that its author gave it, beside what tells that author from all others: whoever
 * reuses the id of somebody else names another message.
 */
export type Ref =
  | { readonly by: "room"; readonly id: string }
  | { readonly by: "author"; readonly who: string; readonly id: string };

export function refOf(ref: Ref): MessageRef {
  return messageRef(ref.by === "room" ? `sid:${ref.id}` : `id:${encodeURIComponent(ref.who)}:${ref.id}`);
}

/** The inverse; null for what `refOf` has not made. */
export function readRef(ref: MessageRef): Ref | null {
  if (ref.startsWith("sid:")) return { by: "room", id: ref.slice(4) };
  const named = /^id:(?<who>[^:]*):(?<id>.*)$/su.exec(ref)?.groups;
  return named === undefined
    ? null
    : { by: "author", who: decodeURIComponent(named["who"] ?? ""), id: named["id"] ?? "" };
}

export const roomRef = (id: string): MessageRef => refOf({ by: "room", id });
export const authorRef = (who: string, id: string): MessageRef => refOf({ by: "author", who, id });

/** Most of an id that anybody gives: more is no id that a server would keep. */
const ID_MAX = 1024;

/** An id as it may be in a ref; null for none, or one that is not an id. */
export function soundId(id: string): string | null {
  return id !== "" && id.length <= ID_MAX ? id : null;
}

export type XmppPartKind = "text" | "file" | "caption";

/**
 * Ids of the messages that one account makes: the same over every try of an op, and told from all others by their
 * beginning.
 */
export class OwnIds {
  readonly #mark: string;

  /** `account`: what tells the account from others. */
  constructor(account: string) {
    this.#mark = `r${hash(account).slice(0, 8)}-`;
  }

  /** `part`: where its text begins, or `f`, `c` or `s` and a number for a file, its caption or a subject. */
  make(op: OpId, part: string): string {
    return `${this.#mark}${hash(op).slice(0, 22)}-${part}`;
  }

  isOurs(id: string): boolean {
    return id.startsWith(this.#mark);
  }

  isSubject(id: string): boolean {
    return this.isOurs(id) && /-s\d+$/u.test(id);
  }

  /** What the message of ours with this id carries. */
  kindOf(id: string): XmppPartKind {
    const kind = /-(?<kind>[fc])\d+$/u.exec(this.isOurs(id) ? id : "")?.groups?.["kind"];
    return kind === undefined ? "text" : kind === "f" ? "file" : "caption";
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Tells a repeated message: by the room's id, else by its author's; null without either. */
export function keyOf(room: string, sid: string | null, nick: string, id: string | null): EventKey | null {
  if (sid !== null) return eventKey(`${room} ${sid}`);
  return id === null ? null : eventKey(`${room}/${nick} ${id}`);
}

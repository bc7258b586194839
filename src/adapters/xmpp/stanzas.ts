import type { OpReply } from "../../contract/ops.ts";
import { NS } from "./ns.ts";
import type { TextPart } from "./render.ts";
import { el, type Stanza, withoutInvalid } from "./xml.ts";

/** Our messages to a room, as elements. Pure. `id`: our id of the message. */
export interface Envelope {
  readonly room: string;
  readonly id: string;
}

function message({ room, id }: Envelope, ...children: readonly (Stanza | null)[]): Stanza {
  return el("message", { to: room, type: "groupchat", id }, ...children, el("origin-id", { xmlns: NS.sid, id }));
}

/** What a reply answers: its id in the room, and the address of its author there if that is known. */
export interface ReplyTarget {
  readonly id: string;
  readonly to: string | null;
}

/** The text of a post. `replaces`: the id of the message of ours that it corrects (XEP-0308). */
export function textMessage(
  envelope: Envelope,
  part: TextPart,
  {
    replaces,
    reply,
  }: { readonly replaces?: string; readonly reply?: { readonly op: OpReply; readonly target: ReplyTarget } },
): Stanza {
  const quote = reply === undefined ? "" : quoteOf(reply.op);
  return message(
    envelope,
    el("body", {}, quote + part.text),
    replaces === undefined ? null : el("replace", { xmlns: NS.correct, id: replaces }),
    reply === undefined
      ? null
      : el("reply", { xmlns: NS.reply, id: reply.target.id, ...(reply.target.to !== null && { to: reply.target.to }) }),
    reply === undefined
      ? null
      : el(
          "fallback",
          { xmlns: NS.fallback, for: NS.reply },
          el("body", { start: "0", end: String(Array.from(quote).length) }),
        ),
    part.hint === undefined ? null : el("spoiler", { xmlns: NS.spoiler }, part.hint),
    part.unstyled ? el("unstyled", { xmlns: NS.styling }) : null,
  );
}

/** For clients that know no replies (XEP-0461 §3.1). */
function quoteOf({ name, excerpt }: OpReply): string {
  const who = withoutInvalid(name).replaceAll(/\s+/gu, " ").trim();
  const words = withoutInvalid(excerpt).replaceAll(/\s+/gu, " ").trim();
  return `> ${[who === "" ? "" : `${who}:`, words].filter(Boolean).join(" ")}\n`;
}

/** A file by its address (XEP-0066): the body is the address and nothing else, as clients expect it. */
export function fileMessage(envelope: Envelope, url: string): Stanza {
  return message(envelope, el("body", {}, url), el("x", { xmlns: NS.oob }, el("url", {}, url)));
}

/** The address of a file that its sender hides: behind a hint (XEP-0382), and without what clients make previews of. */
export function hiddenFileMessage(envelope: Envelope, url: string, words: string): Stanza {
  return message(envelope, el("spoiler", { xmlns: NS.spoiler }, words), el("body", {}, `[${words}] ${url}`));
}

const RETRACTED = "/me deleted a message, which your program still shows.";

/**
 * Takes a message of ours back (XEP-0424), also for clients that know only the older way. `target`: the room's id;
 * `ownId`: ours.
 */
export function retraction(envelope: Envelope, target: string, ownId: string | null): Stanza {
  return message(
    envelope,
    el("retract", { xmlns: NS.retract1, id: target }),
    ownId === null ? null : el("apply-to", { xmlns: NS.fasten, id: ownId }, el("retract", { xmlns: NS.retract0 })),
    el("fallback", { xmlns: NS.fallback, for: NS.retract1 }),
    el("body", {}, RETRACTED),
    el("store", { xmlns: NS.hints }),
  );
}

/** The subject of the room (XEP-0045 §8.1); empty: none. */
export function subject(envelope: Envelope, topic: string): Stanza {
  return message(envelope, el("subject", {}, withoutInvalid(topic)));
}

/** All the emojis that we have under a message from now on (XEP-0444). */
export function reactions(envelope: Envelope, target: string, emojis: Iterable<string>): Stanza {
  const each = [...emojis].map((emoji) => el("reaction", {}, emoji));
  return message(
    envelope,
    el("reactions", { xmlns: NS.reactions, id: target }, ...each),
    el("store", { xmlns: NS.hints }),
  );
}

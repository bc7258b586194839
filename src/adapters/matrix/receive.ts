import type { Author, Event, Membership, SaidBody } from "../../contract/events.ts";
import { eventKey, messageRef } from "./ids.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import { cut } from "../../content/length.ts";
import { fallbackText, hasQuote, messageBody, pollBody, pollEndBody, stickerBody } from "./body.ts";
import { type Json, numberIn, objectIn, textIn } from "../kit/json.ts";
import { type Person, personIn } from "./members.ts";

/** An event of a room, as far as every one of them has it. */
export interface RoomEvent {
  readonly id: string;
  readonly type: string;
  readonly sender: string;
  readonly stateKey: string | null;
  readonly atMs: number;
  readonly content: Json;
  readonly raw: Json;
}

/** Null when it lacks what every event has. */
export function roomEvent(raw: Json): RoomEvent | null {
  const [id, type, sender] = [textIn(raw, "event_id"), textIn(raw, "type"), textIn(raw, "sender")];
  if (id === null || type === null || sender === null) return null;
  const atMs = numberIn(raw, "origin_server_ts") ?? 0;
  return { id, type, sender, stateKey: textIn(raw, "state_key"), atMs, content: objectIn(raw, "content"), raw };
}

export interface Annotation {
  readonly target: string;
  readonly emoji: string;
  readonly sender: string;
}

export interface MatrixReceiveContext {
  readonly channel: ChannelRef;
  /** Ourselves, or a user of our namespace. */
  readonly isOwn: (user: string) => boolean;
  /** The op that we sent in this transaction. */
  readonly opOf: (txn: string) => OpId | null;
  /** `person`: as the event has it; as the room knows it when null. */
  readonly author: (user: string, person: Person | null) => Author;
  /** The reaction that this event was, when it was one. */
  readonly annotation: (eventId: string) => Annotation | null;
  /** The answers of the poll that this event began, by their ids; null when it is not known. */
  readonly answers: (eventId: string) => ReadonlyMap<string, string> | null;
  readonly keepQuotedReply: boolean;
}

/** What an event of a room tells; call it before the room's own state is changed by it. */
export function toEvents(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  if (event.stateKey !== null) return STATE.get(event.type)?.(event, context) ?? [];
  return MESSAGES.get(event.type)?.(event, context) ?? [];
}

type Reader = (event: RoomEvent, context: MatrixReceiveContext) => readonly Event[];

const MESSAGES: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["m.room.message", (event, context) => said(event, context, messageReader(event.content, context))],
  ["m.sticker", (event, context) => said(event, context, stickerBody)],
  ["m.poll.start", (event, context) => said(event, context, pollBody)],
  ["org.matrix.msc3381.poll.start", (event, context) => said(event, context, pollBody)],
  ["m.poll.end", pollEnded],
  ["org.matrix.msc3381.poll.end", pollEnded],
  ["m.reaction", reacted],
  ["m.room.redaction", redacted],
]);

const STATE: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["m.room.member", member],
  ["m.room.topic", topic],
]);

type BodyReader = (content: Json) => SaidBody | null;

function messageReader(content: Json, { keepQuotedReply }: MatrixReceiveContext): BodyReader {
  const relation = objectIn(content, "m.relates_to");
  const isReply = textIn(objectIn(relation, "m.in_reply_to"), "event_id") !== null;
  // An edit does not say whether the message is a reply, and older programs repeat the quote in it.
  const isEdit = textIn(relation, "rel_type") === "m.replace";
  return (from) => messageBody(from, { withoutQuote: (isReply || isEdit) && !keepQuotedReply });
}

function said(event: RoomEvent, context: MatrixReceiveContext, read: BodyReader): readonly Event[] {
  const relation = objectIn(event.content, "m.relates_to");
  const target = textIn(relation, "event_id");
  const author = context.author(event.sender, null);
  if (textIn(relation, "rel_type") === "m.replace" && target !== null) {
    const body = read(objectIn(event.content, "m.new_content"));
    if (body === null) return [];
    // Servers pass on what they cannot check: only the author's own edit counts.
    return [
      {
        kind: "edited",
        ...base(event, context),
        message: messageRef(target),
        aliases: [],
        author,
        vouched: false,
        body,
      },
    ];
  }
  const body = read(event.content);
  if (body === null) return [];
  return [
    {
      kind: "posted",
      ...base(event, context),
      messages: [messageRef(event.id)],
      author,
      body,
      ...related(event.content, context),
    },
  ];
}

/** A reply to the start of the poll. */
function pollEnded(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  const poll = textIn(objectIn(event.content, "m.relates_to"), "event_id");
  const answers = poll === null ? null : context.answers(poll);
  const replyTo = poll === null ? null : messageRef(poll);
  const [ended] = said(event, context, (content) => pollEndBody(content, answers));
  return ended?.kind === "posted" ? [{ ...ended, replyTo }] : [];
}

/**
 * Replies and threads ("Rich replies", "Threading"): in a thread, a reply that is only there for older programs is
 * none.
 */
function related(content: Json, { keepQuotedReply }: MatrixReceiveContext) {
  const relation = objectIn(content, "m.relates_to");
  const parent = textIn(objectIn(relation, "m.in_reply_to"), "event_id");
  const thread = textIn(relation, "rel_type") === "m.thread" ? textIn(relation, "event_id") : null;
  const isFallback = thread !== null && relation["is_falling_back"] === true;
  const isQuoted = keepQuotedReply && hasQuote(content);
  return {
    replyTo: isFallback || isQuoted || parent === null ? null : messageRef(parent),
    thread: thread === null ? null : messageRef(thread),
  };
}

/** What is to be remembered of a reaction, so that its redaction can be understood. */
export function annotationIn({ type, sender, content }: RoomEvent): Annotation | null {
  const relation = objectIn(content, "m.relates_to");
  const [target, emoji] = [textIn(relation, "event_id"), textIn(relation, "key")];
  if (type !== "m.reaction" || textIn(relation, "rel_type") !== "m.annotation") return null;
  if (target === null || emoji === null || target.length > REF_MAX) return null;
  const shown = emoji.startsWith("mxc://") ? pictured(content) : cut(emoji, EMOJI_MAX, "utf16");
  return shown === "" ? null : { target, emoji: shown, sender };
}

/** The specification: ids have at most 255 bytes. */
const REF_MAX = 255;
const EMOJI_MAX = 64;

/** A picture as a reaction has no characters: its name, where there is one (MSC4027). */
function pictured(content: Json): string {
  const name = textIn(content, "shortcode") ?? textIn(content, "com.beeper.reaction.shortcode") ?? "";
  return `:${cut(name.replaceAll(/[\s:\p{Cc}]/gu, ""), EMOJI_MAX, "utf16") || "picture"}:`;
}

function reacted(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  const annotation = annotationIn(event);
  return annotation === null ? [] : [reaction(event, context, annotation, true)];
}

function reaction(
  event: RoomEvent,
  context: MatrixReceiveContext,
  { target, emoji, sender }: Annotation,
  on: boolean,
): Event {
  const author = context.author(sender, null);
  return {
    kind: "reacted",
    ...base(event, context),
    message: messageRef(target),
    author,
    emoji,
    on,
  };
}

function redacted(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  const target = textIn(event.content, "redacts") ?? textIn(event.raw, "redacts");
  if (target === null) return [];
  const annotation = context.annotation(target);
  if (annotation !== null) return [reaction(event, context, annotation, false)];
  const by = context.author(event.sender, null);
  return [{ kind: "deleted", ...base(event, context), message: messageRef(target), by, vouched: true }];
}

/** Membership ("m.room.member"): only what changes whether somebody is in the room, or under which name. */
function member(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  const { stateKey: id, sender, content, raw } = event;
  if (id === null || context.isOwn(id)) return [];
  const before = objectIn(objectIn(raw, "unsigned"), "prev_content");
  const [was, is] = [textIn(before, "membership") === "join", textIn(content, "membership") === "join"];
  const told = (fields: Pick<Membership, "author" | "change" | "newName" | "text">): readonly Event[] => [
    { kind: "member", ...base(event, context), ...fields },
  ];
  if (is && !was) {
    const author = context.author(id, personIn(content));
    return told({ author, change: "join", text: `${author.name} joins` });
  }
  const author = context.author(id, personIn(before));
  if (is) {
    const next = context.author(id, personIn(content));
    return next.name === author.name
      ? []
      : told({
          author,
          change: "rename",
          newName: next.name,
          text: `${author.name} is now known as ${next.name}`,
        });
  }
  if (!was) return [];
  if (sender === id) return told({ author, change: "leave", text: `${author.name} leaves` });
  const by = context.author(sender, null);
  const verb = textIn(content, "membership") === "ban" ? "banned" : "kicked";
  const reason = textIn(content, "reason") ?? "";
  const text = `${by.name} ${verb} ${author.name}${reason === "" ? "" : ` (${reason})`}`;
  return told({ author, change: "leave", text });
}

function topic(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
  if (event.stateKey !== "") return [];
  const words = (textIn(event.content, "topic") ?? fallbackText(objectIn(event.content, "m.topic")))
    .replaceAll(/\s+/gu, " ")
    .trim();
  if (words === (textIn(objectIn(objectIn(event.raw, "unsigned"), "prev_content"), "topic") ?? "")) return [];
  const author = context.author(event.sender, null);
  const text = `${author.name} ${words === "" ? "removed the topic" : `changed the topic to: ${words}`}`;
  return [{ kind: "topic", ...base(event, context), author, topic: words, text }];
}

function base(event: RoomEvent, context: MatrixReceiveContext) {
  const txn = textIn(objectIn(event.raw, "unsigned"), "transaction_id");
  const op = txn === null ? null : context.opOf(txn);
  return {
    key: eventKey(event.id),
    channel: context.channel,
    atMs: event.atMs,
    echoOf: op ?? (context.isOwn(event.sender) ? ("self" as const) : null),
  };
}

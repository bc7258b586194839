import type { Author, Event } from "../../contract/events.ts";
import { eventKey, pictureRef, userRef } from "./ids.ts";
import type { MessageRef } from "../../contract/ids.ts";
import { readBody } from "./body.ts";
import { bareOf, resourceOf } from "./jid.ts";
import { addressed } from "./mentions.ts";
import { NS } from "./ns.ts";
import { occupantIdentity } from "./occupants.ts";
import { authorRef, keyOf, type OwnIds, roomRef, soundId } from "./refs.ts";
import type { RoomView } from "./room-view.ts";
import { attr, child, childText, type Stanza } from "./xml.ts";

export interface XmppReceiveContext {
  readonly room: RoomView;
  readonly ids: OwnIds;
  readonly nowMs: number;
  /** Of a message from the room's archive: its id and time there; null for one that comes now. */
  readonly archived: { readonly id: string; readonly atMs: number } | null;
}

/** What a groupchat message tells. */
export interface Received {
  readonly events: readonly Event[];
  /** The room's id for it, which is also its place in the archive. */
  readonly sid: string | null;
  /** The id that its author gave it. */
  readonly id: string | null;
  /** We wrote it. */
  readonly own: boolean;
  /** Who wrote it, as refs name authors. */
  readonly who: string;
  readonly nick: string;
  readonly atMs: number;
  /** It was said before, and is told again. */
  readonly old: boolean;
  /** Null when it says nothing of reactions. */
  readonly reactions: Reactions | null;
}

/** All the emojis that an author has under a message from now on. */
interface Reactions {
  readonly message: MessageRef;
  readonly emojis: ReadonlySet<string>;
  /** What that changes of what the author had before. */
  readonly changes: (before: ReadonlySet<string>) => readonly Event[];
}

/** Reads a message of type groupchat. Pure. */
export function readMessage(message: Stanza, context: XmppReceiveContext): Received {
  const { room, ids, archived } = context;
  const from = attr(message, "from");
  const nick = resourceOf(from) ?? "";
  const origin = originId(message);
  const given = soundId(attr(message, "id"));
  // A room that changes the id of a message leaves this one alone.
  const id = origin !== null && ids.isOurs(origin) ? origin : given;
  const sid = archived?.id ?? stanzaId(message, room);
  const who = identityOf(message, nick, context, sid);
  const past = pastMs(message, context);
  const atMs = past ?? context.nowMs;
  const old = past !== null;
  const own = nick !== "" && isOwn({ who, nick, id, old }, context);
  const bare = { sid, id, own, who, nick, atMs, old, reactions: null };
  const base = { key: keyOf(room.jid, sid, nick, id), channel: room.ref, atMs, echoOf: null };
  if (nick === "") return { ...bare, events: moderated(message, room, base) };
  if (own) return { ...bare, events: [] };
  const said: Said = { message, room, nick, id, sid, who, base, author: authorOf(who, nick, room) };
  const reactions = reactionsOf(said);
  if (reactions !== null) return { ...bare, reactions, events: [] };
  return { ...bare, events: retracted(said) ?? topic(said) ?? spoken(said) };
}

/** Of another's messages who reuse the beginning of our ids only their own go unheard. */
function isOwn(
  { who, nick, id, old }: Pick<Received, "who" | "nick" | "id" | "old">,
  { room, ids }: Pick<XmppReceiveContext, "room" | "ids">,
): boolean {
  if (room.ownIdentity.startsWith("o:") && who.startsWith("o:")) return who === room.ownIdentity;
  // Our nick may have been another then, and somebody else's.
  return old ? id !== null && ids.isOurs(id) : nick === room.ownNick;
}

type Base = Pick<Event, "key" | "channel" | "atMs" | "echoOf">;

interface Said {
  readonly message: Stanza;
  readonly room: RoomView;
  readonly nick: string;
  readonly id: string | null;
  readonly sid: string | null;
  readonly who: string;
  readonly base: Base;
  readonly author: Author;
}

function spoken({ message, room, id, sid, who, base, author }: Said): readonly Event[] {
  const body = readBody(message, (words) => addressed(message, words, room));
  if (body === null) return [];
  const origin = originId(message);
  const messages = [
    ...(sid === null ? [] : [roomRef(sid)]),
    ...[id, origin].flatMap((one, at, both) => (one === null || both.indexOf(one) < at ? [] : [authorRef(who, one)])),
  ];
  const replaced = soundId(attr(child(message, "replace", NS.correct), "id"));
  if (replaced !== null) {
    // Some clients name the id that the room gave. A correction has the whole text: it must not get lost.
    const corrected = room.isKnown(replaced) ? roomRef(replaced) : authorRef(who, replaced);
    const edit = { message: corrected, aliases: messages, author, vouched: false, isSaidAnyway: true, body };
    return [{ kind: "edited", ...base, ...edit }];
  }
  return [{ kind: "posted", ...base, messages, author, body, replyTo: replyTo(message, room), thread: null }];
}

/** XEP-0461: the id is the room's where it gives any, else that of the author whom `to` names. */
function replyTo(message: Stanza, room: RoomView): MessageRef | null {
  const reply = child(message, "reply", NS.reply);
  const id = soundId(attr(reply, "id"));
  const nick = resourceOf(attr(reply, "to"));
  const who = nick === room.ownNick ? room.ownIdentity : (room.occupant(nick ?? "")?.identity ?? null);
  return id === null ? null : named(id, who, room);
}

/** The message that somebody names by this id, of this author if that is known. */
function named(id: string, who: string | null, room: RoomView): MessageRef | null {
  if (!room.stableIds) return who === null ? null : authorRef(who, id);
  return who !== null && !room.isKnown(id) && room.isBy(who, id) ? authorRef(who, id) : roomRef(id);
}

/** The author's own retraction: XEP-0424, as it is today and as it was (a message attached to another by XEP-0422). */
function retracted({ message, room, who, base, author }: Said): readonly Event[] | null {
  const today = soundId(attr(child(message, "retract", NS.retract1), "id"));
  const fastened = child(message, "apply-to", NS.fasten);
  const before = child(fastened, "retract", NS.retract0) === undefined ? null : soundId(attr(fastened, "id"));
  if (today === null && before === null) return null;
  // Formerly it was the author's id that counted.
  const isRooms = before !== null && room.isKnown(before);
  const target = today === null ? (isRooms ? roomRef(before) : authorRef(who, before ?? "")) : named(today, who, room);
  return target === null ? [] : [{ kind: "deleted", ...base, message: target, by: author, vouched: false }];
}

/** XEP-0425: only the room itself says so, and it has made sure of who may. */
function moderated(message: Stanza, room: RoomView, base: Base): readonly Event[] {
  const retract = child(message, "retract", NS.retract1);
  const fastened = child(message, "apply-to", NS.fasten);
  const today = child(retract, "moderated", NS.moderate1);
  const by = today ?? child(fastened, "moderated", NS.moderate0);
  const id = soundId(attr(today === undefined ? fastened : retract, "id"));
  if (by === undefined || id === null || bareOf(attr(message, "from")) !== room.jid) return [];
  const nick = resourceOf(attr(by, "by"));
  const who = nick === null ? null : (occupantIdentity(by, room) ?? room.occupant(nick)?.identity ?? null);
  const author = nick === null || who === null ? null : authorOf(who, nick, room);
  return [{ kind: "deleted", ...base, message: roomRef(id), by: author, vouched: true }];
}

/** Emojis of one person under one message, and characters of one. */
const EMOJIS_MAX = 32;
const EMOJI_MAX = 64;

/** XEP-0444: the whole set, each time. */
function reactionsOf(said: Said): Reactions | null {
  const { message, room } = said;
  const element = child(message, "reactions", NS.reactions);
  const id = soundId(attr(element, "id"));
  if (element === undefined || id === null) return null;
  const target = room.stableIds ? roomRef(id) : null;
  if (target === null) return null;
  const texts = element.getChildren("reaction", NS.reactions).map((one) => one.getText().trim());
  const emojis = texts.filter((text) => text !== "" && text.length <= EMOJI_MAX && !/[\p{Cc}\s]/u.test(text));
  const all = new Set(emojis.slice(0, EMOJIS_MAX));
  return { message: target, emojis: all, changes: (before) => reacted(said, target, { before, emojis: all }) };
}

function reacted(
  { base, author }: Said,
  message: MessageRef,
  { before, emojis }: { readonly before: ReadonlySet<string>; readonly emojis: ReadonlySet<string> },
): readonly Event[] {
  const changes = [
    ...[...before].filter((emoji) => !emojis.has(emoji)).map((emoji) => ({ emoji, on: false })),
    ...[...emojis].filter((emoji) => !before.has(emoji)).map((emoji) => ({ emoji, on: true })),
  ];
  const { channel, atMs, echoOf } = base;
  return changes.map(({ emoji, on }) => {
    const key = base.key === null ? null : eventKey(`${base.key} ${on ? "+" : "-"}${emoji}`);
    return { kind: "reacted", key, channel, atMs, echoOf, message, author, emoji, on };
  });
}

/** A message with a subject and without a body (XEP-0045 §8.1). */
function topic({ message, base, author }: Said): readonly Event[] | null {
  const subject = childText(message, "subject");
  if (subject === null || child(message, "body") !== undefined || child(message, "thread") !== undefined) return null;
  const words = subject.replaceAll(/\p{Cc}+/gu, " ").trim();
  const text = `${author.name} ${words === "" ? "removed the topic" : `changed the topic to: ${words}`}`;
  return [{ kind: "topic", ...base, author, topic: words, text }];
}

function originId(message: Stanza): string | null {
  return soundId(attr(child(message, "origin-id", NS.sid), "id"));
}

/** XEP-0359 §3: only an id by the room itself, and only where the room promises to give them. */
function stanzaId(message: Stanza, room: RoomView): string | null {
  if (!room.stableIds) return null;
  const given = message.getChildren("stanza-id", NS.sid).find((one) => attr(one, "by") === room.jid);
  return soundId(attr(given, "id"));
}

function identityOf(message: Stanza, nick: string, context: XmppReceiveContext, sid: string | null): string {
  const { room } = context;
  const lasting = occupantIdentity(message, room);
  if (lasting !== null) return lasting;
  const here = pastMs(message, context) === null ? room.occupant(nick) : null;
  if (nick === room.ownNick && here !== null) return room.ownIdentity;
  // Who it was when it was said, nobody can tell any more.
  return here?.identity ?? `a:${sid ?? `${room.nonce}:${attr(message, "id")}`}`;
}

/**
 * When it was said, of a message that is told again; null when that is now. Rooms pass on a delay that its author put
 * there.
 */
function pastMs(message: Stanza, { room, archived, nowMs }: XmppReceiveContext): number | null {
  if (archived !== null) return archived.atMs;
  const by = attr(child(message, "delay", NS.delay), "from");
  const at = room.tellsPast && (by === "" || by === room.jid) ? delayMs(message) : null;
  return at === null ? null : Math.min(at, nowMs);
}

/**
 * XEP-0203; null without one. Nobody said anything before 1970, and a time that lies near the end of all times is no
 * date any more a little later.
 */
export function delayMs(stanza: Stanza): number | null {
  const stamp = Date.parse(attr(child(stanza, "delay", NS.delay), "stamp"));
  return Number.isNaN(stamp) ? null : Math.max(0, stamp);
}

export function authorOf(who: string, nick: string, room: RoomView): Author {
  const name = nick.replaceAll(/\p{Cc}/gu, "");
  const id = userRef(`${room.jid}/${name}`);
  const hash = room.occupant(nick)?.avatar ?? null;
  const ref = pictureRef({ of: `${room.jid}/${nick}`, sha1: hash });
  const picture = { name: "avatar", comment: "", mime: null, bytes: null, url: null, ref };
  return { id, identity: who, name, avatar: hash === null ? null : picture };
}

import type { Author, Event } from "../../contract/events.ts";
import { eventKey, messageRef, userRef } from "./ids.ts";
import type { ChannelRef, MessageRef } from "../../contract/ids.ts";
import { parseIrc, withoutControls } from "../../content/irc.ts";
import { plainText } from "../../content/plain.ts";
import { parseCtcp } from "./wire/ctcp.ts";
import { type Isupport, same } from "./wire/isupport.ts";
import { relayerOf, type Tags } from "./wire/tags.ts";
import type { IrcLine, LineSource } from "./wire/wire.ts";

export interface IrcReceiveContext {
  readonly ownNick: string;
  readonly isupport: Isupport;
  /** A channel we are in, by any spelling of its name; null for all others. */
  readonly channelRef: (name: string) => ChannelRef | null;
  /** The channels in which we have seen this nick. */
  readonly channelsOf: (nick: string) => readonly ChannelRef[];
  readonly verboseJoinPart: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** It was said before, at the time that its tag says. */
  readonly isOld?: boolean;
}

/**
 * What a line tells, for every channel it concerns; nothing for what we did ourselves. For NICK and QUIT call it before
 * the membership is changed.
 */
export function toEvents(line: IrcLine, context: IrcReceiveContext): readonly Event[] {
  const { source } = line;
  if (source === null || same(context.isupport, relayerOf(line.tags) ?? source.nick, context.ownNick)) return [];
  return READERS.get(line.command)?.({ ...line, source }, context) ?? [];
}

type Told = IrcLine & { readonly source: LineSource };
type Reader = (line: Told, context: IrcReceiveContext) => readonly Event[];

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["PRIVMSG", posted],
  ["NOTICE", posted],
  ["JOIN", joined],
  ["PART", parted],
  ["QUIT", quit],
  ["KICK", kicked],
  ["NICK", renamed],
  ["TOPIC", topic],
  ["TAGMSG", reacted],
  ["REDACT", redacted],
]);

/** A target with a status symbol (`@#channel`) is no channel we are in: it was not meant for all. */
function posted(line: Told, context: IrcReceiveContext): readonly Event[] {
  const [target = "", text = ""] = line.params;
  const channel = context.channelRef(target);
  const ctcp = parseCtcp(text);
  const words = ctcp?.args ?? text;
  if (channel === null || words === "") return [];
  if (ctcp !== null && (ctcp.command !== "ACTION" || line.command === "NOTICE")) return [];
  const id = msgid(line.tags);
  return [
    {
      kind: "posted",
      ...base(line, channel, context),
      messages: id === null ? [] : [messageRef(id)],
      author: authorOf(line.source, line.tags),
      body: {
        style: ctcp !== null ? "action" : line.command === "NOTICE" ? "aside" : "normal",
        source: { format: "irc", text: words },
        files: [],
      },
      replyTo: repliedTo(line.tags),
      thread: null,
    },
  ];
}

/** IRCv3 "react client tag": a message without words, which answers the one it belongs to. */
function reacted(line: Told, context: IrcReceiveContext): readonly Event[] {
  const channel = context.channelRef(line.params[0] ?? "");
  const message = repliedTo(line.tags);
  const given = clientTag(line.tags, "react");
  const emoji = withoutControls(given ?? clientTag(line.tags, "unreact") ?? "");
  if (channel === null || message === null || emoji === "" || emoji.length > EMOJI_MAX) return [];
  return [
    {
      kind: "reacted",
      ...base(line, channel, context),
      message,
      author: authorOf(line.source, line.tags),
      emoji,
      on: given !== null,
    },
  ];
}

/** UTF-16 units; families with skin colours take some twenty. */
const EMOJI_MAX = 64;

/** IRCv3 "Message redaction": the server passes on only what is allowed. */
function redacted(line: Told, context: IrcReceiveContext): readonly Event[] {
  const [name = "", message = ""] = line.params;
  const channel = context.channelRef(name);
  if (channel === null || message === "") return [];
  // A server that redacts is nobody.
  const by = line.source.user === "" ? null : authorOf(line.source, line.tags);
  return [{ kind: "deleted", ...base(line, channel, context), message: messageRef(message), by, vouched: true }];
}

function repliedTo(tags: Tags): MessageRef | null {
  const msgid = clientTag(tags, "reply");
  return msgid === null ? null : messageRef(msgid);
}

/** Drafts have a name of their own. Null when it is absent or says nothing. */
function clientTag(tags: Tags, name: string): string | null {
  return tags.get(`+draft/${name}`) || tags.get(`+${name}`) || null;
}

function joined(line: Told, context: IrcReceiveContext): readonly Event[] {
  return inChannels(line.params[0] ?? "", context).map((channel) =>
    member(line, channel, context, { change: "join", text: `${who(line.source, context)} joins` }),
  );
}

function parted(line: Told, context: IrcReceiveContext): readonly Event[] {
  return inChannels(line.params[0] ?? "", context).map((channel) =>
    member(line, channel, context, { change: "leave", text: `${who(line.source, context)} parts` }),
  );
}

function quit(line: Told, context: IrcReceiveContext): readonly Event[] {
  return context
    .channelsOf(line.source.nick)
    .map((channel) => member(line, channel, context, { change: "leave", text: `${who(line.source, context)} quits` }));
}

/** Our own leaving is the session's affair. */
function kicked(line: Told, context: IrcReceiveContext): readonly Event[] {
  const [name = "", nick = "", why] = line.params;
  const channel = context.channelRef(name);
  if (channel === null || nick === "" || same(context.isupport, nick, context.ownNick)) return [];
  // Servers put the kicker's nick where no reason was given.
  const reason = why === line.source.nick ? null : reasonOf(why);
  const target = authorOf({ nick, user: "", host: "" }, new Map());
  const text = `${who(line.source, context)} kicked ${target.name}${reason === null ? "" : ` (${reason})`}`;
  const event = member(line, channel, context, { change: "leave", text });
  return [{ ...event, author: target }];
}

function renamed(line: Told, context: IrcReceiveContext): readonly Event[] {
  const nick = withoutControls(line.params[0] ?? "");
  if (nick === "") return [];
  const text = `${who(line.source, context)} is now known as ${nick}`;
  return context
    .channelsOf(line.source.nick)
    .map((channel) => member(line, channel, context, { change: "rename", newName: nick, text }));
}

function topic(line: Told, context: IrcReceiveContext): readonly Event[] {
  const [name = "", raw = ""] = line.params;
  const channel = context.channelRef(name);
  if (channel === null) return [];
  // Colours are nothing to other networks, and their numbers are no words.
  const words = withoutControls(plainText(parseIrc(raw)));
  // A server that sets the topic (a split that healed) is nobody.
  const author = line.source.user === "" ? null : authorOf(line.source, line.tags);
  return [
    {
      kind: "topic",
      ...base(line, channel, context),
      author,
      topic: words,
      text: `${author?.name ?? line.source.nick} ${words === "" ? "removed the topic" : `changed the topic to: ${words}`}`,
    },
  ];
}

type MemberEvent = Extract<Event, { kind: "member" }>;

function member(
  line: Told,
  channel: ChannelRef,
  context: IrcReceiveContext,
  told: Pick<MemberEvent, "change" | "newName" | "text">,
): MemberEvent {
  return {
    kind: "member",
    ...base(line, channel, context),
    author: authorOf(line.source, line.tags),
    ...told,
  };
}

function base(
  line: Told,
  channel: ChannelRef,
  context: IrcReceiveContext,
): Pick<Event, "key" | "channel" | "atMs" | "echoOf"> {
  const id = msgid(line.tags);
  return {
    key: id === null ? null : eventKey(id, channel),
    channel,
    atMs:
      context.isOld === true
        ? Math.min(taggedTimeMs(line.tags) ?? context.nowMs, context.nowMs)
        : serverTimeMs(line.tags, context.nowMs),
    echoOf: null,
  };
}

function inChannels(names: string, context: IrcReceiveContext): readonly ChannelRef[] {
  return names.split(",").flatMap((name) => context.channelRef(name) ?? []);
}

function msgid(tags: Tags): string | null {
  return tags.get("msgid") || null;
}

export function authorOf(source: LineSource, tags: Tags): Author {
  const name = withoutControls(source.nick);
  const id = source.user === "" && source.host === "" ? name : `${source.user}@${source.host}`;
  return {
    id: userRef(withoutControls(id)),
    // Where people log in, the account is the same over all their hosts, and nobody else's.
    identity: withoutControls(tags.get("account") ?? "") || null,
    name,
    avatar: null,
    ...(BOT_TAGS.some((tag) => tags.has(tag)) && { bot: true }),
  };
}

/** The server puts it on what a bot says (IRCv3 "Bot mode"). */
const BOT_TAGS = ["bot", "draft/bot", "inspircd.org/bot"];

/** `alice`, or `alice (ident@host)` with VerboseJoinPart. */
function who(source: LineSource, context: IrcReceiveContext): string {
  const { id, name } = authorOf(source, new Map());
  return context.verboseJoinPart && id !== name ? `${name} (${id})` : name;
}

function reasonOf(text: string | undefined): string | null {
  return withoutControls(plainText(parseIrc(text ?? ""))) || null;
}

/** A server's clock may be this wrong before ours counts instead. */
const CLOCK_OFF_MAX_MS = 5 * 60_000;

function serverTimeMs(tags: Tags, nowMs: number): number {
  const timeMs = taggedTimeMs(tags) ?? NaN;
  return Math.abs(timeMs - nowMs) <= CLOCK_OFF_MAX_MS ? timeMs : nowMs;
}

/** What the server's clock said (IRCv3 "server-time"), Unix milliseconds; null when it does not say. */
export function taggedTimeMs(tags: Tags): number | null {
  const time = tags.get("time");
  const timeMs = time !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? Date.parse(time) : NaN;
  return Number.isNaN(timeMs) ? null : timeMs;
}

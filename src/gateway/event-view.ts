import type { ApiAuthor, ApiEvent, ApiFile, ApiMessage, ApiSource, MessageStyle } from "../contract/api-v1.ts";
import type { FileId } from "../contract/ids.ts";
import { EventLabel, type FileItem, type Message } from "../contract/message.ts";
import { parse, render } from "../content/formats.ts";
import type { Seq } from "../log/log.ts";
import { decodeStored, type Stored } from "./codec.ts";
import { eventFileId, type FilePlace } from "./event-files.ts";
import { sizeOf } from "./file-contents.ts";
import { isOutage } from "./outages.ts";
import type { SeenSubject } from "./seen.ts";
import type { LinkFor } from "./with-links.ts";

interface ViewedEntry {
  readonly seq: Seq;
  /** Unix ms. */
  readonly at: number;
  readonly payload: string;
}

/** How a reader of `/v1` sees the entries of one subject. */
export interface EventScene extends Pick<SeenSubject, "mine" | "format" | "place"> {
  readonly gateways: readonly string[];
  readonly linkFor: LinkFor;
  /** When links made now end, Unix ms. */
  readonly linksUntil: number | null;
  /** The media type that a name says. */
  readonly mimeOf: (name: string) => string;
}

/** Never told, whoever says it: what was momentary, and what acts on no message. */
const UNTOLD: ReadonlySet<string> = new Set([EventLabel.typing, "avatar_download", "file_delete"]);

/** An entry of the log as an event of `/v1`; null: it is none. Pure. Throws on what `encodeStored` has not made. */
export function eventOf(entry: ViewedEntry, scene: EventScene): ApiEvent | null {
  const stored = decodeStored(entry.payload);
  const { message, about } = stored;
  const base = {
    seq: String(entry.seq),
    time: new Date(entry.at).toISOString(),
    gateways: scene.gateways,
    source: scene.place ?? sourceOf(message),
  };
  if (isOutage(stored)) {
    const type = message.event === EventLabel.outageOver ? "place.back" : "place.lost";
    return { ...base, type, text: message.text };
  }
  if (UNTOLD.has(message.event)) return null;
  const author = authorOf(stored, scene);
  if (about === null || about.is === "reply") {
    const news = newsOf(message);
    if (news === "topic.changed") return { ...base, type: news, author, topic: stored.topic, text: message.text };
    const { newName: name = null } = stored;
    if (news === "member.renamed") return { ...base, type: news, author, member: { name }, text: message.text };
    if (news !== null) return { ...base, type: news, author, text: message.text };
    return { ...base, type: "message.posted", author, message: messageOf(base.seq, entry.seq, stored, scene) };
  }
  if (about.seq === null) return null;
  const id = String(about.seq);
  if (about.is === "edit")
    return { ...base, type: "message.edited", author, message: messageOf(id, entry.seq, stored, scene) };
  if (about.is === "delete") return { ...base, type: "message.deleted", author, message: { id } };
  const type = about.on ? "reaction.added" : "reaction.removed";
  return { ...base, type, author, message: { id }, reaction: { emoji: about.emoji } };
}

type News = "member.joined" | "member.left" | "member.renamed" | "topic.changed";

const NEWS: ReadonlyMap<string, News> = new Map<string, News>([
  [EventLabel.join, "member.joined"],
  [EventLabel.leave, "member.left"],
  [EventLabel.joinLeave, "member.renamed"],
  [EventLabel.topic, "topic.changed"],
]);

/** What a client of the API posts under such a label is what that client says. */
function newsOf({ event, protocol }: Message): News | null {
  return protocol === "api" ? null : (NEWS.get(event) ?? null);
}

const sourceOf = ({ account, protocol, channel }: Message): ApiSource => ({ account, protocol, channel });

function authorOf({ message, avatar, bot = false }: Stored, { mine, linkFor }: EventScene): ApiAuthor {
  const picture = message.avatar === "" && avatar !== null ? linkFor(avatar, "avatar") : message.avatar;
  return {
    id: message.userid,
    name: message.username,
    avatar: picture === "" ? null : picture,
    bot,
    mine,
  };
}

const STYLES: ReadonlyMap<string, MessageStyle> = new Map<string, MessageStyle>([
  [EventLabel.action, "action"],
  [EventLabel.notice, "notice"],
]);

/** `seq`: of the entry that says this; of an edit that is another one than `id`. */
function messageOf(id: string, seq: Seq, stored: Stored, scene: EventScene): ApiMessage {
  const { message, about, source } = stored;
  const format = source?.format ?? scene.format;
  const isPlain = format === "plain";
  const isReply = about?.is === "reply";
  const thread = isReply ? about.thread : null;
  // The beginning of a thread stands for what is answered where nothing is.
  const replyTo = isReply && about.seq !== thread ? about.seq : null;
  return {
    id,
    text: source === null || isPlain || format === "markdown" ? (source?.text ?? message.text) : asMarkdown(source),
    format: isPlain ? "plain" : "markdown",
    style: STYLES.get(message.event) ?? "normal",
    reply_to: replyTo === null ? null : String(replyTo),
    thread: thread === null ? null : String(thread),
    hops: message.hops ?? 0,
    files: (message.Extra?.file ?? []).map((item, at) => fileOf(item, stored.files[at] ?? null, { seq, at }, scene)),
  };
}

const asMarkdown = ({ format, text }: NonNullable<Stored["source"]>): string => render("markdown", parse(format, text));

function fileOf(
  item: FileItem,
  id: FileId | null,
  place: FilePlace,
  { linkFor, linksUntil, mimeOf }: EventScene,
): ApiFile {
  const isMade = item.URL === "" && id !== null;
  const link = isMade ? linkFor(id, item.Name) : null;
  return {
    id: eventFileId(place, item, id),
    name: item.Name,
    mime: mimeOf(item.Name),
    bytes: sizeOf(item) ?? 0,
    caption: item.Comment,
    url: link ?? item.URL,
    expires: link === null || linksUntil === null ? null : new Date(linksUntil).toISOString(),
    ...(item.Spoiler !== undefined && { spoiler: item.Spoiler }),
  };
}

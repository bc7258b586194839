import type { RemoteFile } from "../../contract/content.ts";
import type { Author, Deleted, Edited, Event, Membership, Posted, Reacted, SaidBody } from "../../contract/events.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import { cut, measure } from "../../content/length.ts";
import { parseMattermost } from "../../content/mattermost-parse.ts";
import { plainText } from "../../content/plain.ts";
import { cleanName } from "../kit/clean-name.ts";
import { textIn } from "../kit/json.ts";
import { attachmentWords } from "./attachments.ts";
import { channelRef, eventKey, fileRef, messageRef } from "./ids.ts";
import type { MattermostFile, MattermostPost, MattermostReaction } from "./model.ts";
import { beginsBlock } from "./text.ts";

export interface MattermostReceiveContext {
  /** Our own id. */
  readonly me: string;
  /** `fallback`: the name of one whom nobody can look up. */
  readonly author: (user: string, fallback?: string) => Author;
  readonly isBot: (user: string) => boolean;
  /** What a post of ours was made for. */
  readonly opOf: (post: MattermostPost) => OpId | null;
  readonly emoji: (name: string) => string;
}

/** Everybody who has to be known before a post is read. */
export function peopleOf(post: MattermostPost): readonly string[] {
  const named = ["addedUserId", "removedUserId", "deleteBy"].map((key) => textIn(post.props, key) ?? "");
  return [post.userId, ...named, ...(post.reactions ?? []).map(({ userId }) => userId)].filter((id) => id !== "");
}

/** What a post tells when it is new: something said, or what the server says of members and the header. */
export function toEvent(post: MattermostPost, context: MattermostReceiveContext): Event | null {
  if (!isSystem(post)) return posted(post, context);
  if (post.type === "system_header_change") return header(post, context);
  return member(post, context);
}

/** Posts of the server: no chat. */
export function isSystem({ type }: Pick<MattermostPost, "type">): boolean {
  return type.startsWith("system_");
}

function posted(post: MattermostPost, context: MattermostReceiveContext): Posted | null {
  const body = bodyOf(post);
  if (body === null) return null;
  const thread = post.rootId === "" ? null : messageRef(post.rootId);
  return {
    kind: "posted",
    ...base(post, context),
    key: eventKey(`p/${post.id}`),
    atMs: post.createAt,
    messages: [messageRef(post.id)],
    author: writer(post, context),
    body,
    replyTo: thread,
    thread,
  };
}

/** The server has checked who may do it. Null when there is nothing left of it to say. */
export function edited(post: MattermostPost, context: MattermostReceiveContext): Edited | null {
  const body = bodyOf(post);
  if (body === null) return null;
  const atMs = post.editAt === 0 ? post.updateAt : post.editAt;
  return {
    kind: "edited",
    ...base(post, context),
    key: eventKey(`e/${post.id}/${atMs}`),
    atMs,
    message: messageRef(post.id),
    aliases: [],
    author: writer(post, context),
    vouched: true,
    hasAllFiles: true,
    body,
  };
}

/** `ours`: we have taken it back ourselves. */
export function deleted(post: MattermostPost, ours: boolean, context: MattermostReceiveContext): Deleted {
  const by = textIn(post.props, "deleteBy");
  return {
    kind: "deleted",
    channel: channelRef(post.channelId),
    key: eventKey(`d/${post.id}`),
    atMs: post.deleteAt === 0 ? post.updateAt : post.deleteAt,
    echoOf: ours || by === context.me ? "self" : null,
    message: messageRef(post.id),
    by: by === null || by === "" ? null : context.author(by),
    vouched: true,
  };
}

/** `stamp`: what tells this change from a later one of the same kind; null: nothing does. */
export function reacted(
  { userId, postId, emoji, atMs }: MattermostReaction,
  at: { readonly channel: ChannelRef; readonly on: boolean; readonly stamp: number | null },
  context: MattermostReceiveContext,
): Reacted {
  const { channel, on, stamp } = at;
  return {
    kind: "reacted",
    channel,
    key: stamp === null ? null : eventKey(`${on ? "r" : "u"}/${postId}/${userId}/${emoji}/${stamp}`),
    atMs: stamp ?? atMs,
    echoOf: userId === context.me ? "self" : null,
    message: messageRef(postId),
    author: context.author(userId),
    emoji: context.emoji(emoji),
    on,
  };
}

/** Two posts with the same one say the same to people. */
export function contentOf(post: MattermostPost): string {
  return JSON.stringify([post.message, post.fileIds, attachmentWords(post.props)]);
}

/** The text is Mattermost's Markdown, and so are the words of integrations. */
function bodyOf(post: MattermostPost): SaidBody | null {
  if (post.type === BURN_ON_READ) return { style: "normal", source: { format: "mattermost", text: BURNT }, files: [] };
  const isAction = post.type === "me";
  const said = isAction ? actionText(post) : post.message;
  const text = [said, attachmentWords(post.props)].filter((words) => words.trim() !== "").join("\n");
  const files = post.fileIds.map((id) => remoteFile(id, post.files));
  const words = text === "" && files.length === 0 ? typeWords(post.type) : text;
  const label = labelOf(post.priority);
  if (words === "" && files.length === 0 && label === "") return null;
  const between = label === "" || words === "" ? "" : beginsBlock(words) ? "\n" : " ";
  const source = { format: "mattermost", text: label + between + words };
  return { style: isAction ? "action" : "normal", source, files };
}

/** Each reader sees the message for a while only, so its words must not stay on other networks. */
const BURN_ON_READ = "burn_on_read";
const BURNT = "(a message that disappears after it is read, which only Mattermost can show)";

/** Of a post that a plugin shows in its own way, without words. */
function typeWords(type: string): string {
  const kind = cleanName(cut(type.replace(/^custom_/u, "").replaceAll("_", " "), TYPE_MAX, "codepoints"));
  return kind === "" ? "" : `(a post that only Mattermost can show: ${kind})`;
}

const TYPE_MAX = 40;

/** As clients show it beside the name of the writer. */
function labelOf({ label, asksAck }: MattermostPost["priority"]): string {
  const words = [...(LABELS.has(label) ? [label] : []), ...(asksAck ? ["asks for acknowledgement"] : [])];
  return words.length === 0 ? "" : `[${words.join(", ")}]`;
}

const LABELS: ReadonlySet<string> = new Set(["important", "urgent"]);

/** `/me` keeps what was written in the props; the message has it between asterisks. */
function actionText({ message, props }: MattermostPost): string {
  return message.startsWith("*") && message.endsWith("*") && message.length > 1
    ? message.slice(1, -1)
    : (textIn(props, "message") ?? message);
}

function remoteFile(id: string, known: readonly MattermostFile[]): RemoteFile {
  const file = known.find((one) => one.id === id);
  const { name = "file", mime = null, size = null } = file ?? {};
  return { name, comment: "", mime, bytes: size, url: null, ref: fileRef(id) };
}

/**
 * Anybody can write these props, so only a bot speaks under another name alone. Behind the name of a webhook stands the
 * person who owns it, as behind a name that a person has forged.
 */
function writer(post: MattermostPost, context: MattermostReceiveContext): Author {
  const isHook = textIn(post.props, "from_webhook") === "true";
  const author: Author = { ...context.author(post.userId), ...(isHook && { bot: true }) };
  const name = cleanName(textIn(post.props, "override_username") ?? "");
  const isBot = context.isBot(post.userId);
  if (name === "" || name === author.name || (!isBot && !isHook)) return author;
  const shown = isBot ? cut(name, NAME_MAX, "codepoints") : withOwner(name, author.name);
  return { ...author, name: shown, avatar: null };
}

/** The owner is never cut off. */
function withOwner(name: string, owner: string): string {
  const behind = ` (${cut(owner, OWNER_MAX, "codepoints")})`;
  return cut(name, NAME_MAX - measure(behind, "codepoints"), "codepoints").trim() + behind;
}

const NAME_MAX = 64;
const OWNER_MAX = 40;

function base(post: MattermostPost, { me, opOf }: MattermostReceiveContext) {
  const echoOf = post.userId === me ? (opOf(post) ?? ("self" as const)) : null;
  return { channel: channelRef(post.channelId), echoOf };
}

/** Who comes and goes. `who`: the fields of the props with the id and the name; null: the author of the post. */
interface Coming {
  readonly change: "join" | "leave";
  readonly who: readonly [id: string, name: string] | null;
  readonly verb: string;
  /** Somebody else did it, whose post it is. */
  readonly by: boolean;
}

const ADDED: Coming = { change: "join", who: ["addedUserId", "addedUsername"], verb: "joins", by: false };
const JOINED: Coming = { change: "join", who: null, verb: "joins", by: false };
const LEFT: Coming = { change: "leave", who: null, verb: "leaves", by: false };
const REMOVED: Coming = { change: "leave", who: ["removedUserId", "removedUsername"], verb: "was removed", by: true };

const COMINGS: ReadonlyMap<string, Coming> = new Map([
  ["system_join_channel", JOINED],
  ["system_guest_join_channel", JOINED],
  ["system_join_team", JOINED],
  ["system_add_to_channel", ADDED],
  ["system_add_guest_to_chan", ADDED],
  ["system_add_to_team", ADDED],
  ["system_leave_channel", LEFT],
  ["system_leave_team", LEFT],
  ["system_remove_from_channel", REMOVED],
  ["system_remove_from_team", REMOVED],
]);

function member(post: MattermostPost, context: MattermostReceiveContext): Membership | null {
  const coming = COMINGS.get(post.type);
  if (coming === undefined) return null;
  const [idKey, nameKey] = coming.who ?? ["", "username"];
  const id = textIn(post.props, idKey) ?? (coming.who === null ? post.userId : "");
  const named = textIn(post.props, nameKey) ?? "";
  // We say nothing of ourselves.
  if (id === context.me || (id === "" && cleanName(named) === "")) return null;
  const author = context.author(id, named);
  return {
    kind: "member",
    channel: channelRef(post.channelId),
    key: eventKey(`p/${post.id}`),
    atMs: post.createAt,
    echoOf: null,
    author,
    change: coming.change,
    text: `${author.name} ${coming.verb}${coming.by ? ` by ${context.author(post.userId).name}` : ""}`,
  };
}

function header(post: MattermostPost, context: MattermostReceiveContext): Event {
  const written = textIn(post.props, "new_header") ?? "";
  const words = written.replaceAll(/\s+/gu, " ").trim();
  const author = context.author(post.userId, textIn(post.props, "username") ?? "");
  return {
    kind: "topic",
    channel: channelRef(post.channelId),
    key: eventKey(`p/${post.id}`),
    atMs: post.createAt,
    echoOf: post.userId === context.me ? "self" : null,
    author,
    // Other networks have no Markdown in their topics.
    topic: plainText(parseMattermost(written)).trim(),
    text: `${author.name} ${words === "" ? "removed the topic" : `changed the topic to: ${words}`}`,
  };
}

import type { Account } from "../config/config.ts";
import type { Block, RemoteFile, Source } from "../contract/content.ts";
import type {
  Author,
  Deleted,
  Edited,
  Event,
  Membership,
  Posted,
  Reacted,
  SaidStyle,
  Topic,
} from "../contract/events.ts";
import type { FileId, MessageRef } from "../contract/ids.ts";
import { EventLabel, type Extra, type Message } from "../contract/message.ts";
import { parse, written } from "../content/formats.ts";
import { isUnseen } from "../content/controls.ts";
import { hiddenText } from "../content/hidden.ts";
import { plainText } from "../content/plain.ts";
import { fileId } from "../files/file-id.ts";
import type { IdNote, Known, NewEntry, Subject } from "../log/log.ts";
import {
  aboutDeletion,
  aboutEdit,
  aboutReaction,
  aboutReply,
  authorKey,
  excerptOf,
  isReaction,
  nameOf,
} from "./acts.ts";
import { namesOf, saidWith } from "./caption.ts";
import { type About, encodeStored } from "./codec.ts";
import { aboutFiles, type KnownWithFiles } from "./file-changes.ts";
import { replaceCodes, replaceEmoji } from "./emoji.ts";
import { compileMatcher, compileReplacements, type Matcher } from "./filters.ts";
import type { Drop } from "./drops.ts";
import { type Inbound, ignored } from "./inbound.ts";
import { NOBODY } from "./plain-message.ts";
import { subjectOf } from "./subject.ts";
import { withSuffix } from "./suffix.ts";

/** What becomes of an event of a network: an entry of the log, or nothing and why. */
export type Normalized = { readonly is: "entry"; readonly entry: NewEntry } | ({ readonly is: "drop" } & Drop);

/** A message that has to be looked up before an event can be recorded: refs at a place, for `Ids.find`. */
export interface Lookup {
  readonly place: Subject;
  readonly refs: readonly string[];
  /** Its files are asked for as well. */
  readonly files?: true;
}

/** `channel`: the name in the configuration of the place where it happened. */
export interface EventNormalizer {
  /** Mostly empty. */
  lookups(event: Event, channel: string): readonly Lookup[];
  /** `known`: the answers to `asks`, in its order; `nowMs`: Unix milliseconds. */
  normalize(event: Event, channel: string, nowMs: number, known: readonly (KnownWithFiles | null)[]): Normalized;
}

/**
 * Compiles the way from events of one account to entries of the log. Filters and transforms act on the text as its
 * network has it; the message holds what readers of the API who know no formats see, and the entry keeps that text
 * beside it where it says more than its words.
 */
export function compileNormalizer(account: Account, inbound: Inbound): EventNormalizer {
  const scene: Scene = {
    account,
    inbound,
    ignoresNick: compileMatcher(account.presentation.ignoreNicks),
    ignoresText: compileMatcher(account.presentation.ignoreMessages),
    replaces: compileReplacements(account.presentation.replaceMessages),
  };
  return {
    lookups: (event, channel) => {
      const refs = event.echoOf === null ? refsOf(event, account) : [];
      const place = subjectOf(account.key, channel);
      const hasFiles = event.kind === "edited" && (event.hasAllFiles === true || event.body.files.length > 0);
      return refs.map((ref) => (hasFiles ? { place, refs: [ref], files: true } : { place, refs: [ref] }));
    },
    normalize: (event, channel, nowMs, known) => {
      if (event.echoOf !== null) return { is: "drop", reason: "own" };
      const at: Place = { channel, subject: subjectOf(account.key, channel), timestamp: timestamp(event.atMs, nowMs) };
      return recordOne(event, at, known, scene);
    },
  };
}

interface Scene {
  readonly account: Account;
  readonly inbound: Inbound;
  readonly ignoresNick: Matcher;
  readonly ignoresText: Matcher;
  readonly replaces: (text: string) => string;
}

interface Place {
  readonly channel: string;
  readonly subject: Subject;
  readonly timestamp: string;
}

/** The messages that an event speaks of, each to be known before it is recorded. */
function refsOf(event: Event, { presentation }: Account): readonly MessageRef[] {
  switch (event.kind) {
    case "posted":
      return [event.replyTo, event.thread].filter((ref) => ref !== null);
    case "edited":
      return presentation.editDisable ? [] : [event.message];
    case "reacted":
      return presentation.reactionDisable ? [] : [event.message];
    case "deleted":
      return [event.message];
    case "member":
    case "topic":
      return [];
  }
}

function recordOne(event: Event, at: Place, known: readonly (KnownWithFiles | null)[], scene: Scene): Normalized {
  switch (event.kind) {
    case "posted":
      return recordPosted(event, at, known, scene);
    case "edited":
      return recordEdited(event, at, known[0] ?? null, scene);
    case "deleted":
      return recordDeleted(event, at, known[0] ?? null, scene);
    case "reacted":
      return recordReacted(event, at, known[0] ?? null, scene);
    case "member":
      return recordMember(event, at, scene);
    case "topic":
      return recordTopic(event, at, scene);
  }
}

const MEMBER_LABELS: { readonly [C in Membership["change"]]: string } = {
  join: EventLabel.join,
  leave: EventLabel.leave,
  rename: EventLabel.joinLeave,
};

const STYLE_EVENTS: { readonly [S in SaidStyle]: string } = {
  normal: "",
  action: EventLabel.action,
  notice: EventLabel.notice,
  aside: EventLabel.notice,
};

function recordMember(event: Membership, at: Place, scene: Scene): Normalized {
  const { author, text, change, newName } = event;
  const source = { format: "plain", text };
  const renamed = newName !== undefined && { newName };
  const saying = { event, author, source, files: [], label: MEMBER_LABELS[change], about: null, ...renamed };
  return recordSaid(saying, at, scene);
}

/** Filters and transforms act on the topic alone as well, for those who are to set it. */
function recordTopic(event: Topic, at: Place, scene: Scene): Normalized {
  const { author, text, topic: said } = event;
  const drop = said === null ? null : ignored("ignored_text", scene.ignoresText(said));
  if (drop !== null) return { is: "drop", ...drop };
  const source = { format: "plain", text };
  const replaced =
    said === null ? null : scene.replaces(replaceCodes(said, "plain", scene.account.presentation.emojiCodes));
  // That a rule leaves nothing of it does not mean that somebody took it away.
  const topic = replaced === "" && said !== "" ? null : replaced;
  return recordSaid({ event, author, source, files: [], label: EventLabel.topic, about: null, topic }, at, scene);
}

function recordPosted(event: Posted, at: Place, known: readonly (Known | null)[], scene: Scene): Normalized {
  const { author, body, messages, replyTo } = event;
  const reply = replyTo === null ? null : (known[0] ?? null);
  const thread = event.thread === null ? null : (known[replyTo === null ? 0 : 1] ?? null);
  const about = aboutReply(reply, thread);
  const note: Note = (name, excerpt) => {
    return { is: "said", refs: messages, author: keyOf(author), name, excerpt };
  };
  return recordSaid({ event, author, ...body, label: STYLE_EVENTS[body.style], about, note }, at, scene);
}

function recordEdited(event: Edited, at: Place, target: KnownWithFiles | null, scene: Scene): Normalized {
  const { editDisable, editSuffix: suffix } = scene.account.presentation;
  if (editDisable) return { is: "drop", reason: "edits_disabled" };
  if (target === null && event.isSaidAnyway === true) {
    return recordPosted(
      { ...event, kind: "posted", messages: event.aliases, replyTo: null, thread: null },
      at,
      [],
      scene,
    );
  }
  if (target === null) return { is: "drop", reason: "unknown_target" };
  if (target.gone) return { is: "drop", reason: "gone" };
  const { author, body, aliases, hasAllFiles = false } = event;
  const { files: ids } = originsOf(body.files, null, scene.account.key);
  // A copy of what somebody said elsewhere is nobody's to edit here.
  const owns = event.vouched || target.author === keyOf(author);
  if (target.subject !== at.subject || !owns) return { is: "drop", reason: "foreign" };
  const marks = body.files.map((file, index) => ({ ...file, id: ids[index] ?? null, shown: file.name }));
  const about = { ...aboutEdit(target), ...aboutFiles(target.files, marks, hasAllFiles) };
  const note: Note = (_name, excerpt) => ({ is: "revised", of: target.seq, refs: aliases, excerpt });
  return recordSaid({ event, author, ...body, label: STYLE_EVENTS[body.style], about, note, suffix }, at, scene);
}

function recordDeleted(event: Deleted, at: Place, target: Known | null, { account }: Scene): Normalized {
  if (target === null) return { is: "drop", reason: "unknown_target" };
  if (target.gone) return { is: "drop", reason: "gone" };
  const owns = event.by !== null && target.subject === at.subject && target.author === keyOf(event.by);
  if (!event.vouched && !owns) return { is: "drop", reason: "foreign" };
  const message = { ...blank(account, at), ...byline(event.by), event: EventLabel.delete };
  const note: IdNote = { is: "gone", of: target.seq };
  return entryOf({ event, message, about: aboutDeletion(target), note }, at, account);
}

function recordReacted(event: Reacted, at: Place, target: Known | null, scene: Scene): Normalized {
  const { account, ignoresNick } = scene;
  if (account.presentation.reactionDisable) return { is: "drop", reason: "reactions_disabled" };
  if (target === null) return { is: "drop", reason: "unknown_target" };
  if (target.gone) return { is: "drop", reason: "gone" };
  const { author, on } = event;
  const drop = ignored("ignored_nick", ignoresNick(author.name));
  if (drop !== null) return { is: "drop", ...drop };
  const emoji = replaceEmoji(event.emoji);
  if (emoji === "") return { is: "drop", reason: "empty" };
  if (!isReaction(emoji)) return { is: "drop", reason: "no_emoji" };
  const message = { ...blank(account, at), ...byline(author), text: emoji, event: EventLabel.reaction };
  const who = `${at.subject} ${keyOf(author)}`;
  const note: IdNote = { is: "reacted", of: target.seq, who, name: nameOf(author.name), emoji, on };
  return entryOf({ event, message, about: aboutReaction(target, emoji, on), note }, at, account);
}

/** What the entry means for ids, from the author's name and the beginning of the words. */
type Note = (name: string, excerpt: string) => IdNote;

/** An event that says something, before the account's settings have acted on it. */
interface Saying {
  readonly event: Event;
  readonly author: Author | null;
  readonly source: Source;
  readonly files: readonly RemoteFile[];
  readonly label: string;
  readonly about: About | null;
  readonly note?: Note;
  readonly suffix?: string;
  /** Both as in `Stored`. */
  readonly topic?: string | null;
  readonly newName?: string;
}

function recordSaid(saying: Saying, at: Place, { account, inbound, ignoresText }: Scene): Normalized {
  const { event, author, files, about, suffix = "", topic = null, newName } = saying;
  const { format } = saying.source;
  const given = { ...blank(account, at), ...byline(author), text: saying.source.text, event: saying.label };
  const verdict = inbound({ ...given, Extra: extraOf(files) }, format);
  if (verdict.is === "drop") return verdict;
  const said: Source = { format, text: verdict.message.text };
  const blocks = parse(said.format, said.text);
  const words = plainText(blocks);
  // Nothing but formatting is nothing to say.
  if (isUnseen(words) && files.length === 0) return { is: "drop", reason: "empty" };
  // What is to be ignored is so whatever its formatting.
  const drop = words === said.text ? null : ignored("ignored_text", ignoresText(words));
  if (drop !== null) return { is: "drop", ...drop };
  const source = withSuffix(said, suffix);
  const shown = suffix === "" ? { blocks, words } : read(source);
  const isPlain = shown.words === source.text && shown.blocks.every(isPlainBlock);
  // Readers who know no formats see markup that people write as it was written, and of all other formatting the words.
  const text = written(source.format, source.text) ?? shown.words;
  const message = { ...verdict.message, text };
  const quoted = saidWith(words === "" ? "" : hiddenText(blocks), files) || namesOf(files);
  const note = saying.note?.(nameOf(message.username), excerptOf(quoted));
  const news = { topic, ...(newName !== undefined && { newName }) };
  return entryOf({ event, message, about, note, source: isPlain ? null : source, files, author, ...news }, at, account);
}

function read({ format, text }: Source): { readonly blocks: ReturnType<typeof parse>; readonly words: string } {
  const blocks = parse(format, text);
  return { blocks, words: plainText(blocks) };
}

/** A quote may be written as its words are shown, and is a quote nevertheless. */
const isPlainBlock = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

interface Parts {
  readonly event: Event;
  readonly message: Message;
  readonly about: About | null;
  readonly note: IdNote | undefined;
  readonly source?: Source | null;
  readonly files?: readonly RemoteFile[];
  readonly author?: Author | null;
  readonly topic?: string | null;
  readonly newName?: string;
}

function entryOf(parts: Parts, { subject }: Place, { key: accountKey }: Account): Normalized {
  const { event, message, about, note, source = null, files = [], author = null, topic = null, newName } = parts;
  const origins = { ...originsOf(files, author, accountKey), ...(newName !== undefined && { newName }) };
  const payload = encodeStored({ message, source, about, topic, ...origins, bot: isByBot(event) });
  const label = labelOf(event, message);
  return { is: "entry", entry: { subject, key: event.key, label, payload, ...(note !== undefined && { note }) } };
}

function isByBot(event: Event): boolean {
  const by = event.kind === "deleted" ? event.by : event.author;
  return by?.bot === true;
}

/** By what readers are chosen: a program's notice is for everybody. */
function labelOf(event: Event, message: Message): string {
  if (event.kind === "edited") return EventLabel.edit;
  return event.kind === "posted" && event.body.style === "notice" ? "" : message.event;
}

/** How the files and the picture can be had later. */
function originsOf(
  files: readonly RemoteFile[],
  author: Author | null,
  account: string,
): { readonly files: readonly (FileId | null)[]; readonly avatar: FileId | null } {
  const originOf = ({ ref, url }: RemoteFile): FileId | null => {
    if (ref !== null) return fileId({ is: "remote", account, ref });
    return url === null ? null : fileId({ is: "url", url, account });
  };
  const avatar = author?.avatar ?? null;
  // A picture with an address only is found by that of the message.
  return { files: files.map(originOf), avatar: avatar === null || avatar.ref === null ? null : originOf(avatar) };
}

const keyOf = ({ id, identity }: Author): string => authorKey(id, identity);

function byline(author: Author | null): Pick<Message, "username" | "userid" | "avatar"> {
  if (author === null) return { username: NOBODY, userid: "", avatar: "" };
  return { username: author.name, userid: author.id, avatar: author.avatar?.url ?? "" };
}

/** A network's own ids would mean nothing elsewhere; the reference shows none either. */
function blank({ name, protocol }: Account, { channel, timestamp }: Place): Message {
  return {
    text: "",
    channel,
    username: "",
    userid: "",
    avatar: "",
    account: name,
    event: "",
    protocol,
    gateway: "",
    parent_id: "",
    timestamp,
    id: "",
    Extra: null,
  };
}

function extraOf(files: readonly RemoteFile[]): Extra | null {
  if (files.length === 0) return null;
  return {
    file: files.map(({ name, comment, bytes, url, spoiler }) => ({
      Name: name,
      Data: "",
      Comment: comment,
      URL: url ?? "",
      Size: bytes ?? 0,
      Avatar: false,
      SHA: "",
      NativeID: "",
      ...(spoiler !== undefined && { Spoiler: spoiler }),
    })),
  };
}

/** Networks' clocks are wrong at times: nothing was said in the future, or at a time that no date can show. */
function timestamp(atMs: number, nowMs: number): string {
  return new Date(atMs >= 0 && atMs < nowMs ? atMs : nowMs).toISOString();
}

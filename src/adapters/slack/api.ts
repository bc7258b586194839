import type { OpenedFile } from "../../contract/session.ts";
import type { Json } from "../kit/json.ts";
import { isObject, listIn, objectIn, textIn } from "../kit/json.ts";
import { type FilePlaces, openFile, sendFile } from "./file-places.ts";
import {
  channelIn,
  fileIn,
  messageIn,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackUser,
  userIn,
} from "./model.ts";
import type { SlackFailure, SlackResult } from "./result.ts";
import type { SlackWeb } from "./web.ts";

/** The first requests of a session, which tell whether anybody is there at all. */
const ENTRY_MS = 20_000;
/** Events wait for what they speak of. */
const LOOKUP_MS = 10_000;
/** How long what was said is waited for while Slack does not want to be asked. */
const PATIENCE_MS = 600_000;
/** Of lists of people and channels. */
const PAGE = 200;

/** What `chat.postMessage` is given. */
export interface NewMessage {
  readonly channel: string;
  /** In mrkdwn: what notifications show, and what is shown where there are no blocks. */
  readonly text: string;
  readonly blocks: readonly Json[];
  /** The root; empty: in no thread. */
  readonly threadTs: string;
  /** `event_type` and `event_payload`. */
  readonly metadata: Json;
  /** Null: the app's own. */
  readonly username: string | null;
  readonly iconUrl: string | null;
  /** Absent: links have previews. */
  readonly unfurl?: false;
}

export interface MessageChange {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  /** Null: as it is. */
  readonly metadata: Json | null;
  /** Of the files that stay. Nothing says whether they would without being named. */
  readonly fileIds: readonly string[];
}

/** Where a file is to be sent to. */
interface UploadPlace {
  readonly url: string;
  readonly id: string;
}

/** A file that lies with Slack and stands in no message yet. */
export interface UploadedFile {
  readonly id: string;
  readonly title: string;
}

export interface FileShare {
  readonly channel: string;
  readonly threadTs: string;
  readonly files: readonly UploadedFile[];
  /** The comment. Empty: none. */
  readonly blocks: readonly Json[];
}

export interface HistoryPage {
  /** Newest first, as Slack has them; of a thread its root, and then the oldest first. */
  readonly messages: readonly SlackMessage[];
  /** Where the next page begins; empty: this was the last. */
  readonly next: string;
  /** The workspace's plan hides older ones. */
  readonly limited: boolean;
}

/** Of one channel: behind `oldest` and before `latest`, both excluded; empty: no bound. */
export interface HistoryQuery {
  readonly channel: string;
  readonly oldest: string;
  readonly latest: string;
  readonly cursor: string;
  readonly count: number;
}

/** What `auth.test` says of a token; what it does not say is empty. */
export interface SlackAuth {
  readonly userId: string;
  readonly botId: string;
  readonly appId: string;
  readonly teamId: string;
  readonly name: string;
  /** Of the workspace, as `https://crew.slack.com/`. */
  readonly teamUrl: string;
  /** Of all workspaces of an organisation at once. */
  readonly isOrgWide: boolean;
}

/** The Web API of one workspace, as far as a bridge needs it. Every answer is a value. */
export class SlackApi {
  readonly #web: SlackWeb;
  readonly #places: FilePlaces;
  /** The server does not know the method. */
  #lacksOwnList = false;

  constructor(web: SlackWeb, places: FilePlaces) {
    this.#web = web;
    this.#places = places;
  }

  /** What the token may do, once something was answered; null: the server does not say it. */
  get scopes(): ReadonlySet<string> | null {
    return this.#web.scopes;
  }

  /** By the server's clock, which counts seconds; null: nothing was answered yet. */
  serverMs(): number | null {
    return this.#web.serverMs;
  }

  /** Whether Slack does not want to be asked this now, such as `conversations.history`. */
  isLimited(method: string): boolean {
    return this.#web.isLimited(method);
  }

  async authTest(signal: AbortSignal): Promise<SlackResult<SlackAuth>> {
    const answer = await this.#web.write({ method: "auth.test", again: true, signal, timeoutMs: ENTRY_MS });
    return mapped(answer, (body) => ({
      userId: textIn(body, "user_id") ?? "",
      botId: textIn(body, "bot_id") ?? "",
      appId: textIn(body, "app_id") ?? "",
      teamId: textIn(body, "team_id") ?? "",
      name: textIn(body, "user") ?? "",
      teamUrl: textIn(body, "url") ?? "",
      isOrgWide: body["is_enterprise_install"] === true,
    }));
  }

  /** The id of the app that a bot belongs to; empty: it belongs to none. */
  async appOf(bot: string, signal: AbortSignal): Promise<SlackResult<string>> {
    const answer = await this.#look("bots.info", { bot }, signal);
    return mapped(answer, (body) => textIn(objectIn(body, "bot"), "app_id") ?? "");
  }

  /** Null: it answers without the message. */
  async post(message: NewMessage, signal: AbortSignal): Promise<SlackResult<SlackMessage | null>> {
    const { channel, text, blocks, threadTs, metadata, username, iconUrl, unfurl = true } = message;
    const args = {
      channel,
      text,
      blocks: blocks.length === 0 ? null : blocks,
      thread_ts: threadTs || null,
      metadata,
      username,
      icon_url: iconUrl,
      unfurl_links: unfurl,
      ...(!unfurl && { unfurl_media: false }),
    };
    const answer = await this.#web.write({ method: "chat.postMessage", part: channel, args, signal });
    return mapped(answer, (body) => {
      const ts = textIn(body, "ts");
      // The message itself may lack what the answer around it has.
      return messageIn({ ...objectIn(body, "message"), ts, channel: textIn(body, "channel") ?? channel });
    });
  }

  /** Its `ts`, which is the one of before. */
  async update(change: MessageChange, signal: AbortSignal): Promise<SlackResult<string>> {
    const { channel, ts, text, blocks, metadata, fileIds } = change;
    const args = { channel, ts, text, blocks, metadata, file_ids: fileIds.length === 0 ? null : fileIds };
    const answer = await this.#web.write({ method: "chat.update", args, again: true, signal });
    return mapped(answer, (body) => textIn(body, "ts") ?? ts);
  }

  async delete(channel: string, ts: string, signal: AbortSignal): Promise<SlackResult<null>> {
    return nothing(await this.#web.write({ method: "chat.delete", args: { channel, ts }, again: true, signal }));
  }

  /** `name`: without colons. */
  async react(
    at: { readonly channel: string; readonly ts: string },
    name: string,
    on: boolean,
    signal: AbortSignal,
  ): Promise<SlackResult<null>> {
    const args = { channel: at.channel, timestamp: at.ts, name };
    return nothing(await this.#web.write({ method: `reactions.${on ? "add" : "remove"}`, args, again: true, signal }));
  }

  async history(query: HistoryQuery, signal: AbortSignal): Promise<SlackResult<HistoryPage>> {
    return mapped(await this.#read("conversations.history", pageOf(query), signal), pageIn);
  }

  /** Of one thread; its root comes first on the first page, whatever the bounds. */
  async replies(
    query: HistoryQuery & { readonly root: string },
    signal: AbortSignal,
  ): Promise<SlackResult<HistoryPage>> {
    const args = { ...pageOf(query), ts: query.root };
    return mapped(await this.#read("conversations.replies", args, signal), pageIn);
  }

  /** Of the channel or of a thread; null: it is there no longer. */
  async message(channel: string, ts: string, signal: AbortSignal): Promise<SlackResult<SlackMessage | null>> {
    const bounds = { oldest: ts, latest: ts, inclusive: true, limit: 2, include_all_metadata: true };
    const answer = await this.#look("conversations.replies", { channel, ts, ...bounds }, signal);
    const found = mapped(answer, (body) => pageIn(body).messages.find((one) => one.ts === ts) ?? null);
    return orNone(found, "thread_not_found", "message_not_found");
  }

  /** Null: nobody there, or nobody whom we may see. */
  async user(id: string, signal: AbortSignal): Promise<SlackResult<SlackUser | null>> {
    const found = mapped(await this.#look("users.info", { user: id }, signal), (body) => userIn(body["user"]));
    return orNone(found, "user_not_found", "user_not_visible", "users_not_found");
  }

  async usersPage(
    cursor: string,
    signal: AbortSignal,
  ): Promise<SlackResult<{ readonly users: readonly SlackUser[]; readonly next: string }>> {
    const answer = await this.#read("users.list", { cursor: cursor || null, limit: PAGE }, signal);
    return mapped(answer, (body) => ({
      users: listIn(body, "members").flatMap((one) => userIn(one) ?? []),
      next: nextIn(body),
    }));
  }

  /** Null: there is none, or none that we may see. */
  async channel(id: string, signal: AbortSignal): Promise<SlackResult<SlackChannel | null>> {
    const answer = await this.#read("conversations.info", { channel: id }, signal);
    return orNone(
      mapped(answer, (body) => channelIn(body["channel"])),
      "channel_not_found",
    );
  }

  /** Those that we are in, or all public ones. */
  async channelsPage(
    which: { readonly mine: boolean; readonly cursor: string },
    signal: AbortSignal,
  ): Promise<SlackResult<{ readonly channels: readonly SlackChannel[]; readonly next: string }>> {
    const { mine, cursor } = which;
    const may = (scope: string): boolean => this.#web.scopes?.has(scope) ?? true;
    const kinds = [
      ...(may("channels:read") ? ["public_channel"] : []),
      ...(may("groups:read") ? ["private_channel"] : []),
    ];
    const args = {
      types: (mine && kinds.join(",")) || "public_channel",
      exclude_archived: !mine,
      cursor: cursor || null,
      limit: PAGE,
    };
    const ownList = mine && !this.#lacksOwnList;
    const answer = await this.#read(ownList ? "users.conversations" : "conversations.list", args, signal);
    if (ownList && !answer.ok && answer.failure.error === "unknown_method") {
      // A server like Slack's: of its list of all channels, those count that we are in.
      this.#lacksOwnList = true;
      return await this.channelsPage(which, signal);
    }
    return mapped(answer, (body) => ({
      // Of our own, it is not said that we are in them.
      channels: listIn(body, "channels")
        .flatMap((one) => channelIn(ownList && isObject(one) ? { ...one, is_member: true } : one) ?? [])
        .filter(({ isMember }) => !mine || isMember),
      next: nextIn(body),
    }));
  }

  /** The ids of those who are in a channel. */
  async members(
    channel: string,
    cursor: string,
    signal: AbortSignal,
  ): Promise<SlackResult<{ readonly users: readonly string[]; readonly next: string }>> {
    const answer = await this.#read("conversations.members", { channel, cursor: cursor || null, limit: PAGE }, signal);
    return mapped(answer, (body) => ({
      users: listIn(body, "members").filter((one) => typeof one === "string"),
      next: nextIn(body),
    }));
  }

  async enter(channel: string, signal: AbortSignal): Promise<SlackResult<SlackChannel | null>> {
    const answer = await this.#web.write({ method: "conversations.join", args: { channel }, again: true, signal });
    return mapped(answer, (body) => channelIn(body["channel"]));
  }

  /** Custom emoji: their addresses by their names, or `alias:` and the name of another. */
  async emoji(signal: AbortSignal): Promise<SlackResult<ReadonlyMap<string, string>>> {
    return mapped(await this.#read("emoji.list", {}, signal), (body) => {
      const entries = Object.entries(objectIn(body, "emoji"));
      return new Map(entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])));
    });
  }

  /** Groups of people: their ids, and how they are called, without `@`. */
  async groups(signal: AbortSignal): Promise<SlackResult<readonly (readonly [string, string])[]>> {
    const answer = await this.#look("usergroups.list", { include_disabled: true }, signal);
    return mapped(answer, (body) =>
      listIn(body, "usergroups").flatMap((one) => {
        const [id, name] = isObject(one) ? [textIn(one, "id") ?? "", textIn(one, "handle") || textIn(one, "name")] : [];
        return id && name ? [[id, name] as const] : [];
      }),
    );
  }

  async permalink(channel: string, ts: string, signal: AbortSignal): Promise<SlackResult<string>> {
    const answer = await this.#look("chat.getPermalink", { channel, message_ts: ts }, signal);
    return mapped(answer, (body) => textIn(body, "permalink") ?? "");
  }

  /** Null: it is there no longer. */
  async fileInfo(id: string, signal: AbortSignal): Promise<SlackResult<SlackFile | null>> {
    const found = mapped(await this.#look("files.info", { file: id }, signal), (body) => fileIn(body["file"]));
    return orNone(found, "file_not_found", "file_deleted");
  }

  async deleteFile(id: string, signal: AbortSignal): Promise<SlackResult<null>> {
    const write = { method: "files.delete", args: { file: id }, again: true, signal } as const;
    return orNone(nothing(await this.#web.write(write)), "file_not_found", "file_deleted");
  }

  /** A place for a file, which nobody sees before it is shared. */
  async beginUpload(name: string, bytes: number, signal: AbortSignal): Promise<SlackResult<UploadPlace>> {
    const args = { filename: name, length: bytes };
    const begun = await this.#web.read({ method: "files.getUploadURLExternal", args, signal, waitMs: 0 });
    return mapped(begun, (body) => ({ url: textIn(body, "upload_url") ?? "", id: textIn(body, "file_id") ?? "" }));
  }

  /** Null: the bytes are there. */
  async sendFile(
    { url }: UploadPlace,
    content: { readonly stream: ReadableStream<Uint8Array>; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<SlackFailure | null> {
    return await sendFile(this.#places, url, content, signal);
  }

  async share({ channel, threadTs, files, blocks }: FileShare, signal: AbortSignal): Promise<SlackResult<null>> {
    const args = {
      channel_id: channel,
      thread_ts: threadTs || null,
      files: files.map(({ id, title }) => ({ id, title })),
      blocks: blocks.length === 0 ? null : blocks,
    };
    return nothing(await this.#web.write({ method: "files.completeUploadExternal", args, signal }));
  }

  /** The content of a file that lies with Slack. */
  async openFile(file: Pick<SlackFile, "url" | "mime">, signal: AbortSignal): Promise<OpenedFile> {
    return await openFile(this.#places, file, signal);
  }

  async setTopic(channel: string, topic: string, signal: AbortSignal): Promise<SlackResult<null>> {
    const args = { channel, topic };
    return nothing(await this.#web.write({ method: "conversations.setTopic", args, again: true, signal }));
  }

  async #read(method: string, args: object, signal: AbortSignal): Promise<SlackResult<Json>> {
    return await this.#web.read({ method, args: { ...args }, signal, waitMs: PATIENCE_MS });
  }

  async #look(method: string, args: object, signal: AbortSignal): Promise<SlackResult<Json>> {
    return await this.#web.read({ method, args: { ...args }, signal, timeoutMs: LOOKUP_MS, waitMs: LOOKUP_MS });
  }
}

const pageOf = ({ channel, oldest, latest, cursor, count }: HistoryQuery) => ({
  channel,
  oldest: oldest || null,
  latest: latest || null,
  cursor: cursor || null,
  limit: count,
  include_all_metadata: true,
});

const pageIn = (body: Json): HistoryPage => ({
  messages: listIn(body, "messages").flatMap((one) => messageIn(one) ?? []),
  next: nextIn(body),
  limited: body["is_limited"] === true,
});

const nextIn = (body: Json): string => textIn(objectIn(body, "response_metadata"), "next_cursor") ?? "";
function mapped<T>(answer: SlackResult<Json>, map: (body: Json) => T): SlackResult<T> {
  return answer.ok ? { ok: true, value: map(answer.value) } : answer;
}

const nothing = (answer: SlackResult<Json>): SlackResult<null> => mapped(answer, () => null);

/** `not there` is an answer to what is there. */
function orNone<T>(result: SlackResult<T | null>, ...errors: readonly string[]): SlackResult<T | null> {
  return !result.ok && errors.includes(result.failure.error) ? { ok: true, value: null } : result;
}

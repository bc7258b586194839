import type {
  ChatDeleteResponse,
  ChatGetPermalinkResponse,
  ChatMeMessageResponse,
  ChatPostMessageResponse,
  ChatUpdateResponse,
} from "@slack/web-api";
import { readAttachments, readBlocks } from "./blocks.ts";
import type { Messages } from "./messages.ts";
import { type Args, type Call, type Methods, missing } from "./requests.ts";
import { showMessage } from "./show.ts";
import {
  type Answered,
  type AppRow,
  type ChannelRow,
  isRecord,
  lengthOf,
  type MessageRow,
  type Metadata,
  no,
} from "./wire.ts";
import type { WireMessage } from "./wire.ts";
import type { World } from "./world.ts";

/** Characters of metadata, written as JSON. */
const METADATA = 8000;

/** The channel of a method that says or changes something there. */
export function target(world: World, app: AppRow, name: string, mayBeOutside = false): ChannelRow {
  const row = visible(world, app, name);
  if (row.isArchived) throw no("is_archived");
  if (!row.members.has(app.user.id) && !mayBeOutside) throw no("not_in_channel");
  return row;
}

/** A channel that the app can see. Private ones are not there for others. */
export function visible(world: World, app: AppRow, id: string): ChannelRow {
  const row = world.channels.get(id);
  const isThere = row !== undefined && (row.team === app.team || row.others.has(app.team));
  if (!isThere || (row.isPrivate && !row.members.has(app.user.id))) throw no("channel_not_found");
  return row;
}

/** Where a message is posted may be named, too. */
function addressed(world: World, app: AppRow, given: string): string {
  if (world.channels.has(given)) return given;
  const name = given.replace(/^#/, "");
  const found = [...world.channels.values()].find((one) => one.team === app.team && one.name === name);
  return found?.id ?? given;
}

export function chatMethods(world: World, messages: Messages): Methods {
  return {
    "chat.postMessage": {
      scopes: ["chat:write"],
      json: true,
      handler: ({ args, app }) => {
        const id = addressed(world, app, args.need("channel", "channel_not_found"));
        const channel = visible(world, app, id);
        const outside = app.scopes.has("chat:write.public") && !channel.isPrivate;
        const row = messages.post(target(world, app, id, outside), draftOf(messages, app, args));
        const message = showMessage(world, row, true);
        return { channel: row.channel, ts: row.wire.ts, message } satisfies Answered<ChatPostMessageResponse>;
      },
    },
    "chat.meMessage": {
      scopes: ["chat:write"],
      json: true,
      handler: ({ args, app }) => {
        const channel = target(world, app, args.need("channel", "channel_not_found"));
        const text = args.need("text", "no_text");
        const row = messages.post(channel, { text, more: { subtype: "me_message", ...messages.signed(app) } });
        return { channel: channel.id, ts: row.wire.ts } satisfies Answered<ChatMeMessageResponse>;
      },
    },
    "chat.update": {
      scopes: ["chat:write"],
      json: true,
      handler: (call) => update(world, messages, call),
    },
    "chat.delete": {
      scopes: ["chat:write"],
      json: true,
      handler: ({ args, app }) => {
        const channel = target(world, app, args.need("channel", "channel_not_found"), true);
        const row = messageIn(channel, args.need("ts", "message_not_found"));
        if (row.wire.subtype === "tombstone") throw no("message_not_found");
        if (row.wire.app_id !== app.id) throw no("cant_delete_message");
        messages.erase(row);
        return { channel: channel.id, ts: row.wire.ts } satisfies Answered<ChatDeleteResponse>;
      },
    },
    "chat.getPermalink": {
      scopes: [],
      handler: ({ args, app }) => {
        const channel = visible(world, app, args.need("channel", "channel_not_found"));
        const { ts, thread_ts: thread } = messageIn(channel, args.need("message_ts", "message_not_found")).wire;
        const inThread = thread === undefined || thread === ts ? "" : `?thread_ts=${thread}&cid=${channel.id}`;
        const site = `https://${world.team(channel.team).domain}.slack.com`;
        const permalink = `${site}/archives/${channel.id}/p${ts.replace(".", "")}${inThread}`;
        return { channel: channel.id, permalink } satisfies Answered<ChatGetPermalinkResponse>;
      },
    },
  };
}

export function messageIn(channel: ChannelRow, ts: string): MessageRow {
  const row = channel.messages.get(ts);
  if (row === undefined) throw no("message_not_found");
  return row;
}

function update(world: World, messages: Messages, { args, app }: Call): object {
  const channel = target(world, app, args.need("channel", "channel_not_found"), true);
  const row = messageIn(channel, args.need("ts", "message_not_found"));
  if (row.wire.app_id !== app.id || row.wire.subtype === "me_message") throw no("cant_update_message");
  const content = contentOf(args);
  const { metadata } = content;
  const has = content.text !== "" || content.blocks !== undefined || content.attachments !== undefined;
  if (!has) throw no("no_text");
  messages.edit(row, app.user.id, {
    ...(args.has("text") && { text: content.text }),
    ...(content.blocks !== undefined && { blocks: content.blocks }),
    ...(content.attachments !== undefined && { attachments: content.attachments }),
    ...(metadata !== undefined && { metadata }),
    ...(args.has("file_ids") && { files: filesOf(args) }),
  });
  const message = showMessage(world, row, true);
  const { ts, text = "" } = row.wire;
  return { channel: channel.id, ts, text, message } satisfies Answered<ChatUpdateResponse>;
}

function filesOf(args: Args): string[] {
  const given = args.value("file_ids", "invalid_arguments");
  return Array.isArray(given) ? given.map(String) : args.text("file_ids").split(",");
}

interface Content {
  readonly text: string;
  readonly blocks: ReturnType<typeof readBlocks>;
  readonly attachments: ReturnType<typeof readAttachments>;
  readonly metadata: Metadata | undefined;
}

function contentOf(args: Args): Content {
  const blocks = readBlocks(args.value("blocks", "invalid_blocks_format"));
  const attachments = readAttachments(args.value("attachments", "invalid_attachments"));
  const text = args.text("text");
  if (blocks !== undefined && lengthOf(text) > 40_000) throw no("msg_too_long");
  return { text, blocks, attachments, metadata: metadataOf(args) };
}

function metadataOf(args: Args): Metadata | undefined {
  const value = args.value("metadata", "invalid_metadata_format");
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw no("invalid_metadata_format");
  const { event_type: type, event_payload: payload } = value;
  if (typeof type !== "string" || !/^[A-Za-z0-9_.-]{1,255}$/.test(type) || !isRecord(payload)) {
    throw no("invalid_metadata_schema");
  }
  if (JSON.stringify(value).length > METADATA) throw no("metadata_too_large");
  return { event_type: type, event_payload: payload };
}

function draftOf(messages: Messages, app: AppRow, args: Args): Parameters<Messages["post"]>[1] {
  const content = contentOf(args);
  const isEmpty = content.text.trim() === "" && content.blocks === undefined && content.attachments === undefined;
  if (isEmpty) throw no("no_text");
  if (args.flag("reply_broadcast") && !args.has("thread_ts")) throw no("invalid_arguments");
  return {
    ...content,
    ...(args.has("thread_ts") && { thread: args.text("thread_ts") }),
    broadcast: args.flag("reply_broadcast"),
    more: authorOf(messages, app, args),
  };
}

/** Who is seen as author: the app, or whom it names where it has the scope for that. */
function authorOf(messages: Messages, app: AppRow, args: Args): Partial<WireMessage> {
  const named = args.has("username") || args.has("icon_url") || args.has("icon_emoji");
  if (!named) return messages.signed(app);
  if (!app.scopes.has("chat:write.customize")) {
    if (app.refusesNames) throw missing(app, ["chat:write.customize"]);
    return messages.signed(app);
  }
  const url = args.text("icon_url");
  const icons = args.has("icon_emoji")
    ? { emoji: args.text("icon_emoji") }
    : args.has("icon_url")
      ? { image_36: url, image_48: url, image_72: url }
      : undefined;
  return {
    subtype: "bot_message",
    username: args.has("username") ? Array.from(args.text("username")).slice(0, 80).join("") : app.name,
    ...(icons !== undefined && { icons }),
    bot_id: app.botId,
    app_id: app.id,
  };
}

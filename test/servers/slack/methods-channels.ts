import type {
  ConversationsHistoryResponse,
  ConversationsInfoResponse,
  ConversationsJoinResponse,
  ConversationsListResponse,
  ConversationsMembersResponse,
} from "@slack/web-api";
import { byTs } from "./clock.ts";
import type { Channels } from "./channels.ts";
import { between, type Messages } from "./messages.ts";
import { messageIn, target, visible } from "./methods-chat.ts";
import { type Args, type Call, type Method, type Methods, missing, paged } from "./requests.ts";
import { showChannel, showMessage } from "./show.ts";
import { type Answered, type AppRow, type ChannelRow, no, type WireMessage } from "./wire.ts";
import type { World } from "./world.ts";

/** Pages of an app that is sold to others outside of the network's market. */
const SMALL_PAGE = 15;

export class History {
  /** Pages are as small as for apps that are sold outside of the market; else up to 999. */
  smallPages = false;
}

export function channelMethods(world: World, channels: Channels, messages: Messages, history: History): Methods {
  return {
    "conversations.list": { scopes: ["channels:read", "groups:read"], handler: (call) => list(world, call) },
    "users.conversations": { scopes: ["channels:read", "groups:read"], handler: (call) => list(world, call, true) },
    "conversations.info": {
      scopes: ["channels:read", "groups:read"],
      handler: ({ args, app }) => {
        const row = readable(world, app, args, "read");
        const channel = showChannel(world, row, app, args.flag("include_num_members"));
        return { channel } satisfies Answered<ConversationsInfoResponse>;
      },
    },
    "conversations.members": {
      scopes: ["channels:read", "groups:read"],
      handler: ({ args, app }) => {
        const row = readable(world, app, args, "read");
        const all = [...row.members];
        const { part, next } = paged(all, args.text("cursor"), args.limit(100, 1000), (id) => id);
        return answerPage({ members: [...part] }, next) satisfies Answered<ConversationsMembersResponse>;
      },
    },
    "conversations.history": {
      scopes: ["channels:history", "groups:history"],
      handler: ({ args, app }) => {
        const row = readable(world, app, args, "history");
        if (!row.members.has(app.user.id)) throw no("not_in_channel");
        const all = messages
          .inChannel(row)
          .reverse()
          .map((one) => showMessage(world, one, args.flag("include_all_metadata")));
        return page(row, all, args, history.smallPages);
      },
    },
    "conversations.replies": {
      scopes: ["channels:history", "groups:history"],
      handler: ({ args, app }) => {
        const row = readable(world, app, args, "history");
        if (!row.members.has(app.user.id)) throw no("not_in_channel");
        const root = row.messages.get(args.need("ts", "thread_not_found"));
        if (root === undefined) throw no("thread_not_found");
        // Of a reply nothing but itself is given.
        const replies = root.replies.map((ts) => messageIn(row, ts)).sort((one, other) => byTs(one.wire, other.wire));
        const all = [root, ...replies].map((one) => showMessage(world, one, args.flag("include_all_metadata")));
        return page(row, all, args, history.smallPages, root.wire.ts);
      },
    },
    ...changes(world, channels),
  };
}

function changes(world: World, channels: Channels): Methods {
  const note = (what: "setTopic" | "setPurpose", name: "topic" | "purpose"): Method => ({
    scopes: [`channels:write.${name}`, `groups:write.${name}`, "channels:manage", "groups:write"],
    json: true,
    handler: ({ args, app }) => {
      const row = target(world, app, args.need("channel", "channel_not_found"));
      channels[what](row, app.user.id, args.text(name));
      return { [name]: row[name].value, channel: showChannel(world, row, app, false) };
    },
  });
  return {
    "conversations.setTopic": note("setTopic", "topic"),
    "conversations.setPurpose": note("setPurpose", "purpose"),
    "conversations.join": {
      scopes: ["channels:join"],
      json: true,
      handler: ({ args, app }) => {
        const row = target(world, app, args.need("channel", "channel_not_found"), true);
        if (row.isPrivate) throw no("method_not_supported_for_channel_type");
        const isNew = channels.enter(row, app.user.id);
        const channel = showChannel(world, row, app, false);
        if (isNew) return { channel } satisfies Answered<ConversationsJoinResponse>;
        const warnings = ["already_in_channel"];
        return {
          channel,
          warning: "already_in_channel",
          response_metadata: { warnings },
        } satisfies Answered<ConversationsJoinResponse>;
      },
    },
    "conversations.leave": {
      scopes: ["channels:manage", "groups:write"],
      json: true,
      handler: ({ args, app }) => {
        const row = visible(world, app, args.need("channel", "channel_not_found"));
        if (row.isArchived) throw no("is_archived");
        return channels.leave(row, app.user.id) ? {} : { not_in_channel: true };
      },
    },
  };
}

/** The channel, where the app has the scope for its kind. */
function readable(world: World, app: AppRow, args: Args, right: "read" | "history"): ChannelRow {
  const row = visible(world, app, args.need("channel", "channel_not_found"));
  const scope = `${row.isPrivate ? "groups" : "channels"}:${right}`;
  if (!app.scopes.has(scope)) throw missing(app, [scope]);
  return row;
}

const KINDS = { public_channel: "channels:read", private_channel: "groups:read", mpim: "mpim:read", im: "im:read" };

function list(world: World, { args, app }: Call, mine = false): object {
  const types = (args.text("types") || "public_channel").split(",").map((type) => type.trim());
  const needed: string[] = [];
  for (const type of types) {
    const scope = Object.entries(KINDS).find(([name]) => name === type)?.[1];
    if (scope === undefined) throw no("invalid_types");
    if (!app.scopes.has(scope)) needed.push(scope);
  }
  if (needed.length > 0) throw missing(app, needed);
  const who = mine ? args.text("user") || app.user.id : null;
  const all = [...world.channels.values()].filter((row) => {
    if (row.team !== app.team && !row.others.has(app.team)) return false;
    if (!types.includes(row.isPrivate ? "private_channel" : "public_channel")) return false;
    if (row.isPrivate && !row.members.has(app.user.id)) return false;
    if (row.isArchived && args.flag("exclude_archived")) return false;
    return who === null || row.members.has(who);
  });
  const { part, next } = paged(all, args.text("cursor"), args.limit(100, 1000), ({ id }) => id);
  const channels = part.map((row) => showChannel(world, row, app, !mine));
  return answerPage({ channels }, next) satisfies Answered<ConversationsListResponse>;
}

/** A part of what was said. `root`: it is given first, on the first page, whatever the bounds. */
function page(row: ChannelRow, all: readonly WireMessage[], args: Args, small: boolean, root?: string): object {
  const { oldest, latest } = { oldest: args.text("oldest"), latest: args.text("latest") };
  const inclusive = args.flag("inclusive");
  const within = all.filter(({ ts }) => ts === root || between(ts, oldest, latest, inclusive));
  const visible = within.filter(({ ts }) => ts === root || between(ts, row.hiddenBefore, "", true));
  const fallback = root === undefined ? 100 : 1000;
  const limit = small
    ? Math.min(SMALL_PAGE, args.limit(SMALL_PAGE, SMALL_PAGE))
    : args.limit(fallback, root === undefined ? 999 : 1000);
  const { part, next } = paged(visible, args.text("cursor"), limit, ({ ts }) => ts);
  const answer = {
    messages: part,
    has_more: next !== "",
    pin_count: 0,
    channel_actions_ts: null,
    channel_actions_count: 0,
    ...(latest !== "" && { latest }),
    ...(oldest !== "" && { oldest }),
    ...(visible.length < within.length && { is_limited: true }),
    ...(next !== "" && { response_metadata: { next_cursor: next } }),
  };
  return answer satisfies Answered<ConversationsHistoryResponse> & { is_limited?: boolean };
}

export const answerPage = <T extends object>(
  json: T,
  next: string,
): T & { response_metadata: { next_cursor: string } } => ({
  ...json,
  response_metadata: { next_cursor: next },
});

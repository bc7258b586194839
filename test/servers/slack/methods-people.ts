import type {
  ApiTestResponse,
  AppsConnectionsOpenResponse,
  AuthTestResponse,
  BotsInfoResponse,
  EmojiListResponse,
  ReactionsAddResponse,
  ReactionsGetResponse,
  TeamInfoResponse,
  UsergroupsListResponse,
  UsersInfoResponse,
  UsersListResponse,
} from "@slack/web-api";
import { isStandard } from "./emoji.ts";
import type { Messages } from "./messages.ts";
import { answerPage } from "./methods-channels.ts";
import { messageIn, target, visible } from "./methods-chat.ts";
import { type Call, type Method, type Methods, paged } from "./requests.ts";
import { showMessage } from "./show.ts";
import type { Sockets } from "./sockets.ts";
import { type Answered, type AppRow, type MessageRow, no, type UserRow, type WireUser } from "./wire.ts";
import type { World } from "./world.ts";

export function peopleMethods(world: World, messages: Messages, sockets: Sockets): Methods {
  return {
    ...connecting(world, sockets),
    ...reactions(world, messages),
    "users.info": {
      scopes: ["users:read"],
      handler: ({ args, app }) => {
        const row = world.users.get(args.need("user", "user_not_found"));
        if (row === undefined) throw no("user_not_found");
        if (row.team !== app.team && !shares(world, app, row)) throw no("user_not_visible");
        return { user: seen(row, app) } satisfies Answered<UsersInfoResponse>;
      },
    },
    "users.list": {
      scopes: ["users:read"],
      handler: ({ args, app }) => {
        const all = [...world.users.values()].filter((row) => row.team === app.team || shares(world, app, row));
        const limit = args.limit(1000, 1000);
        const { part, next } = paged(all, args.text("cursor"), limit, ({ id }) => id);
        const members = part.map((row) => seen(row, app));
        const json = answerPage({ members, cache_ts: world.clock.seconds() }, next);
        return json satisfies Answered<UsersListResponse>;
      },
    },
    "team.info": {
      scopes: ["team:read"],
      handler: ({ app }) => {
        const { id, name, domain } = world.team(app.team);
        const icon = { image_34: `${world.site}/team/${id}_34.png`, image_default: true };
        const team = { id, name, domain, url: siteOf(domain), email_domain: "", icon };
        return { team } satisfies Answered<TeamInfoResponse>;
      },
    },
    "bots.info": {
      scopes: ["users:read"],
      handler: ({ args }) => {
        const app = world.appOfBot(args.need("bot", "bot_not_found"));
        if (app === undefined) throw no("bot_not_found");
        const icon = (size: number): string => `${world.site}/avatars/${app.botId}_${size}.png`;
        const bot = {
          id: app.botId,
          app_id: app.id,
          user_id: app.user.id,
          name: app.name,
          deleted: false,
          updated: world.clock.seconds(),
          icons: { image_36: icon(36), image_48: icon(48), image_72: icon(72) },
        };
        return { bot } satisfies Answered<BotsInfoResponse>;
      },
    },
    "usergroups.list": {
      scopes: ["usergroups:read"],
      handler: ({ app }) => {
        const groups = [...world.team(app.team).groups];
        const usergroups = groups.map(([id, handle]) => ({ id, handle, name: handle, team_id: app.team }));
        return { usergroups } satisfies Answered<UsergroupsListResponse>;
      },
    },
    "emoji.list": {
      scopes: ["emoji:read"],
      handler: ({ app }) => {
        const emoji = Object.fromEntries(world.team(app.team).emoji);
        return { emoji, cache_ts: String(world.clock.seconds()) } satisfies Answered<EmojiListResponse>;
      },
    },
  };
}

function connecting(world: World, sockets: Sockets): Methods {
  return {
    "api.test": { scopes: [], json: true, handler: () => ({ args: {} }) satisfies Answered<ApiTestResponse> },
    "auth.test": {
      scopes: [],
      json: true,
      handler: ({ app }) => {
        const { id, name, domain } = world.team(app.team);
        const who = { user: app.name, user_id: app.user.id, bot_id: app.botId, is_enterprise_install: false };
        return { url: siteOf(domain), team: name, team_id: id, ...who } satisfies Answered<AuthTestResponse>;
      },
    },
    "apps.connections.open": {
      scopes: ["connections:write"],
      token: "xapp",
      json: true,
      handler: ({ app }) => {
        // The network says nowhere which word it has for this.
        if (!app.socketMode) throw no("socket_mode_disabled");
        return { url: sockets.ticket(app) } satisfies Answered<AppsConnectionsOpenResponse>;
      },
    },
  };
}

function reactions(world: World, messages: Messages): Methods {
  const found = ({ args, app }: Call): MessageRow => {
    const channel = target(world, app, args.need("channel", "channel_not_found"));
    const row = messageIn(channel, args.need("timestamp", "no_item_specified"));
    if (row.wire.subtype === "tombstone") throw no("message_not_found");
    return row;
  };
  const change = (what: "react" | "unreact"): Method => ({
    scopes: ["reactions:write"],
    json: true,
    handler: (call) => {
      const name = call.args.need("name", "invalid_name").replaceAll(/^:|:$/g, "");
      const [base = "", tone] = name.split("::");
      const team = world.team(call.app.team);
      const isKnown = isStandard(base) || (team.emoji.has(base) && tone === undefined);
      if (!isKnown || (tone !== undefined && !/^skin-tone-[2-6]$/.test(tone))) throw no("invalid_name");
      messages[what](found(call), call.app.user.id, name);
      return {} satisfies Answered<ReactionsAddResponse>;
    },
  });
  return {
    "reactions.add": change("react"),
    "reactions.remove": change("unreact"),
    "reactions.get": {
      scopes: ["reactions:read"],
      handler: ({ args, app }) => {
        const channel = visible(world, app, args.need("channel", "channel_not_found"));
        const row = messageIn(channel, args.need("timestamp", "no_item_specified"));
        const message = showMessage(world, row, false);
        return { type: "message", channel: channel.id, message } satisfies Answered<ReactionsGetResponse>;
      },
    },
  };
}

const siteOf = (domain: string): string => `https://${domain}.slack.com/`;

/** Somebody of another team who is in a channel with the app. */
function shares(world: World, app: AppRow, user: UserRow): boolean {
  return [...world.channels.values()].some(({ members }) => members.has(app.user.id) && members.has(user.id));
}

/** Of strangers less is seen. */
function seen(row: UserRow, app: AppRow): WireUser {
  if (row.team === app.team) return row.wire;
  const { is_admin: _, is_owner: __, is_primary_owner: ___, tz: ____, ...rest } = row.wire;
  return { ...rest, is_stranger: true };
}

import { type AccountCommand, settingsBy } from "../../contract/manifest.ts";
import { schema, type SlackSettings } from "./settings.ts";

/** What the app is allowed, for what (`SCOPES` of login.ts says what is missing without each). */
const BOT_SCOPES = [
  "channels:history",
  "channels:join",
  "channels:read",
  "channels:write.topic",
  "chat:write",
  "chat:write.customize",
  "emoji:read",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "groups:write.topic",
  "reactions:read",
  "reactions:write",
  "usergroups:read",
  "users:read",
];

/** What Slack tells the app of. */
const BOT_EVENTS = [
  "app_uninstalled",
  "channel_archive",
  "channel_deleted",
  "channel_id_changed",
  "channel_left",
  "channel_rename",
  "channel_unarchive",
  "emoji_changed",
  "group_archive",
  "group_deleted",
  "group_left",
  "group_rename",
  "group_unarchive",
  "member_joined_channel",
  "member_left_channel",
  "message.channels",
  "message.groups",
  "reaction_added",
  "reaction_removed",
  "tokens_revoked",
  "user_change",
];

/** `rialto slack manifest`: what makes an app with all that Rialto needs (docs.slack.dev/reference/app-manifest). */
export const manifestCommand: AccountCommand = {
  name: "manifest",
  summary: "print the manifest of an app with all that an account needs",
  // The tokens that are missing come from the app that it makes.
  evenBefore: true,
  run: (settings, { name }) => appManifest(settingsBy(schema, settings), name),
};

function appManifest({ Token, AppToken }: SlackSettings, account: string) {
  const app = {
    display_information: {
      name: "Rialto",
      description: "Links channels with those of other chat systems",
      background_color: "#2c2d30",
    },
    features: { bot_user: { display_name: "rialto", always_online: true } },
    oauth_config: { scopes: { bot: BOT_SCOPES } },
    settings: {
      event_subscriptions: { bot_events: BOT_EVENTS },
      org_deploy_enabled: false,
      socket_mode_enabled: true,
      token_rotation_enabled: false,
    },
  };
  const notes = [
    "a new app: open api.slack.com/apps, Create New App, From a manifest, choose the workspace, and paste this as JSON",
    "an app that there is: open it at api.slack.com/apps, App Manifest, paste this over what is there, and install the app anew",
    ...(Token === "" ? [`set Token of ${account} to OAuth & Permissions > Bot User OAuth Token (xoxb-…)`] : []),
    ...(AppToken === ""
      ? [
          `set AppToken of ${account} to a token of Basic Information > App-Level Tokens with the scope connections:write (xapp-…)`,
        ]
      : []),
    "then invite the app to the channels: /invite @rialto",
  ];
  return { output: `${JSON.stringify(app, null, 2)}\n`, notes };
}

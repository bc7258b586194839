import {
  type Manifest,
  type SettingIssue,
  settingsBy,
  type SettingsOf,
  type SettingsSchema,
} from "../../contract/manifest.ts";
import { isLoopback, parseAddress } from "../../lib/address.ts";

const schema = {
  type: "object",
  properties: {
    BindAddress: {
      type: "string",
      description:
        "Address to listen on, `host:port`: `127.0.0.1:4242` for this machine only, `:4242` for all interfaces, `[::1]:4242` for IPv6.",
      format: "bind-address",
    },
    Buffer: {
      type: "integer",
      description: "Maximum number of unread messages that are kept for a reader. 0 means the default.",
      default: 10,
      minimum: 1,
      maximum: 1_000_000,
      zeroIsDefault: true,
    },
    Token: {
      type: "string",
      description: "Bearer token that every request must carry. Empty: no request needs one.",
      default: "",
      secret: true,
    },
    MaxBodySize: {
      type: "integer",
      description: "Largest request body, in bytes.",
      default: 16 * 1024 * 1024,
      minimum: 1024,
      maximum: 256 * 1024 * 1024,
    },
    ConsumersPerToken: {
      type: "integer",
      description:
        "Most consumers of `/v1` that one token may have made, at the same time. `Token` counts as one token, here and in all settings `…PerToken`.",
      default: 500,
      minimum: 1,
      maximum: 10_000,
    },
    WebhooksPerToken: {
      type: "integer",
      description: "Most webhooks that one token may have made, at the same time.",
      default: 64,
      minimum: 1,
      maximum: 256,
    },
    StreamsPerToken: {
      type: "integer",
      description: "Most streams of events below `/v1` that one token may have open.",
      default: 1000,
      minimum: 1,
      maximum: 20_000,
    },
    SocketsPerToken: {
      type: "integer",
      description: "Most WebSockets at `/v1/socket` that one token may have open.",
      default: 1000,
      minimum: 1,
      maximum: 20_000,
    },
    UploadsPerToken: {
      type: "integer",
      description: "How many files one token may send to `/v1/files` at the same time.",
      default: 4,
      minimum: 1,
      maximum: 32,
    },
    PostsPerMinute: {
      type: "integer",
      description:
        "How many requests of `/v1` that say something a token may make in a minute, unless `--posts-per-minute` of `rialto token create` says otherwise. `Token` itself may make 6 000 000.",
      default: 60_000,
      minimum: 1,
      maximum: 6_000_000,
    },
    ReadsPerMinute: {
      type: "integer",
      description:
        "How much one token may read below `/v1` in a minute, in units: each request costs 1 and 1 more for each 16 KiB of its answer, a search 100.",
      default: 300_000,
      minimum: 100,
      maximum: 100_000_000,
    },
    TextFormat: {
      type: "string",
      enum: ["markdown", "plain", ""],
      description:
        "How clients write and read `text`: `markdown` is the dialect of `docs/formatting.md`, `plain` is text as typed. Empty: `markdown` with `FullEvents`, otherwise `plain`.",
      default: "",
    },
    FullEvents: {
      type: "boolean",
      description:
        "Messages have an `id`, replies name the message they answer in `parent_id`, and edits, deletions and reactions are separate events. Otherwise an edit is one more message, and deletions and reactions are not shown.",
      default: false,
    },
  },
} as const satisfies SettingsSchema;

/** The settings of an HTTP API account as `Account.settings` carries them. */
export type ApiSettings = SettingsOf<typeof schema>;

/** Of an account of this protocol. */
export function apiSettings(values: Readonly<Record<string, unknown>>): ApiSettings {
  return settingsBy(schema, values);
}

function checkSettings({ BindAddress, Token }: ApiSettings): readonly SettingIssue[] {
  const address = parseAddress(BindAddress);
  if (Token !== "" || "error" in address || isLoopback(address.host)) return [];
  const message =
    "can be reached from other machines, so everybody there can read and write without a Token; set Token, or bind to 127.0.0.1";
  return [{ severity: "warning", setting: "BindAddress", message }];
}

/** The HTTP API account: it has readers, not a session; its surface is `src/http`. */
export const manifest: Manifest = {
  protocol: "api",
  title: "HTTP API",
  schema,
  defaults: { RemoteNickFormat: "{NICK}" },
  onlyChannel: "api",
  check: (settings) => checkSettings(apiSettings(settings)),
};

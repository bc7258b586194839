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

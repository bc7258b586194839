import type { SettingIssue, SettingsOf, SettingsSchema } from "../../contract/manifest.ts";
import { isLoopback, parseAddress } from "../../lib/address.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const place = {
  BindAddress: {
    type: "string",
    description:
      "Address, `host:port`, where the chat's page is served. It speaks plain HTTP: bind it to this machine, and let a reverse proxy speak HTTPS.",
    format: "bind-address",
    minLength: 1,
    examples: ["127.0.0.1:4380"],
  },
  URL: {
    type: "string",
    description:
      "The address that guests open, when a reverse proxy is between: the links of invites begin with it, and requests for another host are refused. Without it, `http://` and `BindAddress`.",
    default: "",
    protects: true,
    rule: {
      pattern: String.raw`^(?:|https?://[^\s/?#@]+/?)$`,
      hint: "must be an address without a path, such as https://chat.example.org",
    },
    examples: ["https://chat.example.org"],
  },
  RunBy: {
    type: "string",
    description: "The name of the person or group that runs this chat, shown on the page where guests join.",
    default: "",
    rule: { pattern: String.raw`^\P{Cc}{0,200}$`, hint: "must be at most 200 characters on one line" },
    examples: ["the Chess Club of Exeter, chess@example.org"],
  },
  TrustProxy: {
    type: "array",
    items: { type: "string" },
    description:
      "IP addresses of reverse proxies whose `X-Forwarded-For` says who is asking, such as `127.0.0.1`. Without it, everybody behind a proxy counts as one address: limits and bans of addresses then do nothing.",
    default: [],
    protects: true,
    examples: ['["127.0.0.1", "::1"]'],
  },
} as const;

const moderation = {
  Hold: {
    type: "boolean",
    description: "What a guest says first waits until somebody approves it. An invite can ask for it as well.",
    default: false,
    protects: true,
  },
  Moderation: {
    type: "string",
    description:
      "A room of this account for those who look after the others: held messages are told there, and a reaction or an answer decides. Guests cannot join it. It needs a gateway of its own, with a room that only moderators are in.",
    default: "",
    protects: true,
    rule: {
      pattern: String.raw`^(?:|[\p{L}\p{N}][\p{L}\p{N}._-]{0,63})$`,
      hint: "must be the name of a room, such as moderators",
    },
    examples: ["moderators"],
  },
  SlowMode: {
    type: "integer",
    format: "duration",
    minimum: 0,
    maximum: DAY / 4,
    description: "So long a guest waits between two messages, and between two edits or new names; 0: not at all.",
    default: 0,
    protects: true,
    examples: ["10s"],
  },
  LinksAfter: {
    type: "integer",
    minimum: 0,
    maximum: 1000,
    description: "A guest may write links after so many messages; 0: at once.",
    default: 0,
    protects: true,
  },
  Rate: {
    type: "integer",
    minimum: 1,
    maximum: 100_000,
    description: "So many messages, edits and reactions a guest may send in a minute.",
    default: 120,
    protects: true,
  },
  JoinRate: {
    type: "integer",
    minimum: 1,
    maximum: 100_000,
    description:
      "So many tries to join are taken from one address in an hour, wrong ones counted; by one invite as many more as it may be used, so that a class behind one address can join by it.",
    default: 60,
    protects: true,
  },
  NameLength: {
    type: "integer",
    minimum: 4,
    maximum: 64,
    description: "How long the name of a guest may be, in characters.",
    default: 32,
  },
  BanTime: {
    type: "integer",
    format: "duration",
    minimum: MINUTE,
    maximum: 365 * DAY,
    description:
      "How long a ban or a mute lasts for an address (IPv4: its /24, IPv6: its /64). After a ban, no guest can join from it. After a mute, a guest who joins from it by the same invite is muted as well.",
    default: DAY,
    examples: ["24h"],
    protects: true,
  },
} as const;

const keeping = {
  Retention: {
    type: "integer",
    format: "duration",
    minimum: 60 * MINUTE,
    maximum: 365 * DAY,
    description: "So long the page can show messages, at most the newest 5000 of each room, and files can be fetched.",
    default: 7 * DAY,
    examples: ["168h"],
  },
  GuestTime: {
    type: "integer",
    format: "duration",
    minimum: 60 * MINUTE,
    maximum: 365 * DAY,
    description: "A guest who was away for so long needs another invite, and is forgotten.",
    default: 30 * DAY,
    examples: ["720h"],
  },
  Away: {
    type: "integer",
    format: "duration",
    minimum: 1_000,
    maximum: DAY,
    description: "A guest whose page was closed for so long has left.",
    default: 3 * MINUTE,
    examples: ["3m"],
  },
  MaxFileSize: {
    type: "integer",
    minimum: 0,
    maximum: 1 << 30,
    description: "Of one file, in bytes; 0: no files.",
    default: 20 << 20,
  },
  MaxFiles: {
    type: "integer",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Of all files that are kept, in bytes: the oldest go first.",
    default: 1 << 30,
  },
  MaxGuests: {
    type: "integer",
    minimum: 1,
    maximum: 100_000,
    description: "So many guests a room may have, those who are away counted.",
    default: 1000,
  },
} as const;

export const schema = {
  type: "object",
  properties: { ...place, ...moderation, ...keeping },
} as const satisfies SettingsSchema;

export type WebSettings = SettingsOf<typeof schema>;

/** Where guests come in: scheme, host and port, without a slash at the end. */
export function publicUrl({ URL: address, BindAddress }: Pick<WebSettings, "URL" | "BindAddress">): string {
  if (address !== "") return address.replace(/\/$/u, "");
  const bound = parseAddress(BindAddress);
  if ("error" in bound) return "http://127.0.0.1";
  const host = /^(?:|0\.0\.0\.0|::)$/u.test(bound.host) ? "127.0.0.1" : bound.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
}

export function checkSettings(settings: WebSettings): readonly SettingIssue[] {
  const bound = parseAddress(settings.BindAddress);
  const issues: SettingIssue[] = [];
  if (!("error" in bound) && bound.port === 0) {
    const message = "needs a port of its own, such as 127.0.0.1:4380: guests could not find one that changes";
    issues.push({ severity: "error", setting: "BindAddress", message });
  }
  if (!("error" in bound) && !isLoopback(bound.host) && !settings.URL.startsWith("https:")) {
    const message =
      "is reached from other machines by plain HTTP: what guests write, and their cookies, can be read on the way; bind to 127.0.0.1 behind a reverse proxy with HTTPS, and set URL";
    issues.push({ severity: "warning", setting: "BindAddress", message });
  }
  return issues;
}

import type { SettingSchema } from "./manifest.ts";

const HOST = String.raw`(?:\[[\dA-Fa-f:.]+\]|[\dA-Za-z._-]+)`;
const PORT = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])`;

/** The setting of every protocol that connects to servers, and of `[general]`; `lib/proxy.ts` reads its value. */
export const proxySetting = {
  type: "string",
  description:
    "Proxy through which Rialto connects to the network and fetches the files of its messages: `http://host:port` (HTTP CONNECT), `https://host:port` (the same over TLS) or `socks5://host:port`, with `user:password@` before the host if it wants them. The proxy looks up the host names. Empty: none, also if `[general]` has one. `http_proxy` and `HTTPProxy` are other names for it.",
  default: "",
  secret: true,
  rule: {
    pattern: String.raw`^(?:|(?:https?|socks5h?)://(?:[^\s/?#@:]+(?::[^\s/?#@]*)?@)?${HOST}(?::${PORT})?/?)$`,
    hint: "must be the address of a proxy, such as http://proxy.example.org:3128 or socks5://127.0.0.1:1080, without a path; write special characters of a password as in %40",
  },
} as const satisfies SettingSchema;

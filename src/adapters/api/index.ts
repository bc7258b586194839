import { Type } from "typebox";
import type { Static } from "typebox";
import type { Manifest } from "../../contract/manifest.ts";

const schema = Type.Object({
  BindAddress: Type.String({
    description:
      "Address to listen on, `host:port`: `127.0.0.1:4242` for this machine only, `:4242` for all interfaces, `[::1]:4242` for IPv6.",
    format: "bind-address",
  }),
  Buffer: Type.Integer({
    description: "How many unread messages a reader can find waiting. 0 means the default.",
    default: 10,
    minimum: 1,
    maximum: 1_000_000,
    zeroIsDefault: true,
  }),
  Token: Type.String({
    description: "Bearer token that every request must carry. Empty: no request needs one.",
    default: "",
    secret: true,
  }),
  MaxBodySize: Type.Integer({
    description: "Largest request body, in bytes.",
    default: 16 * 1024 * 1024,
    minimum: 1024,
    maximum: 1024 * 1024 * 1024,
  }),
});

/** The settings of an HTTP API account as `Account.settings` carries them. */
export type ApiSettings = Readonly<Static<typeof schema>>;

/** The HTTP API account: it has readers, not a session; its surface is `src/http`. */
export const manifest: Manifest = {
  protocol: "api",
  title: "HTTP API",
  schema,
  defaults: { RemoteNickFormat: "{NICK}" },
  onlyChannel: "api",
};

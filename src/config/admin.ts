import type { SettingsOf, SettingsSchema } from "../contract/manifest.ts";
import { isLoopback, parseAddress, plainIp } from "../lib/address.ts";
import type { AdminSettings } from "./config.ts";
import type { Context } from "./context.ts";
import type { ProblemEffect } from "./problems.ts";
import type { Section } from "./section.ts";

/** Settings of `[general]` about what operators see. */
export const adminProperties = {
  AdminBindAddress: {
    type: "string",
    description:
      "Address, `host:port`, of the status page, `/metrics`, `/healthz` and `/readyz`. Empty: they can only be reached through the socket in the data folder, which the commands use.",
    default: "",
    format: "bind-address",
    zeroIsDefault: true,
    restart: true,
  },
  AdminToken: {
    type: "string",
    description:
      "Token that requests to AdminBindAddress must carry (`Authorization: Bearer …`). Whoever has it can see messages and speak in every gateway. Needed unless AdminBindAddress is on loopback.",
    default: "",
    secret: true,
    restart: true,
  },
  DashboardURL: {
    type: "string",
    description:
      "Public address of AdminBindAddress behind a web server, such as `https://bridge.example.org`: links to the dashboard begin with it, and its name is one under which AdminBindAddress is called. With `https`, browsers keep sessions for encrypted connections only. Empty: `http://` and AdminBindAddress.",
    default: "",
    rule: {
      pattern: "^(?:https?://[^\\s/?#@\\\\]+/?)?$",
      hint: "must be an address without path, such as https://bridge.example.org",
    },
    examples: ["https://bridge.example.org"],
  },
  TrustProxy: {
    type: "array",
    items: {
      type: "string",
      rule: {
        pattern: String.raw`^(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)$`,
        hint: "must contain IP addresses, such as 127.0.0.1 or ::1",
      },
    },
    description:
      "IP addresses of web servers in front of AdminBindAddress that sign people in: whom one of them names in the header `Remote-User` is an operator, without a link. Only for web servers that remove that header from what clients send. Everybody who can connect from such an address can be anyone: with `127.0.0.1`, all users and programs of this machine. From other addresses the header says nothing.",
    default: [],
    protects: true,
    restart: true,
    examples: ["127.0.0.1", "::1"],
  },
} as const satisfies SettingsSchema["properties"];

type AdminValues = SettingsOf<{ readonly type: "object"; readonly properties: typeof adminProperties }>;

/** What happens when the second way in cannot be opened as configured. */
export const SOCKET_ONLY: ProblemEffect = { says: "operators can use the socket only" };

/** The origin of DashboardURL; null: there is none. */
export const dashboardOrigin = ({ DashboardURL: url }: Pick<AdminValues, "DashboardURL">): string | null =>
  url === "" ? null : (URL.parse(url)?.origin ?? null);

/** Null without `AdminBindAddress`. An address that others reach needs a token. */
export function resolveAdmin(
  faults: ReadonlySet<string>,
  values: AdminValues,
  section: Section,
  { report }: Context,
): AdminSettings | null {
  if (["AdminBindAddress", "AdminToken", "TrustProxy"].some((name) => faults.has(name))) return null;
  const { AdminBindAddress: bind, AdminToken: token } = values;
  if (bind === "") {
    for (const name of ["AdminToken", "DashboardURL", "TrustProxy"] as const) {
      const idle = section.get(name.toLowerCase());
      if (idle !== undefined && values[name].length > 0)
        report.warning("idle-setting", idle.where, `${name} of [general] has no effect without AdminBindAddress`);
    }
    return null;
  }
  const address = parseAddress(bind);
  const where = section.get("adminbindaddress")?.where;
  if (!("error" in address) && !isLoopback(address.host) && token === "" && where !== undefined) {
    const what =
      "AdminBindAddress of [general] can be reached from other machines, and without AdminToken everybody could read and write in every gateway";
    report.error("open-admin", where, [what, "set AdminToken, or bind to 127.0.0.1"], SOCKET_ONLY);
    return null;
  }
  const url = section.get("dashboardurl");
  if (url !== undefined && values.DashboardURL !== "" && token === "") {
    const what =
      "with DashboardURL of [general] and without AdminToken, a web server that passes on all addresses opens /metrics and /api/v1 to everybody";
    report.warning("open-admin", url.where, [what, "set AdminToken, or pass on /, /assets/ and /v1/ alone"]);
  }
  const proxies = new Set(values.TrustProxy.map(plainIp));
  return { bindAddress: bind, token: token === "" ? null : token, proxies };
}

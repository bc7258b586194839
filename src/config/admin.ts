import type { SettingSchema } from "../contract/manifest.ts";
import { isLoopback, parseAddress } from "../lib/address.ts";
import type { AdminSettings } from "./config.ts";
import type { Context } from "./context.ts";
import type { Section } from "./section.ts";

/** What `adminProperties` yield, by setting. */
export interface AdminValues {
  readonly AdminBindAddress: string;
  readonly AdminToken: string;
}

/** Settings of `[general]` about what operators see. */
export const adminProperties = {
  AdminBindAddress: {
    type: "string",
    description:
      "Where the status page, `/metrics`, `/healthz` and `/readyz` can be reached: `host:port`. Empty: only through the socket in the data folder, as the commands do.",
    default: "",
    format: "bind-address",
    zeroIsDefault: true,
    examples: ["127.0.0.1:4290"],
    restart: true,
  },
  AdminToken: {
    type: "string",
    description:
      "What who asks at AdminBindAddress has to know (`Authorization: Bearer …`). Whoever has it sees messages and speaks in every gateway. Needed unless AdminBindAddress is on loopback.",
    default: "",
    secret: true,
    restart: true,
  },
} satisfies Readonly<Record<keyof AdminValues, SettingSchema>>;

/** Null without `AdminBindAddress`. An address that others reach needs a token. */
export function resolveAdmin(values: AdminValues, section: Section, { report }: Context): AdminSettings | null {
  // Values that did not fit are absent; the load fails then and nobody reads what this returns.
  const [bind, token]: readonly (string | undefined)[] = [values.AdminBindAddress, values.AdminToken];
  if (bind === undefined || bind === "") {
    const idle = section.get("admintoken");
    if (idle !== undefined && token !== "")
      report.warning("idle-setting", idle.where, "AdminToken of [general] has no effect without AdminBindAddress");
    return null;
  }
  const address = parseAddress(bind);
  const where = section.get("adminbindaddress")?.where;
  if (!("error" in address) && !isLoopback(address.host) && token === "" && where !== undefined) {
    const message = `AdminBindAddress of [general] can be reached from elsewhere, where everybody could read and write in every gateway: set AdminToken, or bind to 127.0.0.1`;
    report.error("open-admin", where, message);
  }
  return { bindAddress: bind, token: token === undefined || token === "" ? null : token };
}

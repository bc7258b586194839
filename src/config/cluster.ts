import { hostname } from "node:os";
import type { SettingsOf, SettingsSchema } from "../contract/manifest.ts";
import { parseRemote } from "../lib/address.ts";
import type { ClusterSettings } from "./config.ts";
import type { Context } from "./context.ts";
import type { ProblemText } from "./problems.ts";
import type { Section } from "./section.ts";

const NODE_RULE = {
  pattern: "^[\\w.-]{0,64}$",
  hint: 'must be up to 64 letters, digits, ".", "_" and "-"',
};

/** Settings of `[general]` about a log that several machines have together. */
export const clusterProperties = {
  Log: {
    type: "string",
    description:
      "Servers of NATS that carry the log of several machines, as in `nats://a:4222,b:4222,c:4222`, or `tls://…` for encrypted connections. Empty: the log is of this machine alone. See [several machines](cluster.md).",
    default: "",
    protects: true,
    restart: true,
    examples: ["nats://a.example.org:4222,b.example.org:4222,c.example.org:4222"],
  },
  Node: {
    type: "string",
    description: "Name of this machine among those that share the log: each has another. Empty: the name of the host.",
    default: "",
    rule: NODE_RULE,
    protects: true,
    restart: true,
    examples: ["n1"],
  },
  LogUser: {
    type: "string",
    description: "User as whom Rialto connects to the servers in `Log`. Needs LogPassword.",
    default: "",
    protects: true,
    restart: true,
  },
  LogPassword: {
    type: "string",
    description: "Password of LogUser.",
    default: "",
    secret: true,
    restart: true,
  },
  LogToken: {
    type: "string",
    description: "Token with which Rialto connects to the servers in `Log`, in place of a user.",
    default: "",
    secret: true,
    restart: true,
  },
  LogCredentials: {
    type: "string",
    description:
      "File with the credentials for the servers in `Log`, in place of a user: one that `nsc` has made (`.creds`), or the seed of an NKey.",
    default: "",
    format: "path",
    protects: true,
    restart: true,
  },
} as const satisfies SettingsSchema["properties"];

type ClusterValues = SettingsOf<{ readonly type: "object"; readonly properties: typeof clusterProperties }>;

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//iu;
const HOW = "write one or several as in nats://a:4222,b:4222,c:4222";

/** Null without `Log`. What is wrong with it keeps the program from starting: it would write to another log. */
export function resolveCluster(
  faults: ReadonlySet<string>,
  values: ClusterValues,
  section: Section,
  { report }: Context,
): ClusterSettings | null {
  const whereOf = (name: string) => section.get(name.toLowerCase())?.where;
  const refuse = (name: string, said: ProblemText): null => {
    const where = whereOf(name) ?? whereOf("Log");
    if (where !== undefined) report.fatal("bad-value", where, said);
    return null;
  };
  if (Object.keys(clusterProperties).some((name) => faults.has(name))) return null;
  if (values.Log === "") {
    for (const name of ["Node", "LogUser", "LogPassword", "LogToken", "LogCredentials"] as const) {
      const where = whereOf(name);
      if (where !== undefined && values[name] !== "")
        report.warning("idle-setting", where, `${name} of [general] has no effect without Log`);
    }
    return null;
  }
  const servers = serversOf(values.Log);
  if ("wrong" in servers) return refuse("Log", [`Log of [general] ${servers.wrong}`, servers.remedy]);
  const auth = authOf(values);
  if (auth !== null && "wrong" in auth) return refuse(auth.setting, [auth.wrong, auth.remedy]);
  const node = values.Node === "" ? hostname() : values.Node;
  if (!new RegExp(NODE_RULE.pattern, "u").test(node)) {
    return refuse("Node", ["the name of this host cannot be that of a node", "set Node in [general]"]);
  }
  return { ...servers, auth, node };
}

/** No part of it is in the answer: it may hold a password. */
function serversOf(
  log: string,
): Pick<ClusterSettings, "servers" | "isEncrypted"> | { readonly wrong: string; readonly remedy: string } {
  const [, scheme] = SCHEME.exec(log) ?? [];
  const kind = scheme?.toLowerCase();
  if (kind !== "nats" && kind !== "tls") return { wrong: "must begin with nats:// or tls://", remedy: HOW };
  const parts = log.split(",").map((part) => part.trim());
  const other = parts.flatMap((part) => SCHEME.exec(part)?.[1]?.toLowerCase() ?? []);
  if (other.some((each) => each !== kind)) {
    return { wrong: "has addresses of several kinds", remedy: "begin all of them with nats://, or all with tls://" };
  }
  const servers = parts.map((part) => part.replace(SCHEME, "").replace(/\/$/u, ""));
  if (servers.some((server) => server.includes("@"))) {
    return { wrong: "must not have a user in it", remedy: "set LogUser and LogPassword, or LogToken" };
  }
  for (const [index, server] of servers.entries()) {
    if (server === "") return { wrong: `has no address at place ${index + 1}`, remedy: HOW };
    const address = parseRemote(server);
    if ("error" in address)
      return { wrong: `cannot have ${JSON.stringify(server)} in it: ${address.error}`, remedy: HOW };
  }
  return { servers, isEncrypted: kind === "tls" };
}

type Auth = ClusterSettings["auth"];

function authOf(
  values: ClusterValues,
): Auth | { readonly setting: keyof ClusterValues; readonly wrong: string; readonly remedy: string } {
  const { LogUser: user, LogPassword: password, LogToken: token, LogCredentials: credentials } = values;
  const ways = (["LogUser", "LogToken", "LogCredentials"] as const).filter((name) => values[name] !== "");
  const [first, second] = ways;
  if (first !== undefined && second !== undefined) {
    const wrong = `[general] has ${first} and ${second}, of which the servers of the log take one`;
    return { setting: second, wrong, remedy: `remove ${first} or ${second}` };
  }
  if (user !== "" && password === "") {
    return { setting: "LogUser", wrong: "LogUser of [general] has no password", remedy: "set LogPassword" };
  }
  if (user === "" && password !== "") {
    return { setting: "LogPassword", wrong: "LogPassword of [general] is of no user", remedy: "set LogUser" };
  }
  if (user !== "") return { user, password };
  if (token !== "") return { token };
  return credentials === "" ? null : { credentials };
}

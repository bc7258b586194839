import { readFile } from "node:fs/promises";
import { pathOf } from "../installed.ts";
import { type Site, startXmppServer, type XmppServer, type XmppServerOptions } from "./server.ts";

/** The user that Debian's package makes; the program runs as no other. */
const OWNER = { user: "ejabberd", group: "ejabberd" } as const;

/**
 * Without distribution, so without an epmd that stays behind: accounts are made in band. Has archives of rooms and
 * uploads; in Debian's version neither occupant ids nor moderation.
 */
export async function startEjabberd(options: XmppServerOptions = {}): Promise<XmppServer> {
  pathOf("ejabberdctl");
  const root = process.getuid?.() === 0;
  const as = root ? ["setpriv", `--reuid=${OWNER.user}`, `--regid=${OWNER.group}`, "--clear-groups"] : [];
  const { user, group } = await ownerIds();
  return await startXmppServer(
    {
      name: "ejabberd",
      configuration,
      command: (_, { folder }) => {
        const erl = ["erl", "-noinput", "-mnesia", "dir", JSON.stringify(`${folder}/mnesia`), "-s", "ejabberd"];
        const [first = "erl", ...rest] = [...as, ...erl];
        return [first, ...rest];
      },
      env: (file, { folder }) => ({
        EJABBERD_CONFIG_PATH: file,
        EJABBERD_LOG_PATH: `${folder}/ejabberd.log`,
        ERL_CRASH_DUMP: `${folder}/crash.dump`,
        ERL_LIBS: "/usr/lib/x86_64-linux-gnu",
        HOME: folder,
      }),
      owner: { user, group },
    },
    options,
  );
}

async function ownerIds(): Promise<{ readonly user: number; readonly group: number }> {
  const passwd = await readFile("/etc/passwd", "utf8");
  const [, , user = "0", group = "0"] =
    passwd
      .split("\n")
      .find((line) => line.startsWith("ejabberd:"))
      ?.split(":") ?? [];
  return { user: Number(user), group: Number(group) };
}

function configuration({ folder, port, httpPort, options }: Site): string {
  const may = options.rooms === "fixed" ? "none" : "all";
  const kept = options.rooms === undefined;
  const mechanisms =
    options.plainOnly === true
      ? 'disable_sasl_mechanisms: ["DIGEST-MD5", "X-OAUTH2", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512"]'
      : "";
  return `
hosts: [localhost]
${mechanisms}
loglevel: warning
registration_timeout: infinity
auth_password_format: scram
listen:
  - {port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s, max_stanza_size: 262144, access: all, starttls: false}
  - {port: ${httpPort}, ip: "127.0.0.1", module: ejabberd_http, request_handlers: {/upload: mod_http_upload}}
auth_method: internal
shaper_rules: {max_user_sessions: 1000, c2s_shaper: {none: all}}
modules:
  mod_disco: {}
  mod_caps: {}
  mod_http_upload:
    host: upload.localhost
    put_url: "http://127.0.0.1:${httpPort}/upload"
    docroot: "${folder}/upload"
    access: all
    max_size: 1000000
    thumbnail: false
  mod_mam: {assume_mam_usage: true, default: always}
  mod_muc:
    host: conference.localhost
    access_create: all
    access_persistent: ${may}
    access_mam: ${may}
    history_size: 50
    default_room_options: {mam: ${kept}, persistent: ${kept}, allow_change_subj: true}
  mod_ping: {}
  mod_pubsub: {plugins: [flat, pep]}
  mod_register: {ip_access: all, access: all}
  mod_roster: {}
  mod_stream_mgmt: {}
  mod_vcard: {}
`;
}

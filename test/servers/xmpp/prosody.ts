import { pathOf } from "../installed.ts";
import { type Site, startXmppServer, type XmppServer, type XmppServerOptions } from "./server.ts";

/** Has nearly everything: occupant ids, stanza ids, archives of rooms, uploads, moderation (of prosody-modules). */
export async function startProsody(options: XmppServerOptions = {}): Promise<XmppServer> {
  return await startXmppServer(
    {
      name: "prosody",
      configuration,
      command: (file) => [pathOf("prosody"), "--config", file, "-F"],
    },
    options,
  );
}

const MODULES = [
  "roster",
  "saslauth",
  "disco",
  "ping",
  "register",
  "vcard_legacy",
  "vcard4",
  "pep",
  "smacks",
  "carbons",
];

function configuration({ folder, port, tlsPort, httpPort, certificate, options }: Site): string {
  const modules = [...MODULES, ...(certificate === null ? [] : ["tls"])].map((name) => `"${name}"`).join("; ");
  const disabled = ["s2s", ...(certificate === null ? ["tls"] : [])].map((name) => `"${name}"`).join("; ");
  const secure =
    certificate === null
      ? ""
      : `ssl = { certificate = "${certificate.certificate}"; key = "${certificate.key}" }
c2s_direct_tls_ports = { ${tlsPort} }
c2s_direct_tls_interfaces = { "127.0.0.1" }`;
  const mechanisms =
    options.plainOnly === true
      ? 'disable_sasl_mechanisms = { "SCRAM-SHA-1"; "SCRAM-SHA-1-PLUS"; "SCRAM-SHA-256"; "SCRAM-SHA-256-PLUS"; "DIGEST-MD5" }'
      : "";
  return `
${mechanisms}
run_as_root = true
pidfile = "${folder}/prosody.pid"
data_path = "${folder}/data"
plugin_paths = { "/usr/lib/prosody/modules" }
interfaces = { "127.0.0.1" }
local_interfaces = { "127.0.0.1" }
c2s_ports = { ${port} }
s2s_ports = { }
http_ports = { ${httpPort} }
http_interfaces = { "127.0.0.1" }
https_ports = { }
http_default_host = "localhost"
http_external_url = "http://127.0.0.1:${httpPort}/"
modules_enabled = { ${modules} }
modules_disabled = { ${disabled} }
${secure}
allow_registration = true
authentication = "internal_hashed"
allow_unencrypted_plain_auth = true
c2s_require_encryption = false
storage = "internal"
log = { info = "*console" }
limits = { }
VirtualHost "localhost"
VirtualHost "anonymous.localhost"
  authentication = "anonymous"
Component "conference.localhost" "muc"
  modules_enabled = { "muc_mam"; "muc_moderation"; "vcard_muc" }
  restrict_room_creation = false
  muc_room_locking = false
  muc_log_by_default = ${options.rooms === undefined}
  muc_log_all_rooms = false
  muc_room_allow_persistent = ${options.rooms !== "fixed"}
  muc_room_default_change_subject = true
  max_history_messages = 50
  max_archive_query_results = 50
Component "bare.localhost" "muc"
  restrict_room_creation = false
  muc_room_locking = false
  muc_room_default_change_subject = true
Component "upload.localhost" "http_file_share"
  http_host = "127.0.0.1"
  http_file_share_size_limit = 300*1024*1024
  http_file_share_daily_quota = 1024*1024*1024
  http_file_share_access = { "localhost" }
`;
}

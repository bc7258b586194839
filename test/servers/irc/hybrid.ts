import { pathOf } from "../installed.ts";
import { type IrcServer, type IrcServerOptions, type Site, startIrcServer } from "./server.ts";

/** It refuses to run as root, and reads nothing of root's. */
const NOBODY = 65_534;

/** Real flood control, always on: of a thousand lines at once a handful arrives, and who goes on is thrown out. */
export async function startHybrid(options: Omit<IrcServerOptions, "floodControl"> = {}): Promise<IrcServer> {
  return await startIrcServer({ name: "ircd-hybrid", configuration, command, owner: NOBODY }, options);
}

function command(file: string, { folder }: Site): [string, ...string[]] {
  const data = ["kline", "dline", "xline", "resv"].flatMap((kind) => [`-${kind}file`, `${folder}/${kind}.db`]);
  const files = ["-configfile", file, "-pidfile", `${folder}/pid`, "-logfile", `${folder}/log`, ...data];
  const user = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
  const [program, ...args] = [
    ...(process.getuid?.() === 0 ? user : []),
    pathOf("ircd-hybrid"),
    "-foreground",
    ...files,
  ];
  return [program ?? "", ...args];
}

function configuration({ folder, port, tlsPort, certificate, options }: Site): string {
  const keys =
    certificate === null
      ? ""
      : `rsa_private_key_file = "${certificate.key}"; tls_certificate_file = "${certificate.certificate}";`;
  const secure = certificate === null ? "" : `flags = tls; port = ${tlsPort};`;
  const password = options.password === undefined ? "" : `password = "${options.password}"; encrypted = no;`;
  return `serverinfo { name = "hybrid.test"; description = "a server for tests"; network_name = "test"; hub = no;
  default_max_clients = 100; max_nick_length = 30; ${keys} };
admin { name = "nobody"; description = "nobody"; email = "<nobody@test>"; };
class { name = "users"; ping_time = 90 seconds; number_per_ip_local = 100; number_per_ip_global = 100; max_number = 100;
  sendq = 1 megabytes; recvq = 2560 bytes; };
listen { host = "127.0.0.1"; port = ${port}; ${secure} };
auth { user = "*@*"; class = "users"; ${password} flags = no_tilde; };
channel { max_channels = 25; };
general { disable_auth = yes; throttle_time = 0; ping_cookie = no; specials_in_ident = 2; };
modules { path = "/usr/lib/ircd-hybrid/modules"; path = "/usr/lib/ircd-hybrid/modules/autoload"; };
log { use_logging = yes; file { type = debug; name = "${folder}/debug.log"; size = 1 megabytes; }; };
`;
}

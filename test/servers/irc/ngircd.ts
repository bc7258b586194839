import { pathOf } from "../installed.ts";
import { type IrcServer, type IrcServerOptions, type Site, startIrcServer } from "./server.ts";

/**
 * The plainest of them: `multi-prefix` is the only capability it has. It closes a connection that sends an over-long
 * line.
 */
export async function startNgircd(options: IrcServerOptions = {}): Promise<IrcServer> {
  return await startIrcServer(
    { name: "ngircd", configuration, command: (file) => [pathOf("ngircd"), "--nodaemon", "--config", file] },
    options,
  );
}

function configuration({ port, tlsPort, certificate, options }: Site): string {
  const secure =
    certificate === null
      ? ""
      : `[SSL]\nPorts = ${tlsPort}\nCertFile = ${certificate.certificate}\nKeyFile = ${certificate.key}\n`;
  return `[Global]
Name = ngircd.test
Info = a server for tests
Listen = 127.0.0.1
Ports = ${port}
MotdPhrase = "hello"
${options.password === undefined ? "" : `Password = ${options.password}`}
[Limits]
MaxConnectionsIP = 0
MaxJoins = 0
MaxNickLength = 31
${options.floodControl === true ? "" : "MaxPenaltyTime = 0"}
[Options]
DNS = no
Ident = no
PAM = no
${secure}`;
}

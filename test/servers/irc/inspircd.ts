import { pathOf } from "../installed.ts";
import { type IrcServer, type IrcServerOptions, type Site, startIrcServer } from "./server.ts";

/**
 * Most of IRCv3: message-tags, server-time, echo-message, labeled-response, batch, account-tag. It also offers
 * `inspircd.org/poison`: a client that asks for it gets no capability at all.
 */
export async function startInspircd(options: IrcServerOptions = {}): Promise<IrcServer> {
  const root = process.getuid?.() === 0 ? ["--runasroot"] : [];
  return await startIrcServer(
    {
      name: "inspircd",
      configuration,
      command: (file) => [pathOf("inspircd"), "--nofork", "--nopid", ...root, "--config", file],
    },
    options,
  );
}

const MODULES = [
  "cap",
  "ircv3",
  "ircv3_accounttag",
  "ircv3_batch",
  "ircv3_capnotify",
  "ircv3_chghost",
  "ircv3_ctctags",
  "ircv3_echomessage",
  "ircv3_invitenotify",
  "ircv3_labeledresponse",
  "ircv3_msgid",
  "ircv3_servertime",
  "blockcaps",
  "blockcolor",
  "botmode",
  "chanhistory",
  "namesx",
  "noctcp",
  "nonotice",
  "sapart",
  "services_account",
  "uhnames",
];

function configuration({ folder, port, tlsPort, certificate, options }: Site): string {
  const limit = `commandrate="1000" threshold="10"`;
  const limited = `${limit} fakelag="${options.floodControl === "strict" ? "no" : "yes"}"`;
  const pace = options.floodControl ? limited : `commandrate="100000" fakelag="no" threshold="1000"`;
  const password = options.password === undefined ? "" : `password="${options.password}"`;
  const modules = MODULES.map((name) => `<module name="${name}">`);
  const secure =
    certificate === null
      ? []
      : [
          `<module name="ssl_gnutls">`,
          `<sslprofile name="clients" provider="gnutls" certfile="${certificate.certificate}" keyfile="${certificate.key}">`,
          `<bind address="127.0.0.1" port="${tlsPort}" type="clients" sslprofile="clients">`,
          `<module name="sslinfo">`,
        ];
  return [
    `<server name="inspircd.test" description="a server for tests" network="Test">`,
    `<admin name="nobody" nick="nobody" email="nobody@test">`,
    `<bind address="127.0.0.1" port="${port}" type="clients">`,
    `<path configdir="${folder}" datadir="${folder}" logdir="${folder}" runtimedir="${folder}">`,
    `<connect name="all" allow="*" timeout="60" pingfreq="120" localmax="1000" globalmax="1000" maxchans="100" ${pace}`,
    ` ${password} hardsendq="10M" softsendq="1M" recvq="1M" resolvehostnames="no" useconnectban="no">`,
    `<performance nouserdns="yes" somaxconn="512">`,
    `<limits maxnick="30" maxchan="64" maxmodes="20" maxident="11" maxquit="255" maxtopic="307" maxkick="255">`,
    `<class name="all" commands="*" privs="*" usermodes="*" chanmodes="*">`,
    `<type name="boss" classes="all">`,
    `<oper name="root" password="root" host="*@*" type="boss">`,
    `<blockcaps percent="80" minlen="10">`,
    `<chanhistory maxlines="100" prefixmsg="no" bots="yes">`,
    `<log method="stdout" type="*" level="default">`,
    ...modules,
    ...secure,
    "",
  ].join("\n");
}

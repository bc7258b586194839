import { PASSWORD } from "./stage.ts";

/** Nobody is told of a slow start; the notices of a situation come soon after it has begun. */
export const CALM = 'OutageNotice = "1h"';
export const HASTY = 'OutageNotice = "1s"';

const SECTIONS = {
  irc: (port: number, nick: string) => `Server = "127.0.0.1:${port}"\nNick = "${nick}"\nMessageDelay = 0`,
  xmpp: (port: number, user: string) =>
    `Server = "127.0.0.1:${port}"\nJid = "${user}@localhost"\nPassword = "${PASSWORD}"\nMuc = "conference.localhost"\nNick = "rialto"\nNoStartTLS = true`,
  matrix: (port: number, user: string) =>
    `Server = "http://127.0.0.1:${port}"\nLogin = "${user}"\nPassword = "${PASSWORD}"`,
  mattermost: (port: number, token: string) =>
    `Server = "127.0.0.1:${port}"\nNoTLS = true\nTeam = "sales"\nToken = "${token}"`,
  discord: (port: number, token: string) =>
    `ApiURL = "http://127.0.0.1:${port}/api/v10"\nServer = "Our Town"\nToken = "${token}"`,
  slack: (port: number, tokens: string) => {
    const [token = "", appToken = ""] = tokens.split(" ");
    return `ApiURL = "http://127.0.0.1:${port}/api/"\nToken = "${token}"\nAppToken = "${appToken}"`;
  },
  telegram: (port: number, token: string) => `ApiURL = "http://127.0.0.1:${port}"\nToken = "${token}"`,
} as const;

export interface Bridge {
  readonly account: `${keyof typeof SECTIONS}.${string}`;
  readonly channel: string;
  readonly port: number;
  /** The nick, the name of the login, the token, or both tokens. */
  readonly as: string;
}

/** TOML of one gateway that links these, and an account of the API. */
export function configuration(gateway: string, bridges: readonly Bridge[]): string {
  return `[general]\n${CALM}\nRemoteNickFormat = "<{NICK}> "\n${linking(gateway, bridges, "desk")}`;
}

/** The same of one gateway more, with an account of the API of its own. */
export function linking(gateway: string, bridges: readonly Bridge[], api: string): string {
  const sections = bridges.map(({ account, port, as }) => {
    const [protocol] = account.split(".") as [keyof typeof SECTIONS];
    return `[${account}]\n${SECTIONS[protocol](port, as)}`;
  });
  const linked = [...bridges, { account: `api.${api}`, channel: "api" }].map(
    ({ account, channel }) => `[[gateway.inout]]\naccount = "${account}"\nchannel = "${channel}"`,
  );
  return [...new Set(sections), `[api.${api}]`, `[[gateway]]\nname = "${gateway}"\nenable = true`, ...linked, ""].join(
    "\n",
  );
}

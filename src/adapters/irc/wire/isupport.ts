import { type Casemapping, casefold } from "./casemap.ts";

/** What the server told of itself in 005 (RPL_ISUPPORT), with the values of RFC 2812 where it told nothing. */
export interface Isupport {
  readonly casemapping: Casemapping;
  /** Characters a channel's name begins with. */
  readonly chantypes: string;
  /** Status symbol by mode letter, highest first: `o` → `@`. */
  readonly prefix: ReadonlyMap<string, string>;
  readonly nicklen: number;
  readonly userlen: number;
  readonly hostlen: number;
  readonly channellen: number;
  /** Infinite where the server sets no limit. */
  readonly topiclen: number;
  /** Bytes of a line, CRLF included. */
  readonly linelen: number;
  /** Most targets by command in upper case; infinite where the server sets no limit. */
  readonly targmax: ReadonlyMap<string, number>;
  /** Symbols that may come before a channel's name to reach only some of its people. */
  readonly statusmsg: string;
  /** The user mode that marks a bot, or null. */
  readonly bot: string | null;
  readonly utf8only: boolean;
  /** Client tags the server does not pass on, as CLIENTTAGDENY has them. */
  readonly clientTagDeny: readonly string[];
  readonly network: string | null;
  /** Most nicks that MONITOR watches; 0: there is no MONITOR. */
  readonly monitor: number;
  /** Most messages that one CHATHISTORY brings; 0: it does not say. */
  readonly chathistory: number;
  /** Nicks may have letters beyond ASCII. */
  readonly utf8nicks: boolean;
  /** Only people who have logged in may use it. */
  readonly accountRequired: boolean;
}

export const NO_ISUPPORT: Isupport = {
  casemapping: "rfc1459",
  chantypes: "#&+!",
  prefix: new Map([
    ["o", "@"],
    ["v", "+"],
  ]),
  nicklen: 9,
  userlen: 10,
  hostlen: 63,
  channellen: 50,
  topiclen: Infinity,
  linelen: 512,
  targmax: new Map(),
  statusmsg: "",
  bot: null,
  utf8only: false,
  clientTagDeny: [],
  network: null,
  monitor: 0,
  chathistory: 0,
  utf8nicks: false,
  accountRequired: false,
};

/**
 * Takes one 005 line in: its parameters, the first being our nick and the last a sentence. `-TOKEN` brings the default
 * back.
 */
export function withIsupport(now: Isupport, params: readonly string[]): Isupport {
  const next: Isupport = { ...now };
  for (const token of params.slice(1).filter((param) => !param.includes(" "))) {
    const equals = token.indexOf("=");
    const name = equals === -1 ? token : token.slice(0, equals);
    const value = equals === -1 ? "" : unescapeValue(token.slice(equals + 1));
    Object.assign(next, name.startsWith("-") ? DEFAULTS.get(name.slice(1)) : READERS.get(name)?.(value));
  }
  return next;
}

/** Whether the name begins like a channel. */
export function isChannel(isupport: Isupport, name: string): boolean {
  return name !== "" && isupport.chantypes.includes(name.charAt(0));
}

/** Whether two nicks or channels are one. */
export function same(isupport: Isupport, one: string, other: string): boolean {
  return one === other || casefold(isupport.casemapping, one) === casefold(isupport.casemapping, other);
}

/** Whether the server passes on a client tag; the name without its `+`. */
export function passesClientTag(isupport: Isupport, name: string): boolean {
  const deny = isupport.clientTagDeny;
  if (deny.includes(`-${name}`)) return true;
  return !deny.includes("*") && !deny.includes(name);
}

type Part = Partial<Isupport>;

const READERS: ReadonlyMap<string, (value: string) => Part> = new Map<string, (value: string) => Part>([
  ["CASEMAPPING", (value) => ({ casemapping: casemapping(value), utf8nicks: UTF8_MAPPING.test(value) })],
  ["CHANTYPES", (value) => ({ chantypes: value })],
  ["PREFIX", (value) => ({ prefix: prefix(value) })],
  ["NICKLEN", (value) => limit("nicklen", value)],
  ["USERLEN", (value) => limit("userlen", value)],
  ["HOSTLEN", (value) => limit("hostlen", value)],
  ["CHANNELLEN", (value) => limit("channellen", value)],
  ["TOPICLEN", (value) => limit("topiclen", value)],
  ["LINELEN", (value) => limit("linelen", value)],
  ["TARGMAX", (value) => ({ targmax: targmax(value) })],
  ["STATUSMSG", (value) => ({ statusmsg: value })],
  ["BOT", (value) => ({ bot: /^[A-Za-z]$/.test(value) ? value : null })],
  ["UTF8ONLY", () => ({ utf8only: true })],
  ["CLIENTTAGDENY", (value) => ({ clientTagDeny: value.split(",").filter((name) => name !== "") })],
  ["NETWORK", (value) => ({ network: value === "" ? null : value })],
  ["MONITOR", (value) => ({ monitor: count(value) || Infinity })],
  ["CHATHISTORY", (value) => ({ chathistory: count(value) })],
  ["UTF8MAPPING", () => ({ utf8nicks: true })],
  ["draft/ACCOUNTREQUIRED", () => ({ accountRequired: true })],
]);

const UTF8_MAPPING = /^(?:rfc7613|rfc8265|precis|permissive)/iu;

const DEFAULTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["CASEMAPPING", { casemapping: NO_ISUPPORT.casemapping, utf8nicks: false }],
  ["CHANTYPES", { chantypes: NO_ISUPPORT.chantypes }],
  ["PREFIX", { prefix: NO_ISUPPORT.prefix }],
  ["NICKLEN", { nicklen: NO_ISUPPORT.nicklen }],
  ["USERLEN", { userlen: NO_ISUPPORT.userlen }],
  ["HOSTLEN", { hostlen: NO_ISUPPORT.hostlen }],
  ["CHANNELLEN", { channellen: NO_ISUPPORT.channellen }],
  ["TOPICLEN", { topiclen: NO_ISUPPORT.topiclen }],
  ["LINELEN", { linelen: NO_ISUPPORT.linelen }],
  ["TARGMAX", { targmax: NO_ISUPPORT.targmax }],
  ["STATUSMSG", { statusmsg: NO_ISUPPORT.statusmsg }],
  ["BOT", { bot: NO_ISUPPORT.bot }],
  ["UTF8ONLY", { utf8only: NO_ISUPPORT.utf8only }],
  ["CLIENTTAGDENY", { clientTagDeny: NO_ISUPPORT.clientTagDeny }],
  ["NETWORK", { network: NO_ISUPPORT.network }],
  ["MONITOR", { monitor: NO_ISUPPORT.monitor }],
  ["CHATHISTORY", { chathistory: NO_ISUPPORT.chathistory }],
  ["UTF8MAPPING", { utf8nicks: false }],
  ["draft/ACCOUNTREQUIRED", { accountRequired: false }],
]);

/** A mapping we do not know (rfc7613, rfc8265) at least folds ASCII. */
function casemapping(value: string): Casemapping {
  if (value === "rfc1459" || value === "") return "rfc1459";
  return value === "strict-rfc1459" || value === "rfc1459-strict" ? "rfc1459-strict" : "ascii";
}

function prefix(value: string): ReadonlyMap<string, string> {
  const match = /^\((?<modes>[^)]*)\)(?<symbols>.*)$/.exec(value);
  const symbols = Array.from(match?.groups?.["symbols"] ?? "");
  const modes = Array.from(match?.groups?.["modes"] ?? "").slice(0, symbols.length);
  return new Map(modes.map((mode, index) => [mode, symbols[index] ?? ""]));
}

const LIMIT_MAX = 100_000;

/** A limit that is not a sensible number changes nothing. */
function limit(name: "nicklen" | "userlen" | "hostlen" | "channellen" | "topiclen" | "linelen", value: string): Part {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= LIMIT_MAX ? { [name]: number } : {};
}

function count(value: string): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

function targmax(value: string): ReadonlyMap<string, number> {
  return new Map(
    value.split(",").flatMap((entry) => {
      const match = /^(?<command>[A-Za-z]+):(?<most>\d{0,9})$/.exec(entry);
      const most = match?.groups?.["most"];
      if (match === null || most === undefined) return [];
      return [[(match.groups?.["command"] ?? "").toUpperCase(), most === "" ? Infinity : Number(most)] as const];
    }),
  );
}

/** `\x20` for a space and the like. */
function unescapeValue(value: string): string {
  return value.replaceAll(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

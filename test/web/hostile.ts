import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { PAYLOADS } from "./payloads.ts";

/** Names of accounts are the same in capitals. */
export const NAMES: readonly string[] = PAYLOADS.filter(
  (name, at) => PAYLOADS.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === at,
);

/** As a channel on IRC: without what ends one there. */
export const channelOf = (payload: string): string => `#${payload.replaceAll(/[\s,:]/gu, "/")}`;

/** Rialto joins a channel in the letters that IRC holds to be the same. */
const folded = (channel: string): string => channel.toLowerCase().replaceAll(/[{|}~]/gu, (sign) => SAME[sign] ?? sign);
const SAME: Readonly<Record<string, string>> = { "{": "[", "|": "\\", "}": "]", "~": "^" };

/** A server that lets everybody in and nobody into a channel: the reason is the payload that the channel is made of. */
export async function unkindIrc(): Promise<Server> {
  const reasons = new Map(NAMES.map((payload) => [folded(channelOf(payload)), payload]));
  const server = createServer((socket) => {
    const say = (line: string): void => void socket.write(`:irc.example ${line}\r\n`);
    socket.on("error", () => undefined);
    let nick = "*";
    createInterface({ input: socket }).on("line", (line) => {
      const [command = "", first = ""] = line.split(" ");
      if (command === "CAP" && first === "LS") say("CAP * LS :");
      if (command === "NICK") nick = first;
      if (command === "USER") for (const code of ["001", "376"]) say(`${code} ${nick} :welcome`);
      if (command === "PING") say(`PONG irc.example ${first}`);
      if (command === "JOIN") say(`474 ${nick} ${first} :${reasons.get(folded(first)) ?? first}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const quoted = (text: string): string => JSON.stringify(text);

/** The name of the gateway in which guests are. */
export const ROOM = NAMES[1] ?? "";
/** What is said with it is dropped, by a rule that is one of them itself. */
export const DROPPED = "<img src=x onerror=alert\\(2\\)>";

/** At the end of each line that is a mistake. */
const MISTAKE = "# no channel";
export const withoutMistakes = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.endsWith(MISTAKE))
    .join("\n");

interface Ports {
  readonly irc: number;
  readonly web: number;
}

/** Accounts, channels, gateways, labels and rules that are payloads, and mistakes whose words repeat them. */
export function hostileConfig({ irc, web }: Ports): string {
  const accounts = NAMES.map(
    (name) => `[irc.${quoted(name)}]\nServer = "127.0.0.1:${irc}"\nNick = "rialto"\nLabel = ${quoted(name)}\n`,
  );
  const gateways = NAMES.map((name) => {
    const bridges = [
      `{ account = ${quoted(`irc.${name}`)}, channel = ${quoted(channelOf(name))} },`,
      '{ account = "api.desk" },',
      ...(name === ROOM ? ['{ account = "web.hall", channel = "lobby" },'] : []),
      `{ account = "web.hall", channel = ${quoted(name)} }, ${MISTAKE}`,
    ];
    return `[[gateway]]\nname = ${quoted(name)}\nenable = true\ninout = [\n${bridges.join("\n")}\n]\n`;
  });
  return `${accounts.join("")}[web.hall]
BindAddress = "127.0.0.1:${web}"
Rate = 100000
Hold = true
[api.desk]
Label = ${quoted(ROOM)}
IgnoreMessages = [${quoted(DROPPED)}]
Buffer = 100000
${gateways.join("")}`;
}

/** What stands on the page, in the editor of the configuration as well, that no page of ours has. */
export const strangersOn = async (page: Page): Promise<readonly string[]> =>
  await page.evaluate<readonly string[]>(`(() => {
    const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot === null ? [] : all(one.shadowRoot))]);
    const isStrange = (one) =>
      one.matches("script:not([src]), iframe, object, embed, base, marquee, math, video, audio, img[src=x]") ||
      one.getAttributeNames().some((name) => name.startsWith("on")) ||
      (one instanceof HTMLAnchorElement && !["http:", "https:", "blob:"].includes(one.protocol));
    return all(document).filter(isStrange).map((one) => one.outerHTML.slice(0, 200));
  })()`);

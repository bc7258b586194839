import { startInspircd } from "../../test/servers/irc/inspircd.ts";
import { SERVER_NAME, startSynapse } from "../../test/servers/matrix/synapse.ts";
import { startProsody } from "../../test/servers/xmpp/prosody.ts";
import { type IrcTalker, ircTalker } from "../lib/irc-talker.ts";
import { matrixTalker, registerOn } from "../lib/matrix-talker.ts";
import { gatewayOf } from "../lib/proc.ts";
import type { Heard, Talker } from "../lib/talker.ts";
import { xmppTalker } from "../lib/xmpp-talker.ts";
import type { End } from "./counts.ts";

const PASSWORD = "open-sesame";

/** Real servers, one person on each in all rooms, and the configuration that links them. */
export interface Stage {
  readonly talkers: { readonly irc: IrcTalker; readonly xmpp: Talker; readonly matrix: Talker };
  /** TOML beside the API accounts. */
  readonly rest: string;
  readonly stop: () => Promise<void>;
}

export async function buildStage(rooms: readonly string[], heard: (end: End, what: Heard) => void): Promise<Stage> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  const kept = async <T extends { readonly stop: () => Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting;
    ends.push(async () => await started.stop());
    return started;
  };
  try {
    const irc = await kept(startInspircd());
    const xmpp = await kept(startProsody());
    const synapse = await kept(startSynapse());
    await xmpp.register("rialto", PASSWORD);
    await registerOn(synapse.url, "rialto");
    const at = (end: End) => ({ rooms, nick: `anna-${end}`, heard: (what: Heard) => heard(end, what) });
    const talkers = {
      irc: await kept(ircTalker(irc.port, at("irc"))),
      xmpp: await kept(xmppTalker(xmpp, at("xmpp"))),
      matrix: await kept(matrixTalker(synapse.url, at("matrix"))),
    };
    const ports = { irc: irc.port, xmpp: xmpp.port, matrix: synapse.url };
    return { talkers, rest: configuration(ports, rooms), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(
  at: { readonly irc: number; readonly xmpp: number; readonly matrix: string },
  rooms: readonly string[],
): string {
  const gateways = rooms.map((room) =>
    gatewayOf(
      room,
      ["irc.net", `#${room}`],
      ["xmpp.net", room],
      ["matrix.net", `#${room}:${SERVER_NAME}`],
      ["api.poster", "api"],
      ["api.reader", "api"],
    ),
  );
  return `[irc.net]
Server = "127.0.0.1:${at.irc}"
Nick = "rialto"
MessageDelay = 0
[xmpp.net]
Server = "127.0.0.1:${at.xmpp}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[matrix.net]
Server = "${at.matrix}"
Login = "rialto"
Password = "${PASSWORD}"
${gateways.join("")}`;
}

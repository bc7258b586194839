import { afterAll } from "vitest";
import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import type { Fixture, Harness } from "../../../test/contract/fixture.ts";
import { needs } from "../../../test/servers/installed.ts";
import { SlixmppPerson } from "../../../test/servers/people/slixmpp.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import type { XmppServer } from "../../../test/servers/xmpp/server.ts";
import { Guest } from "./guest.suite.ts";
import { adapter } from "./index.ts";
import { xmppSettings } from "./settings.suite.ts";

const SERVICE = "conference.localhost";
const PASSWORD = "open-sesame";
const WRONG = "open-barley";
/** Longer than a server on loopback needs to pass on what it has. */
const SETTLE_MS = 200;
const SHUT = "shut";

/** Nicks, rooms and accounts that no other case has. */
let cases = 0;
let people = 0;

interface Servers {
  readonly server: XmppServer;
  /** Keeps a room shut. */
  readonly warden: SlixmppPerson;
  readonly lobby: Lobby;
}

interface Arrival {
  readonly connected: Promise<SlixmppPerson>;
}

/**
 * Resolves once there is an account, and the client has been started: from here on it opens nothing that a case would
 * count.
 */
async function newPerson(server: XmppServer): Promise<Arrival> {
  people += 1;
  const nick = `guest${people}`;
  await server.register(nick, PASSWORD);
  return {
    connected: SlixmppPerson.connect({ port: server.port, jid: `${nick}@localhost`, password: PASSWORD, nick }),
  };
}

/** People between two cases, and one more who stands ready: a Python takes its time to start. */
class Lobby {
  readonly #server: XmppServer;
  readonly #idle: SlixmppPerson[] = [];
  #next: Promise<Arrival>;

  constructor(server: XmppServer) {
    this.#server = server;
    this.#next = newPerson(server);
  }

  async take(): Promise<SlixmppPerson> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const { connected } = await this.#next;
    const taken = await connected;
    this.#next = newPerson(this.#server);
    await this.#next;
    return taken;
  }

  /** Somebody who is in no room any more. */
  give(person: SlixmppPerson): void {
    this.#idle.push(person);
  }

  async close(): Promise<void> {
    const { connected } = await this.#next;
    await Promise.all([await connected, ...this.#idle].map(async (person) => await person.quit()));
  }
}

async function startServers(start: () => Promise<XmppServer>): Promise<Servers> {
  const server = await start();
  const { connected } = await newPerson(server);
  const warden = await connected;
  const room = `${SHUT}@${SERVICE}`;
  await warden.join(room);
  await warden.ask("configure", { room, fields: { "muc#roomconfig_membersonly": true } });
  return { server, warden, lobby: new Lobby(server) };
}

async function harness({ server, lobby }: Servers, burst: number): Promise<Harness> {
  cases += 1;
  const proxy = await startProxy(server.port);
  const user = `rialto${cases}`;
  await server.register(user, PASSWORD);
  const guests: { readonly guest: Guest; readonly client: SlixmppPerson }[] = [];
  const at = (port: number): string => `127.0.0.1:${port}`;
  const settings = xmppSettings({
    Server: at(proxy.port),
    Jid: `${user}@localhost`,
    Password: PASSWORD,
    Nick: user,
    Muc: SERVICE,
    NoStartTLS: true,
  });
  return {
    settings,
    wrong: {
      auth: { ...settings, Password: WRONG },
      config: { ...settings, NoStartTLS: false },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, Server: at(1) },
    },
    channels: [
      { name: `one-${cases}`, options: {} },
      { name: `two-${cases}`, options: {} },
    ],
    refused: { name: SHUT, options: {} },
    secrets: [WRONG, PASSWORD],
    // XEP-0245: to say so is to do so.
    unsayable: new Set(["/me does"]),
    burst,
    patienceMs: 30_000,
    person: async () => {
      const client = await lobby.take();
      const guest = new Guest(client, SERVICE);
      guests.push({ guest, client });
      return guest;
    },
    cut: () => {
      proxy.cut();
      return Promise.resolve();
    },
    stall: () => {
      proxy.stall();
      return Promise.resolve(() => {
        proxy.flow();
        return Promise.resolve();
      });
    },
    settle: async () => await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
    dispose: async () => {
      for (const { guest, client } of guests) {
        guest.leaveAll();
        lobby.give(client);
      }
      await proxy.stop();
    },
  };
}

/** The shared suite against a real server, which is started by the first case and stopped after the last one. */
export function contractAgainst(
  name: "prosody" | "ejabberdctl",
  start: () => Promise<XmppServer>,
  burst: number,
): void {
  let servers: Promise<Servers> | null = null;
  const fixture: Fixture = {
    adapter,
    features: new Set([
      ...(["auth", "config", "unreachable", "refused", "kick", "leave", "stall"] as const),
      ...([
        "edit",
        "erase",
        "react",
        "reply",
        "file",
        "notified",
        "history",
        "fetch",
        "setTopic",
        "members",
        "rooms",
        "typing",
        "showsTyping",
      ] as const),
    ]),
    start: async () => {
      servers ??= startServers(start);
      return await harness(await servers, burst);
    },
  };
  afterAll(async () => {
    if (servers === null) return;
    const { server, warden, lobby } = await servers;
    await Promise.all([warden.quit(), lobby.close()]);
    await server.stop();
  });
  needs([name, "python3-slixmpp"], () => describeAdapter(`XMPP on ${name}`, fixture));
}

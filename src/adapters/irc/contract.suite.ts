import { afterAll } from "vitest";
import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import type { Ground, Harness, Heard, Person } from "../../../test/contract/harness.ts";
import { needs } from "../../../test/servers/installed.ts";
import type { IrcServer, IrcServerOptions } from "../../../test/servers/irc/server.ts";
import { pythonPerson, type PythonPerson } from "../../../test/servers/people/python.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { adapter } from "./index.ts";
import { ircSettings } from "./settings.suite.ts";

const PASSWORD = "open-sesame";
const WRONG = "open-barley";
/** Longer than a server on loopback needs to pass on what it has. */
const SETTLE_MS = 150;
const SHUT = "#shut";

/** Nicks and channels that no other case has. */
let cases = 0;
let people = 0;

interface Servers {
  readonly open: IrcServer;
  /** Wants a password. */
  readonly closed: IrcServer;
  /** Keeps a channel shut. */
  readonly warden: PythonPerson;
  readonly lobby: Lobby;
}

/** Somebody stands ready: inspircd takes up to a second to let a client in. */
class Lobby {
  readonly #port: number;
  #next: Promise<PythonPerson>;

  constructor(port: number) {
    this.#port = port;
    this.#next = this.#enter();
  }

  async take(): Promise<PythonPerson> {
    const taken = await this.#next;
    this.#next = this.#enter();
    return taken;
  }

  async close(): Promise<void> {
    const last = await this.#next;
    await last.quit();
  }

  async #enter(): Promise<PythonPerson> {
    people += 1;
    return await pythonPerson({ port: this.#port, nick: `guest${people}`, channels: [] });
  }
}

type Start = (options?: IrcServerOptions) => Promise<IrcServer>;

async function startServers(start: Start): Promise<Servers> {
  const [open, closed] = await Promise.all([start(), start({ password: PASSWORD })]);
  const warden = await pythonPerson({ port: open.port, nick: "warden", channels: [SHUT] });
  await warden.raw(`MODE ${SHUT} +i`);
  await warden.ears.until("", (heard) => heard.some(({ text }) => /MODE #shut :?\+i/.test(text)), "the mode");
  return { open, closed, warden, lobby: new Lobby(open.port) };
}

async function stopServers({ open, closed, warden, lobby }: Servers): Promise<void> {
  await Promise.all([warden.quit(), lobby.close()]);
  await Promise.all([open.stop(), closed.stop()]);
}

async function harness({ open, closed, lobby }: Servers, burst: number): Promise<Harness> {
  cases += 1;
  const proxy = await startProxy(open.port);
  const guests: PythonPerson[] = [];
  const at = (port: number) => `127.0.0.1:${port}`;
  const settings = ircSettings({ Server: at(proxy.port), Nick: `rialto${cases}` });
  return {
    settings,
    wrong: {
      auth: { ...settings, Server: at(closed.port), Password: WRONG },
      config: { ...settings, Nick: "#no!nick" },
      // Port 1 (tcpmux): nothing listens there.
      unreachable: { ...settings, Server: at(1) },
    },
    channels: [
      { name: `#one-${cases}`, options: {} },
      { name: `#two-${cases}`, options: {} },
    ],
    refused: { name: SHUT, options: {} },
    secrets: [WRONG],
    burst,
    person: async () => {
      const client = await lobby.take();
      guests.push(client);
      return new Guest(client);
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
      await Promise.all(guests.map(async (guest) => await guest.quit()));
      await proxy.stop();
    },
  };
}

/** A person of the suite, with a client on python3-irc. */
class Guest implements Person {
  name: string;
  readonly #client: PythonPerson;

  constructor(client: PythonPerson) {
    this.#client = client;
    this.name = client.nick;
  }

  async join({ name }: { readonly name: string }): Promise<void> {
    await this.#client.raw(`JOIN ${name}`);
    await this.#client.ears.untilText("", ` 366 ${this.name} ${name} `);
  }

  async leave(channel: string, reason: string): Promise<void> {
    await this.#client.raw(`PART ${channel} :${reason}`);
  }

  async say(channel: string, text: string, style: "normal" | "action" | "notice" = "normal"): Promise<void> {
    if (style === "action") await this.#client.act(channel, text);
    else await this.#client.raw(`${style === "notice" ? "NOTICE" : "PRIVMSG"} ${channel} :${text}`);
  }

  async rename(): Promise<string> {
    people += 1;
    const name = `guest${people}`;
    await this.#client.raw(`NICK ${name}`);
    await this.#client.ears.untilText("", `NICK :${name}`);
    this.name = name;
    return name;
  }

  async setTopic(channel: string, topic: string): Promise<void> {
    await this.#client.raw(`TOPIC ${channel} :${topic}`);
  }

  async kick(channel: string, name: string, reason: string): Promise<void> {
    await this.#client.raw(`KICK ${channel} ${name} :${reason}`);
  }

  heard(channel: string): readonly Heard[] {
    const styles = { message: "normal", action: "action", notice: "notice" } as const;
    return this.#client.ears.in(channel).flatMap(({ kind, nick, text }) => {
      const style = kind === "message" || kind === "action" || kind === "notice" ? styles[kind] : null;
      return style === null || nick === this.name ? [] : [{ by: nick, text, style }];
    });
  }
}

/** The shared suite against a real server, which is started by the first case and stopped after the last one. */
export function contractAgainst(name: "ngircd" | "inspircd", start: Start, burst: number): void {
  let servers: Promise<Servers> | null = null;
  const ground: Ground = {
    adapter,
    offers: new Set(["auth", "config", "unreachable", "refused", "kick", "stall"]),
    start: async () => {
      servers ??= startServers(start);
      return await harness(await servers, burst);
    },
  };
  afterAll(async () => {
    if (servers !== null) await stopServers(await servers);
  });
  needs([name, "python3-irc"], () => describeAdapter(`IRC on ${name}`, ground));
}

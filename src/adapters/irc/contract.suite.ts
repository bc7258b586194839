import { afterAll, expect } from "vitest";
import { describeAdapter } from "../../../test/contract/describe-adapter.ts";
import type { Adapter } from "../../contract/adapter.ts";
import type { Session } from "../../contract/session.ts";
import type { Fixture, Handle, Harness, Heard, How, Feature, Person } from "../../../test/contract/fixture.ts";
import { needs } from "../../../test/servers/installed.ts";
import type { IrcServer, IrcServerOptions } from "../../../test/servers/irc/server.ts";
import { pythonPerson, type PythonPerson } from "../../../test/servers/people/python.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { adapter as irc } from "./index.ts";
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

async function harness({ open, closed, lobby }: Servers, { burst, tags }: Kind): Promise<Harness> {
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
      // Port 1 (tcpmux): nothing is listening there.
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
      return tags ? await TaggingGuest.of(client) : new Guest(client);
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
const TOPIC = /^(?:@\S+ )?:\S+ TOPIC (?<place>\S+) :?(?<topic>.*)$/u;

class Guest implements Person {
  name: string;
  protected readonly client: PythonPerson;

  constructor(client: PythonPerson) {
    this.client = client;
    this.name = client.nick;
  }

  async join({ name }: { readonly name: string }): Promise<void> {
    await this.client.raw(`JOIN ${name}`);
    await this.client.ears.untilText("", ` 366 ${this.name} ${name} `);
    // Whoever comes first is the operator, and lets everybody set the topic.
    await this.client.raw(`MODE ${name} -t`);
    await this.client.raw(`MODE ${name}`);
    await this.client.ears.untilText("", ` 324 ${this.name} ${name} `);
  }

  async leave(channel: string, reason: string): Promise<void> {
    await this.client.raw(`PART ${channel} :${reason}`);
  }

  async say(channel: string, text: string, style: "normal" | "action" | "notice" = "normal"): Promise<void> {
    if (style === "action") await this.client.act(channel, text);
    else await this.client.raw(`${style === "notice" ? "NOTICE" : "PRIVMSG"} ${channel} :${text}`);
  }

  async rename(): Promise<string> {
    people += 1;
    const name = `guest${people}`;
    await this.client.raw(`NICK ${name}`);
    await this.client.ears.untilText("", `NICK :${name}`);
    this.name = name;
    return name;
  }

  async setTopic(channel: string, topic: string): Promise<void> {
    await this.client.raw(`TOPIC ${channel} :${topic}`);
  }

  topic(channel: string): string | null {
    const set = this.client.lines.map((line) => TOPIC.exec(line)?.groups);
    return set.findLast((one) => one?.["place"] === channel)?.["topic"] ?? null;
  }

  async kick(channel: string, name: string, reason: string): Promise<void> {
    await this.client.raw(`KICK ${channel} ${name} :${reason}`);
  }

  /** Clients sound where the own name is in a text. */
  notified(channel: string): readonly string[] {
    return this.heard(channel).flatMap(({ text }) => (text.includes(this.name) ? [text] : []));
  }

  heard(channel: string): readonly Heard[] {
    const styles = { message: "normal", action: "action", notice: "notice" } as const;
    return this.client.ears.in(channel).flatMap(({ kind, nick, text }) => {
      const style = kind === "message" || kind === "action" || kind === "notice" ? styles[kind] : null;
      return style === null || nick === this.name ? [] : [{ by: nick, text, style }];
    });
  }
}

/** What a line of the server says, read without any code of ours. */
const LINE = /^(?:@(?<tags>\S+) )?:(?<nick>[^ !]+)!\S+ (?<command>PRIVMSG|NOTICE) (?<channel>\S+) :?(?<text>.*)$/su;

/** The same, with or without a text. */
const SIGN = /^(?:@(?<tags>\S+) )?:(?<nick>[^ !]+)!\S+ (?<command>PRIVMSG|NOTICE|TAGMSG) :?(?<channel>\S+)/u;

/** Somebody whose client has `message-tags`: sees the ids of messages, answers and reacts by them. */
class TaggingGuest extends Guest {
  static async of(client: PythonPerson): Promise<TaggingGuest> {
    await client.raw("CAP REQ :message-tags echo-message");
    await client.ears.until("", (heard) => heard.some(({ text }) => / CAP \S+ ACK /u.test(text)), "the capabilities");
    return new TaggingGuest(client);
  }

  async write(channel: string, text: string, { reply }: How = {}): Promise<Handle> {
    await this.client.raw(`${reply === undefined ? "" : `@+draft/reply=${reply} `}PRIVMSG ${channel} :${text}`);
    const own = (): Told | undefined =>
      this.#told(channel).findLast((told) => told.nick === this.name && told.text === text);
    await this.client.ears.until("", () => own() !== undefined, `the echo of "${text}"`);
    return own()?.tags.get("msgid") ?? "";
  }

  async type(channel: string, on: boolean): Promise<void> {
    await this.client.raw(`@+typing=${on ? "active" : "done"} TAGMSG ${channel}`);
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    await this.client.raw(`@+draft/reply=${message};+draft/${on ? "react" : "unreact"}=${emoji} TAGMSG ${channel}`);
  }

  typists(channel: string): readonly string[] {
    const typing = new Set<string>();
    for (const line of this.client.lines) {
      const { tags = "", nick = "", command = "", channel: place = "" } = SIGN.exec(line)?.groups ?? {};
      const state = /(?:^|;)\+typing=(?<state>\w+)/u.exec(tags)?.groups?.["state"];
      if (place.toLowerCase() !== channel.toLowerCase() || nick === this.name) continue;
      if (command === "TAGMSG" && state === "active") typing.add(nick);
      else if (command !== "TAGMSG" || state !== undefined) typing.delete(nick);
    }
    return [...typing];
  }

  override heard(channel: string): readonly Heard[] {
    return this.#told(channel).flatMap((told) => (told.nick === this.name ? [] : [heardAs(told)]));
  }

  #told(channel: string): readonly Told[] {
    return this.client.lines.flatMap((line) => {
      const { tags = "", nick = "", command = "", channel: place = "", text = "" } = LINE.exec(line)?.groups ?? {};
      if (place.toLowerCase() !== channel.toLowerCase()) return [];
      const pairs = tags.split(";").map((tag): [string, string] => [tag.split("=")[0] ?? "", tag.split("=")[1] ?? ""]);
      return [{ tags: new Map(pairs), nick, command, text }];
    });
  }
}

interface Told {
  readonly tags: ReadonlyMap<string, string>;
  readonly nick: string;
  readonly command: string;
  readonly text: string;
}

function heardAs({ tags, nick, command, text }: Told): Heard {
  const isAction = text.startsWith("\u0001ACTION ");
  const [handle, reply] = [tags.get("msgid"), tags.get("+draft/reply")];
  const heard: Heard = {
    by: nick,
    text: isAction ? text.slice("\u0001ACTION ".length).replaceAll("\u0001", "") : text,
    style: isAction ? "action" : command === "NOTICE" ? "notice" : "normal",
  };
  return Object.assign(heard, handle === undefined ? {} : { handle }, reply === undefined ? {} : { reply });
}

interface Kind {
  /** How many lines a person may say in one go. */
  readonly burst: number;
  /** Whether people can have tags. */
  readonly tags: boolean;
}

/** No packaged server has message redaction, and the join says so: as far as the suite can see, IRC has none. */
const adapter: Adapter = {
  manifest: irc.manifest,
  capabilities: { ...irc.capabilities, ops: { ...irc.capabilities.ops, delete: "none" } },
  load: async () => {
    const code = await irc.load();
    return {
      open: async (args) => {
        const opened = await code.open(args);
        return opened.ok ? { ok: true, session: withoutDelete(opened.session) } : opened;
      },
    };
  },
};

function withoutDelete(session: Session): Session {
  return {
    get as() {
      return session.as;
    },
    handlers: {
      post: session.handlers.post,
      ...(session.handlers.topic && { topic: session.handlers.topic }),
    },
    join: async (channel, signal) => {
      const joined = await session.join(channel, signal);
      if (joined.ok) expect(joined.without).toEqual(["delete"]);
      return joined;
    },
    ...(session.leave && { leave: async (channel, signal) => await session.leave?.(channel, signal) }),
    ...(session.members && {
      members: async (channel, signal) => (await session.members?.(channel, signal)) ?? null,
    }),
    ...(session.typing && { typing: session.typing }),
    ended: session.ended,
    quiesce: async () => await session.quiesce(),
    close: async (signal) => await session.close(signal),
  };
}

/** The shared suite against a real server, which is started by the first case and stopped after the last one. */
export function contractAgainst(name: "ngircd" | "inspircd", start: Start, kind: Kind): void {
  let servers: Promise<Servers> | null = null;
  const fixture: Fixture = {
    adapter,
    features: new Set<Feature>([
      ...([
        "auth",
        "config",
        "unreachable",
        "refused",
        "kick",
        "leave",
        "stall",
        "notified",
        "setTopic",
        "members",
      ] as const),
      ...(kind.tags ? (["reply", "react", "typing", "showsTyping"] as const) : []),
    ]),
    start: async () => {
      servers ??= startServers(start);
      return await harness(await servers, kind);
    },
  };
  afterAll(async () => {
    if (servers !== null) await stopServers(await servers);
  });
  needs([name, "python3-irc"], () => describeAdapter(`IRC on ${name}`, fixture));
}

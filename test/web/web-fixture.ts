import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import type { Adapter } from "../../src/contract/adapter.ts";
import type { ChannelRequest, Session } from "../../src/contract/session.ts";
import type { Style } from "../../src/contract/content.ts";
import { adapter as web } from "../../src/adapters/web/index.ts";
import { schema } from "../../src/adapters/web/settings.ts";
import { parse } from "../../src/content/formats.ts";
import type { Fixture, Handle, Harness, Heard, How, Person, SentFile, Settings } from "../contract/fixture.ts";
import { COMMANDS, MANNERS, readAloud } from "../contract/texts.ts";
import { RecordingHost } from "../contract/recording-host.ts";
import { freePorts } from "../support/ports.ts";
import { type Answered, idIn, type Shown, WebGuest, wordsOf } from "./guest.ts";

const SETTLE_MS = 60;

/** All settings with their defaults. */
function webSettings(own: Settings): Settings {
  const defaults = Object.entries(schema.properties).map(([name, property]) => [
    name,
    (property as { default?: unknown }).default,
  ]);
  return { ...(Object.fromEntries(defaults) as Settings), ...own };
}

/** The grounds that stand, by their BindAddress: what a session opens belongs to one of them. */
const grounds = new Map<unknown, Ground>();

/**
 * The chat has no server but that of a session: its folder is given here, and people come in as soon as a session has
 * joined their room.
 */
const adapter: Adapter = {
  ...web,
  load: async () => {
    const code = await web.load();
    return {
      open: async (args) => {
        const ground = grounds.get(args.settings["BindAddress"]);
        const folder = ground?.folder ?? join(tmpdir(), "rialto-web-nowhere");
        const opened = await code.open({ ...args, folder });
        if (opened.ok) ground?.follow(opened.session);
        return opened;
      },
    };
  },
};

export const webFixture: Fixture = {
  adapter,
  features: new Set([
    ...(["config", "unreachable", "refused", "leave", "stall", "edit", "erase", "react"] as const),
    ...(["reply", "file", "fetch", "members", "typing"] as const),
  ]),
  start: async () => {
    const [port = 0] = await freePorts(1);
    return new Ground(port).harness();
  },
};

class Ground {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-web-"));
  readonly #address: string;
  readonly #people: WebPerson[] = [];
  readonly #settings: Settings;
  #session: Session | null = null;
  #joined = new Set<string>();
  #count = 0;

  constructor(port: number) {
    this.#address = `127.0.0.1:${port}`;
    this.#settings = webSettings({ BindAddress: this.#address, Rate: 100_000, JoinRate: 100_000 });
    grounds.set(this.#address, this);
  }

  get base(): string {
    return `http://${this.#address}`;
  }

  /** People come to a chat that runs: where no session is, there was one before, which is over afterwards. */
  async within(channel: string, task: () => Promise<void>): Promise<void> {
    if (this.#session !== null) return await task();
    const code = await web.load();
    const host = new RecordingHost();
    const { signal } = new AbortController();
    const opened = await code.open({ settings: this.#settings, host, since: null, signal, folder: this.folder });
    if (!opened.ok) throw new Error(`no chat opens: ${opened.ended.why.message}`);
    this.follow(opened.session);
    await opened.session.join({ name: channel, options: {} }, signal);
    await task();
    await opened.session.close(signal);
    this.#session = null;
  }

  /** Its rooms are entered by whoever wants to be there, before anybody else is told that they are joined. */
  follow(session: Session): void {
    this.#session = session;
    this.#joined = new Set();
    void session.ended.then(() => {
      if (this.#session === session) this.#session = null;
    });
    const enter = session.join.bind(session);
    session.join = async (channel: ChannelRequest, signal: AbortSignal) => {
      const joined = await enter(channel, signal);
      if (!joined.ok) return joined;
      this.#joined.add(channel.name);
      for (const person of this.#people) await person.come(channel.name);
      return joined;
    };
  }

  /** Null: the room is not open. */
  async invite(channel: string): Promise<string | null> {
    if (!this.#joined.has(channel)) return null;
    const spec = { channel, uses: 1, expiresInMs: 60_000, hold: false };
    return (await this.#session?.guests?.invite(spec))?.url ?? null;
  }

  harness(): Harness {
    const settings = this.#settings;
    const unsayable = new Set(
      [...MANNERS, ...COMMANDS].filter(
        (text) => readAloud(parse("markdown", text)) !== text || text.startsWith("/me "),
      ),
    );
    return {
      settings,
      wrong: {
        config: { ...settings, BindAddress: "nowhere" },
        // An address for documentation: no machine has it.
        unreachable: { ...settings, BindAddress: "192.0.2.1:4290" },
      },
      channels: [
        { name: "lobby", options: {} },
        { name: "harbour", options: {} },
      ],
      refused: { name: "no such room", options: {} },
      secrets: [],
      unsayable,
      burst: 200,
      peopleSayNoNotices: true,
      person: () => {
        this.#count += 1;
        const person = new WebPerson(this, `visitor ${this.#count}`);
        this.#people.push(person);
        return Promise.resolve(person);
      },
      cut: () => {
        this.#replace();
        return Promise.resolve();
      },
      stall: () => {
        const db = new BetterSqlite3(join(this.folder, "chat.sqlite"));
        db.exec("BEGIN IMMEDIATE");
        return Promise.resolve(() => {
          db.exec("ROLLBACK");
          db.close();
          return Promise.resolve();
        });
      },
      settle: async () => await sleep(SETTLE_MS),
      dispose: () => {
        for (const person of this.#people) person.close();
        grounds.delete(this.#address);
        rmSync(this.folder, { recursive: true, force: true });
        return Promise.resolve();
      },
    };
  }

  /** As somebody who puts a copy back does. */
  #replace(): void {
    const file = join(this.folder, "chat.sqlite");
    const copy = join(this.folder, "copy.sqlite");
    const db = new BetterSqlite3(file);
    db.exec(`VACUUM INTO '${copy}'`);
    db.close();
    renameSync(copy, file);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
  }
}

/** A guest of each room that the person is in. */
class WebPerson implements Person {
  name: string;
  readonly #ground: Ground;
  readonly #wanted = new Set<string>();
  readonly #guests = new Map<string, WebGuest>();
  #bare: string;
  #coming: Promise<void> = Promise.resolve();

  constructor(ground: Ground, name: string) {
    this.#ground = ground;
    this.#bare = name;
    this.name = `${name} (guest)`;
  }

  close(): void {
    for (const guest of this.#guests.values()) guest.unwatch();
  }

  async join({ name }: ChannelRequest): Promise<void> {
    this.#wanted.add(name);
    await this.#ground.within(name, async () => await this.come(name));
  }

  /** The room is open now. */
  async come(channel: string): Promise<void> {
    this.#coming = this.#coming.then(async () => await this.#come(channel));
    await this.#coming;
  }

  async #come(channel: string): Promise<void> {
    if (!this.#wanted.has(channel)) return;
    const known = this.#guests.get(channel);
    if (known !== undefined) return await known.watch();
    const invite = await this.#ground.invite(channel);
    if (invite === null) return;
    const guest = new WebGuest(this.#ground.base, this.#bare);
    expectStatus(await guest.join(invite), 201);
    this.#guests.set(channel, guest);
    await guest.watch();
  }

  async leave(channel: string): Promise<void> {
    this.#wanted.delete(channel);
    const guest = this.#in(channel);
    this.#guests.delete(channel);
    expectStatus(await guest.ask({ method: "POST", path: "/v1/leave" }), 204);
    guest.unwatch();
  }

  say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    const line = style === "action" ? `/me ${text}` : text;
    // Where no server is, nobody says anything.
    this.#guests.get(channel)?.tell(line);
    return Promise.resolve();
  }

  async rename(): Promise<string> {
    this.#bare = `${this.#bare} again`;
    this.name = `${this.#bare} (guest)`;
    for (const guest of this.#guests.values())
      expectStatus(await guest.ask({ method: "PATCH", path: "/v1/me", body: { name: this.#bare } }), 200);
    return this.name;
  }

  setTopic(): Promise<void> {
    return Promise.reject(new Error("guests set no topic"));
  }

  kick(): Promise<void> {
    return Promise.reject(new Error("guests kick nobody"));
  }

  heard(channel: string): readonly Heard[] {
    const messages = [...(this.#guests.get(channel)?.messages.values() ?? [])];
    return messages.filter(({ author }) => !author.mine).flatMap(linesOf);
  }

  async write(channel: string, text: string, { reply }: How = {}): Promise<Handle> {
    const said = await this.#in(channel).sayUntilTaken(text, { reply_to: reply ?? null });
    return idOf(expectStatus(said, 201));
  }

  async edit(channel: string, message: Handle, text: string): Promise<void> {
    expectStatus(
      await this.#in(channel).ask({ method: "PATCH", path: `/v1/messages/${message}`, body: { text } }),
      200,
    );
  }

  async erase(channel: string, message: Handle): Promise<void> {
    expectStatus(await this.#in(channel).ask({ method: "DELETE", path: `/v1/messages/${message}` }), 204);
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    const path = `/v1/messages/${message}/reactions/${encodeURIComponent(emoji)}`;
    expectStatus(await this.#in(channel).ask({ method: on ? "PUT" : "DELETE", path }), 204);
  }

  async sendFile(channel: string, { name, content, comment }: SentFile): Promise<Handle> {
    const guest = this.#in(channel);
    const path = `/v1/files?name=${encodeURIComponent(name)}`;
    const uploaded = expectStatus(await guest.ask({ method: "POST", path, body: content }), 201);
    const id = idIn(uploaded, "file");
    return idOf(expectStatus(await guest.say(comment, { files: [id] }), 201));
  }

  async type(channel: string, on: boolean): Promise<void> {
    await this.#in(channel).ask({ method: "POST", path: "/v1/typing", body: { on } });
  }

  async fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const guest = this.#in(channel);
    const [id = "", at = "0"] = message.split("/");
    const file = guest.messages.get(id)?.files[Number(at)];
    return expectStatus(await guest.ask({ path: `/v1/files/${file?.id}` }), 200).bytes;
  }

  #in(channel: string): WebGuest {
    const guest = this.#guests.get(channel);
    if (guest === undefined) throw new Error(`${this.name} is not in ${channel}`);
    return guest;
  }
}

/** The words, then each file. */
function linesOf({ id, author, style, blocks, reply_to: to, reactions, files }: Shown): readonly Heard[] {
  const by = author.name;
  const words = wordsOf(blocks);
  const shown = reactions.map(({ emoji }) => emoji);
  const first: Heard = { by, text: words, style, handle: id, reactions: shown, ...(to !== null && { reply: to.id }) };
  const lines = files.map(({ name, caption, missing }, at): Heard => {
    if (missing !== "") return { by, text: `${caption} ${name} (${missing})`, style };
    return { by, text: caption, style, handle: `${id}/${at}`, file: name };
  });
  return words === "" && lines.length > 0 ? lines : [first, ...lines];
}

const idOf = (answered: Answered): Handle => idIn(answered, "message");

function expectStatus(answered: Answered, wanted: number): Answered {
  if (answered.status === wanted) return answered;
  throw new Error(`answered ${answered.status} instead of ${wanted}: ${answered.bytes.toString()}`);
}

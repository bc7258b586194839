import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { channelRef, messageRef } from "../../../src/adapters/web/ids.ts";
import { open } from "../../../src/adapters/web/session.ts";
import { schema, type WebSettings } from "../../../src/adapters/web/settings.ts";
import type { Session } from "../../../src/contract/session.ts";
import { deleteOf, doOp, editOf, postOf, reactOf } from "../../contract/ops.ts";
import { RecordingHost } from "../../contract/recording-host.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { freePorts } from "../../support/ports.ts";
import { idIn, WebGuest } from "../../web/guest.ts";
import { cross } from "./crossing.ts";
import { ACTS, type Deed, type Hole, hole, type Talk } from "./web-requests.ts";

const NEVER = new AbortController().signal;
const ROOM = "square";
/** A connection on which nothing comes for so long is left. */
const QUIET_MS = 30;
/** At an end, for requests that are still under way. */
const WHILE_MS = 1_000;
const TAKEN: Readonly<Record<Exclude<Hole, "cookie" | "invite">, RegExp>> = {
  message: /"message":\{"id":"(m[\w-]{22})"/gu,
  file: /"file":\{"id":"([\w-]{22})"/gu,
};

/** A server of the web chat, with somebody in it who behaves. */
export class WebGround {
  readonly #folder = mkdtempSync(join(tmpdir(), "rialto-fuzz-web-"));
  readonly #clock = new FakeClock();
  #host = new RecordingHost(this.#clock);
  #session: Session | null = null;
  #port = 0;
  #keeper: WebGuest | null = null;
  #turn = 0;
  #joined = 0;
  /** What has stood at each place so far in this input. */
  #known = new Map<Hole, string[]>();
  readonly #secrets = new Set<string>();
  readonly #sockets = new Set<net.Socket>();

  async open(): Promise<void> {
    const [port = 0] = await freePorts(1);
    this.#port = port;
    this.#host = new RecordingHost(this.#clock);
    const settings = settingsOf(`127.0.0.1:${port}`);
    const opened = await open({ settings, host: this.#host, since: null, signal: NEVER, folder: this.#folder });
    if (!opened.ok) throw new Error(`it does not open: ${opened.ended.why.message}`);
    this.#session = opened.session;
    const joined = await opened.session.join({ name: ROOM, options: {} }, NEVER);
    if (!joined.ok) throw new Error(`the room does not open: ${joined.why.message}`);
    this.#keeper = null;
  }

  /** New guests, so that inputs do not depend on each other more than the room makes them. */
  async begin(): Promise<void> {
    this.#turn += 1;
    this.#known = new Map();
    for (const at of [0, 1]) {
      const guest = new WebGuest(this.#base, `visitor ${this.#turn} ${at}`);
      const invite = await this.#invite(2);
      await this.#joins(guest, invite);
      this.#keep("cookie", guest.cookie);
      this.#keep("invite", invite);
      if (at === 0) this.#keep("message", idIn(await guest.say("hello"), "message"));
    }
  }

  async does(deed: Deed): Promise<void> {
    switch (deed.is) {
      case "talk":
        await Promise.all(deed.talks.map(async (talk) => await this.#talk(talk)));
        return;
      case "operator":
        return await this.#operate(deed);
      case "network":
        return await this.#post(deed);
      case "time":
        this.#clock.jump(deed.calendarMs);
        return await this.#clock.advance(deed.ms);
    }
  }

  /** Whatever was done, people can talk, and the log says nothing of a bug. */
  async judge(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await this.#clock.advance(2_500);
    const { desk, session } = this.#running;
    await desk.moderate(ROOM, { hold: false, slowModeS: 0, linksAfter: 0 });
    const [theirs, ours] = [`from here ${this.#turn}`, `from there ${this.#turn}`];
    const keeper = await this.#here();
    const said = await keeper.say(theirs);
    if (said.status !== 201)
      throw new Error(`somebody who behaves is answered ${said.status}: ${said.bytes.toString()}`);
    const heard = this.#host.posted.filter(({ body }) => body.source.text === theirs).length;
    if (heard !== 1) throw new Error(`what was said is heard ${heard} times`);
    const { outcome } = await doOp(session, postOf(channelRef(ROOM), ours));
    if (outcome.is !== "delivered") throw new Error(`nothing comes from elsewhere: ${JSON.stringify(outcome)}`);
    const history = (await keeper.ask({ path: "/v1/history" })).bytes.toString();
    if (!history.includes(theirs) || !history.includes(ours)) throw new Error(`the history lacks it: ${history}`);
    const records = JSON.stringify(this.#host.records);
    if (/\bbug\b/u.test(records)) throw new Error(records);
    for (const secret of this.#secrets) if (records.includes(secret)) throw new Error(`a secret is logged: ${records}`);
    cross(this.#host.events.splice(0));
    this.#host.records.length = 0;
    this.#host.hints.length = 0;
  }

  /** Nothing is left behind. */
  async close(): Promise<void> {
    const { session } = this.#running;
    this.#session = null;
    await this.#ends(session);
    if (this.#clock.waiting > 0) throw new Error(`${this.#clock.waiting} timers are left behind`);
    this.#secrets.clear();
    const db = new BetterSqlite3(join(this.#folder, "chat.sqlite"), { readonly: true });
    const known = new Set(
      db
        .prepare<[], { id: string }>("SELECT id FROM files")
        .all()
        .map(({ id }) => id),
    );
    db.close();
    const lost = readdirSync(join(this.#folder, "files")).filter((name) => !known.has(name));
    if (lost.length > 0) throw new Error(`${lost.length} files are left that nobody knows`);
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#session !== null) await this.#ends(this.#session);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #base(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get #running() {
    const session = this.#session;
    const desk = session?.guests;
    if (session === null || desk === undefined) throw new Error("the server is not open");
    return { session, desk };
  }

  async #ends(session: Session): Promise<void> {
    const state = { over: false };
    const closing = session.close(NEVER).finally(() => (state.over = true));
    while (!state.over) {
      await this.#clock.advance(WHILE_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closing;
  }

  async #invite(uses: number): Promise<string> {
    const { desk } = this.#running;
    const made = await desk.invite({ channel: ROOM, uses, expiresInMs: 60_000, hold: false });
    if (made === null) throw new Error("the room is not open");
    return made.url.slice(made.url.indexOf("#") + 1);
  }

  /** From a network of its own: a ban is not for everybody. */
  async #joins(guest: WebGuest, invite: string): Promise<void> {
    this.#joined += 1;
    const headers = { "X-Forwarded-For": `10.${(this.#joined >> 8) % 256}.${this.#joined % 256}.1` };
    const joined = await guest.join(invite, headers);
    if (joined.status !== 201) throw new Error(`somebody who behaves cannot join: ${joined.bytes.toString()}`);
    this.#secrets.add(guest.cookie.slice(guest.cookie.indexOf("=") + 1));
  }

  /** The one who behaves; somebody who was away for too long is forgotten. */
  async #here(): Promise<WebGuest> {
    if (this.#keeper !== null && (await this.#keeper.ask({ path: "/v1/me" })).status === 200) return this.#keeper;
    const keeper = new WebGuest(this.#base, `the keeper ${this.#turn}`);
    await this.#joins(keeper, await this.#invite(1));
    this.#keeper = keeper;
    return keeper;
  }

  #keep(of: Hole, value: string): void {
    const all = this.#known.get(of) ?? [];
    this.#known.set(of, [...all, value].slice(-4));
  }

  #filled(words: string): Buffer {
    let filled = words;
    for (const [of, values] of this.#known) {
      for (let at = 0; at < 4; at += 1) filled = filled.replaceAll(hole(of, at), values[at % values.length] ?? "");
    }
    return Buffer.from(filled);
  }

  async #talk({ words, piece, deaf, cut }: Talk): Promise<void> {
    const socket = net.connect(this.#port, "127.0.0.1");
    this.#sockets.add(socket);
    const parts: Buffer[] = [];
    const over = Promise.withResolvers<void>();
    for (const end of ["error", "end", "close", "timeout"]) socket.on(end, () => over.resolve());
    socket.setTimeout(QUIET_MS);
    if (deaf) socket.pause();
    else socket.on("data", (part: Buffer) => parts.push(part));
    const bytes = this.#filled(words);
    const end = cut ?? bytes.length;
    for (let at = 0, size = piece === 0 ? end : piece; at < end && socket.writable; at += size) {
      socket.write(bytes.subarray(at, Math.min(end, at + size)));
      if (piece !== 0) await new Promise((resolve) => setImmediate(resolve));
    }
    if (cut === null) await over.promise;
    socket.destroy();
    this.#sockets.delete(socket);
    this.#read(Buffer.concat(parts).toString("latin1"));
  }

  #read(received: string): void {
    for (const [, status = ""] of received.matchAll(/^HTTP\/1\.1 (\d{3}) /gmu)) {
      if (status.startsWith("5") && status !== "503") throw new Error(`answered ${status}:\n${received}`);
    }
    if (/\n {4}at /u.test(received)) throw new Error(`it shows its code:\n${received}`);
    for (const what of ["message", "file"] as const)
      for (const [, id = ""] of received.matchAll(TAKEN[what])) this.#keep(what, id);
    for (const [, cookie = ""] of received.matchAll(/^Set-Cookie: ([^;=]+=[^;]+);/gmu)) {
      this.#secrets.add(cookie.slice(cookie.indexOf("=") + 1));
      this.#keep("cookie", cookie);
    }
  }

  async #operate({ what, at, on }: Extract<Deed, { is: "operator" }>): Promise<void> {
    const { desk } = this.#running;
    const guests = desk.guests(ROOM).filter(({ name }) => !name.startsWith("the keeper"));
    const act = ACTS.find((one) => one === what);
    if (act !== undefined) {
      const guest = guests.at(-1 - at);
      if (guest !== undefined) await desk.act(guest.id, act);
    }
    if (what === "approve") await desk.approve(desk.held()[at]?.id ?? "");
    if (what === "reject") await desk.reject(desk.held()[at]?.id ?? "");
    if (what === "settle") await desk.settle(desk.reports()[at]?.id ?? "");
    if (what === "revoke") await desk.revoke(desk.invites()[at]?.id ?? "");
    if (what === "invite") this.#keep("invite", await this.#invite(1 + at));
    if (what === "hold") await desk.moderate(ROOM, { hold: on });
    if (what === "slow") await desk.moderate(ROOM, { slowModeS: on ? 60 : 0 });
    if (what === "links") await desk.moderate(ROOM, { linksAfter: on ? 3 : 0 });
  }

  async #post({ what, text }: Extract<Deed, { is: "network" }>): Promise<void> {
    const { session } = this.#running;
    const channel = channelRef(ROOM);
    const target = messageRef(this.#known.get("message")?.at(-1) ?? "x");
    const made = {
      post: () => postOf(channel, text, { reply: { target, name: "somebody", excerpt: "" } }),
      edit: () => editOf(channel, [target], text),
      delete: () => deleteOf(channel, [target]),
      react: () => reactOf(channel, target, "👍", text.length % 2 === 0 ? ["👍"] : []),
    }[what];
    await doOp(session, made());
  }
}

/** All settings with their defaults, but what would only make it wait. */
function settingsOf(address: string): WebSettings {
  const defaults = Object.entries(schema.properties).map(([name, property]) => [
    name,
    (property as { default?: unknown }).default,
  ]);
  const own = {
    BindAddress: address,
    TrustProxy: ["127.0.0.1"],
    Rate: 100_000,
    JoinRate: 100_000,
    MaxGuests: 100_000,
    MaxFileSize: 20_000,
    MaxFiles: 200_000,
  };
  return { ...(Object.fromEntries(defaults) as WebSettings), ...own };
}

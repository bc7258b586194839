import type { Event } from "../../src/contract/events.ts";
import type { Host } from "../../src/contract/host.ts";
import type { ChannelRef, Cursor, FileRef, UserRef } from "../../src/contract/ids.ts";
import type {
  AnyHandlers,
  ChannelRequest,
  Ended,
  Joined,
  Member as ContractMember,
  OpenedFile,
  Session,
} from "../../src/contract/session.ts";
import { changesOn } from "./fake-changes.ts";
import { eventOf } from "./fake-events.ts";
import type { FakeLink } from "./fake-link.ts";
import { deferred, FakePost, type PostRoad } from "./fake-poster.ts";
import type { Happening, Member } from "./fake-room.ts";
import type { Step } from "./fake-script.ts";
import type { FakeServer } from "./fake-server.ts";
import { aborted, FakeTurns } from "./fake-turns.ts";
import { openedOf } from "./shared-file.ts";

/** Events that wait in `accept` when the session stops reading, and when it reads again. */
const PENDING_MAX = 500;
const PENDING_LOW = 250;

/** The adapter's half of the fake network: a session as a careful adapter makes it. */
export class FakeSession implements Session, Member {
  readonly as: string;
  readonly name: string;
  readonly link: FakeLink;
  readonly handlers: AnyHandlers;
  readonly typing = {
    lastsMs: Infinity,
    show: (channel: ChannelRef, on: boolean): void => {
      if (this.#joined.has(channel)) void this.link.ask(() => this.#type(channel, on));
    },
  };
  readonly ended: Promise<Ended>;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #host: Host;
  readonly #server: FakeServer;
  readonly #road: PostRoad;
  readonly #joined = new Set<string>();
  readonly #left = new Set<string>();
  readonly openFile?: NonNullable<Session["openFile"]>;
  readonly #isRich: boolean;
  /** How much of each room's history is handed over. */
  readonly #seen: Map<string, number>;
  #pending = 0;
  #quiet = false;

  constructor(
    name: string,
    link: FakeLink,
    host: Host,
    since: Cursor | null,
    road: Pick<PostRoad, "traits" | "server" | "rate">,
    step: (room: string) => Step,
  ) {
    this.as = name;
    this.name = name;
    this.link = link;
    this.#host = host;
    this.#server = road.server;
    this.#seen = new Map(since === null ? [] : (JSON.parse(since) as [string, number][]));
    const spent = { sinceMs: 0, lines: 0 };
    this.#road = {
      traits: road.traits,
      server: road.server,
      rate: road.rate,
      member: this,
      link,
      clock: host.clock,
      openFile: async (id, signal) => await host.openFile(id, signal),
      turns: new FakeTurns(),
      unanswered: 0,
      onAnswer: new Set(),
      spent,
      closing: false,
    };
    this.ended = this.#ended.promise;
    void link.gone.then(() => this.#server.remove(this));
    void link.cutOff.then(() =>
      this.#over({ cause: "lost", why: { code: "network", message: "the connection broke" } }),
    );
    const post: AnyHandlers["post"] = async (op, attempt) => {
      if (this.#joined.has(op.channel))
        return await new FakePost(this.#road, op.channel, op, attempt, step(op.channel)).run();
      return deferred("not_found", "we are not in this channel");
    };
    this.#isRich = road.traits.ops === "native";
    this.handlers = this.#isRich ? { post, ...changesOn(this.#road) } : { post };
    if (this.#isRich) this.openFile = async (ref) => await this.#openFile(ref);
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (!/^#?[\w-]+$/u.test(name)) return refused("not_found", "a channel's name is letters, digits, _ and -");
    const abort = aborted(signal);
    const asking = this.link.ask(() => {
      const refusal = this.#server.refusals.get(name) ?? null;
      if (refusal === null) this.#enter(name);
      return refusal;
    });
    const answer = await Promise.race([asking, abort.promise]);
    abort.stop();
    if (answer === true) return refused("stopping", "given up");
    if (!answer.ok) return refused("network", "the session is over");
    if (answer.value !== null) return { ok: false, ...answer.value };
    this.#joined.add(name);
    const { without, limits } = this.#road.traits;
    return { ok: true, ref: name as ChannelRef, without, limits };
  }

  async leave(channel: ChannelRef, signal: AbortSignal): Promise<void> {
    const abort = aborted(signal);
    this.#joined.delete(channel);
    this.#left.add(channel);
    this.#seen.delete(channel);
    await Promise.race([this.link.ask(() => this.#server.room(channel).members.delete(this)), abort.promise]);
    abort.stop();
  }

  async members(channel: ChannelRef): Promise<readonly ContractMember[] | null> {
    const asked = await this.link.ask(() => [...this.#server.room(channel).people]);
    if (!asked.ok || !this.#joined.has(channel)) return null;
    return asked.value.map((name) => ({ id: name as UserRef, name, bot: false, present: null }));
  }

  async rooms(): Promise<readonly string[]> {
    const asked = await this.link.ask(() => [...this.#joined]);
    return asked.ok ? asked.value : [];
  }

  /** On the server. What was missed comes before what happens from now on. */
  #enter(name: string): void {
    this.#left.delete(name);
    const room = this.#server.room(name);
    const seen = this.#seen.get(name);
    if (!room.members.has(this) && this.#isRich && seen !== undefined) room.retell(this, seen);
    this.#server.enter(name, this);
    if (!this.#isRich || seen !== undefined) return;
    const { length } = room;
    this.link.tell(() => {
      this.#seen.set(name, length);
      void this.#host.accept({ events: [], cursor: this.#cursor() });
    });
  }

  #type(name: string, on: boolean): void {
    const room = this.#server.room(name);
    if (room.members.has(this)) room.type(this.name, on);
  }

  #cursor(): Cursor | null {
    return this.#isRich ? (JSON.stringify([...this.#seen]) as Cursor) : null;
  }

  async #openFile(ref: FileRef): Promise<OpenedFile> {
    const found = await this.link.ask(() => this.#server.file(ref));
    if (!found.ok) return { ok: false, why: { code: "network", message: "the session is over" } };
    if (found.value === null) return { ok: false, why: { code: "not_found", message: "there is no such file" } };
    return openedOf(found.value.content, found.value.mime);
  }

  quiesce(): Promise<void> {
    this.#quiet = true;
    return Promise.resolve();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#road.closing = true;
    this.#quiet = true;
    const abort = aborted(signal);
    const bye = this.link.ask(() => this.#server.remove(this));
    await Promise.race([bye, abort.promise]);
    abort.stop();
    this.#over({ cause: "asked", why: { code: "stopping", message: "Rialto closed it" } });
    this.link.cut();
  }

  hear(room: string, happening: Happening, nth: number): void {
    if (this.#quiet || this.#left.has(room)) return;
    if (happening.is === "kicked") {
      this.#joined.delete(room);
      const why = { code: "forbidden", message: `kicked by ${happening.by} (${happening.reason})` } as const;
      this.#host.lost(room as ChannelRef, why, 0);
      return;
    }
    this.#seen.set(room, nth + 1);
    const atMs = this.#host.clock.nowMs();
    this.#take(
      eventOf(happening, { channel: room as ChannelRef, isOurs: (by) => this.#server.ours.has(by), atMs, nth }),
    );
  }

  hearTyping(room: string, by: string, on: boolean): void {
    if (this.#quiet || this.#left.has(room) || this.#server.ours.has(by)) return;
    const author = { id: by as UserRef, identity: null, name: by, avatar: null };
    this.#host.hint?.({ kind: "typing", channel: room as ChannelRef, author, on });
  }

  /** Intake is bounded: while too much waits in `accept`, nothing is read. */
  #take(event: Event): void {
    this.#pending += 1;
    if (this.#pending >= PENDING_MAX) this.link.reading(false);
    void this.#host.accept({ events: [event], cursor: this.#cursor() }).then(() => {
      this.#pending -= 1;
      if (this.#pending <= PENDING_LOW) this.link.reading(true);
    });
  }

  #over(ended: Ended): void {
    this.#quiet = true;
    this.#ended.resolve(ended);
  }
}

function refused(code: "not_found" | "stopping" | "network", message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}

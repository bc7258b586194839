import type { Event } from "../../src/contract/events.ts";
import type { Host } from "../../src/contract/host.ts";
import type { ChannelRef, Cursor } from "../../src/contract/ids.ts";
import type { AnyHandlers, ChannelRequest, Ended, Joined, Session } from "../../src/contract/session.ts";
import { aborted } from "./aborted.ts";
import { changesOn } from "./changes.ts";
import { eventOf } from "./events.ts";
import type { Link } from "./link.ts";
import { Poster } from "./poster.ts";
import type { Happening, Listener, Server } from "./server.ts";
import type { Oracle } from "./oracle.ts";

/** The adapter's half of a simulated network, as a careful adapter makes it. */
export class SimSession implements Session, Listener {
  readonly as = "rialto";
  readonly handlers: AnyHandlers;
  readonly ended: Promise<Ended>;
  readonly #ended = Promise.withResolvers<Ended>();
  readonly #host: Host;
  readonly #link: Link;
  readonly #server: Server;
  readonly #oracle: Oracle;
  /** By room: how much of what happened there was handed over. */
  readonly #seen: Map<string, number>;
  readonly #joined = new Set<string>();
  /** Asked for, and not left. */
  readonly #wanted = new Set<string>();
  #quiet = false;

  constructor(host: Host, link: Link, server: Server, oracle: Oracle, since: Cursor | null) {
    this.#host = host;
    this.#link = link;
    this.#server = server;
    this.#oracle = oracle;
    this.#seen = new Map(since === null ? [] : (JSON.parse(since) as [string, number][]));
    this.ended = this.#ended.promise;
    const poster = new Poster({
      host,
      link,
      server,
      oracle,
      session: this,
      isIn: (room) => this.#joined.has(room),
    });
    const post: AnyHandlers["post"] = async (op, attempt) => await poster.post(op, attempt);
    this.handlers = server.traits.rich ? { post, ...changesOn(poster) } : { post };
    link.onCut(() => this.#over({ cause: "lost", why: { code: "network", message: "the connection broke" } }));
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    this.#wanted.add(name);
    const fault = this.#server.joinFaults.shift();
    if (fault !== undefined) this.#oracle.counts.fault(`join ${fault}`);
    if (fault === "throw") throw new Error("simulated: the join throws");
    const given = aborted(signal);
    const swallow = fault === "hang";
    const asking = this.#link.ask(() => this.#enter(name, fault === "banned"), { swallow });
    const answer = await Promise.race([asking, given]);
    if (answer === "aborted") {
      // Nothing but the adapter can know that the connection is dead.
      this.#link.cut();
      return refused("stopping", "given up");
    }
    if (!answer.ok) return refused("network", "the connection broke");
    if (!answer.value) return refused("forbidden", "banned");
    this.#joined.add(name);
    return { ok: true, ref: name as ChannelRef, without: [] };
  }

  async leave(ref: ChannelRef, signal: AbortSignal): Promise<void> {
    const room: string = ref;
    this.#wanted.delete(room);
    this.#joined.delete(room);
    this.#seen.delete(room);
    const leaving = this.#link.ask(() => void this.#server.room(room).members.delete(this));
    await Promise.race([leaving, aborted(signal)]);
    await this.#host.accept({ events: [], cursor: this.#cursor() });
  }

  /** On the server: what was missed comes before what happens from now on. */
  #enter(name: string, isRefused: boolean): boolean {
    const room = this.#server.room(name);
    if (room.banned || isRefused) return false;
    const { history } = this.#server.traits;
    const seen = this.#seen.get(name);
    const isNew = !room.members.has(this);
    room.members.add(this);
    this.#link.onCut(() => room.members.delete(this));
    if (!history || !isNew) return true;
    const from = seen === undefined ? room.happenings.length : Math.max(seen, room.forgottenTo);
    const missed = room.happenings.slice(from);
    if (seen === undefined) {
      this.#link.tell(() => {
        this.#seen.set(name, from);
        // Nobody owes us what came before that is on the disk, or could be told to the session that follows.
        const entered = (): void => {
          if (this.#link.alive && !this.#quiet) this.#oracle.entered(this.#server.traits.name, name, from);
        };
        void this.#host.accept({ events: [], cursor: this.#cursor() }).then(entered);
      });
    }
    for (const happening of missed) this.hear(name, happening);
    return true;
  }

  hear(room: string, happening: Happening): void {
    this.#link.tell(() => {
      if (this.#quiet || !this.#wanted.has(room)) return;
      const times = this.#server.stutters && happening.nth % 3 === 0 && this.#server.traits.history ? 2 : 1;
      if (times > 1) this.#oracle.counts.fault("event twice");
      for (let time = 0; time < times; time += 1) this.#hand(room, happening);
    });
  }

  kick(room: string): void {
    this.#link.tell(() => {
      this.#joined.delete(room);
      if (!this.#quiet) this.#host.lost(room as ChannelRef, { code: "forbidden", message: "kicked" }, 0);
    });
  }

  #hand(room: string, happening: Happening): void {
    this.#seen.set(room, Math.max(this.#seen.get(room) ?? 0, happening.nth + 1));
    const event: Event = eventOf(happening, room as ChannelRef, this.#server.traits.history);
    const net = this.#server.traits.name;
    const over = this.#oracle.handed(net, room, happening);
    void this.#host.accept({ events: [event], cursor: this.#cursor() }).then(([accepted = "ignored"]) => {
      over(accepted, this.#link.alive && !this.#quiet);
    });
  }

  #cursor(): Cursor | null {
    return this.#server.traits.history ? (JSON.stringify([...this.#seen]) as Cursor) : null;
  }

  quiesce(): Promise<void> {
    this.#quiet = true;
    return Promise.resolve();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#quiet = true;
    await Promise.race([this.#link.ask(() => undefined), aborted(signal)]);
    this.#over({ cause: "asked", why: { code: "stopping", message: "Rialto closed it" } });
    this.#link.cut();
  }

  #over(ended: Ended): void {
    this.#quiet = true;
    this.#ended.resolve(ended);
  }
}

function refused(code: "forbidden" | "stopping" | "network", message: string): Joined {
  return { ok: false, why: { code, message }, retryInMs: null };
}

import type { WebSocket } from "ws";
import { newId } from "./wire.ts";
import type { World } from "./world.ts";

/** Whom an event is for: of what is set, all must hold. */
export interface Broadcast {
  readonly omit?: readonly string[];
  readonly user?: string;
  readonly channel?: string;
  readonly team?: string;
  /** Fields that only some users get. */
  readonly only?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Frame {
  readonly seq: number;
  readonly text: string;
}

/** What was written and may be written again. */
const DEAD_QUEUE = 128;
/** What waits for a client that is away. */
const SEND_QUEUE = 256;
/** A client that is away for longer is forgotten. */
const REAP_MS = 5 * 60 * 1000;

/** One client's stream of events, which outlives its socket for a while. */
export class Stream {
  connection = newId();
  readonly user: string;
  readonly token: string;
  socket: WebSocket | null;
  leftAt = 0;
  /** Its session has ended: nothing that happens is told, or kept for later. */
  silent = false;
  /** The number of the next event. */
  #seq = 0;
  #written: Frame[] = [];
  #waiting: ((seq: number) => string)[] = [];

  constructor(user: string, token: string, socket: WebSocket) {
    this.user = user;
    this.token = token;
    this.socket = socket;
  }

  /** False when too much waits. */
  put(event: (seq: number) => string, times: number): boolean {
    if (this.silent) return true;
    for (let time = 0; time < times; time += 1) {
      if (this.socket !== null) this.#write(event);
      else this.#waiting.push(event);
    }
    return this.#waiting.length <= SEND_QUEUE;
  }

  /**
   * The client is back and says which number it expects next. What it lacks is written; where that is no longer known,
   * the stream begins anew under another id.
   */
  resume(socket: WebSocket, expected: number, hello: (connection: string) => (seq: number) => string): void {
    this.socket = socket;
    this.silent = false;
    if (expected > 0) {
      const at = this.#written.findIndex(({ seq }) => seq === expected);
      if (at >= 0) {
        for (const { text } of this.#written.slice(at)) socket.send(text);
      } else if (this.#written.length > 0 && this.#written.at(-1)?.seq !== expected - 1) {
        this.connection = newId();
        this.#written = [];
        this.#seq = 0;
        this.#write(hello(this.connection));
      } else {
        this.#seq = expected;
      }
    } else {
      this.#seq = 0;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.#write(event);
  }

  #write(event: (seq: number) => string): void {
    const frame = { seq: this.#seq, text: event(this.#seq) };
    this.#seq += 1;
    this.#written.push(frame);
    if (this.#written.length > DEAD_QUEUE) this.#written.shift();
    this.socket?.send(frame.text);
  }
}

/** All streams of events. Forgets everything when the server starts again. */
export class Hub {
  readonly #world: World;
  readonly streams = new Set<Stream>();
  /** Events come as often as this. */
  times = 1;
  /** Nobody may go on with an old stream. */
  refuseResume = false;
  /** Names of events that are not sent, as a server under load drops them. */
  readonly dropped = new Set<string>();
  /** Users without a client who hear of what concerns them. */
  readonly #watchers = new Map<string, (event: string, data: Readonly<Record<string, unknown>>) => void>();

  constructor(world: World) {
    this.#world = world;
  }

  publish(event: string, data: Readonly<Record<string, unknown>>, to: Broadcast): void {
    if (this.dropped.has(event)) return;
    const broadcast = {
      omit_users: to.omit === undefined ? null : Object.fromEntries(to.omit.map((user) => [user, true])),
      user_id: to.user ?? "",
      channel_id: to.channel ?? "",
      team_id: to.team ?? "",
      connection_id: "",
      omit_connection_id: "",
    };
    for (const [user, hear] of this.#watchers) if (this.#concerns({ user }, to)) hear(event, data);
    for (const stream of this.streams) {
      if (!this.#concerns(stream, to)) continue;
      const all = { ...data, ...to.only?.[stream.user] };
      const put = stream.put((seq) => JSON.stringify({ event, data: all, broadcast, seq }), this.times);
      if (!put) this.streams.delete(stream);
    }
  }

  watch(user: string, hear: (event: string, data: Readonly<Record<string, unknown>>) => void): void {
    this.#watchers.set(user, hear);
  }

  /** A socket that has shown a session; with an old stream's id it may go on with that. */
  connect(socket: WebSocket, user: string, token: string, old?: { connection: string; expected: number }): Stream {
    this.#reap();
    const resumed = old === undefined || this.refuseResume ? undefined : this.#away(user, old.connection);
    if (resumed !== undefined && old !== undefined) {
      resumed.resume(socket, old.expected, (connection) => this.#hello(user, connection));
      return resumed;
    }
    const stream = new Stream(user, token, socket);
    this.streams.add(stream);
    stream.put(this.#hello(user, stream.connection), 1);
    return stream;
  }

  /** The socket is gone; the stream stays. */
  left(stream: Stream, socket: WebSocket): void {
    if (stream.socket !== socket) return;
    stream.socket = null;
    stream.leftAt = this.#world.now();
    if (this.#world.major < 6) this.streams.delete(stream);
  }

  /** Closes what was opened with this token. */
  revoke(token: string): void {
    for (const stream of this.streams) {
      if (stream.token !== token) continue;
      this.streams.delete(stream);
      stream.socket?.terminate();
    }
  }

  /** The session of this token has ended: its streams stay, and hear nothing. */
  silence(token: string): void {
    for (const stream of this.streams) if (stream.token === token) stream.silent = true;
  }

  forget(): void {
    for (const { socket } of this.streams) socket?.terminate();
    this.streams.clear();
  }

  /** Only a stream whose socket the server knows to be gone can be had again. */
  #away(user: string, connection: string): Stream | undefined {
    return [...this.streams].find(
      (stream) => stream.connection === connection && stream.user === user && stream.socket === null,
    );
  }

  #reap(): void {
    for (const stream of this.streams) {
      if (stream.socket === null && this.#world.now() - stream.leftAt > REAP_MS) this.streams.delete(stream);
    }
  }

  #hello(user: string, connection: string): (seq: number) => string {
    const { version } = this.#world.config;
    const data = {
      server_version: `${version}.${version}.8f2e6e4cbd4a3c8ea0cd3c2b.false`,
      ...(this.#world.major >= 6 && { connection_id: connection, server_hostname: "fake" }),
    };
    const broadcast = {
      omit_users: null,
      user_id: user,
      channel_id: "",
      team_id: "",
      connection_id: "",
      omit_connection_id: "",
    };
    return (seq) => JSON.stringify({ event: "hello", data, broadcast, seq });
  }

  #concerns({ user }: Pick<Stream, "user">, to: Broadcast): boolean {
    if (to.user !== undefined) return user === to.user;
    if (to.omit?.includes(user) === true) return false;
    if (to.channel !== undefined) return this.#world.isIn(to.channel, user);
    if (to.team !== undefined) return this.#world.isIn(to.team, user);
    return true;
  }
}

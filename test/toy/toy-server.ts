import { createServer, type Server, type Socket } from "node:net";

export interface ToyMember {
  readonly id: string;
  readonly name: string;
}

type ToyStyle = "normal" | "action" | "notice";

export interface ToyMessage {
  readonly id: string;
  readonly by: ToyMember;
  readonly style: ToyStyle;
  readonly reply: string | null;
  readonly reactions: Map<string, Set<string>>;
  text: string;
  gone: boolean;
}

interface Room {
  /** Everybody in it: people by their id, programs by their connection. */
  readonly inside: Map<string, { readonly member: ToyMember; readonly push: (line: object) => void }>;
  readonly messages: ToyMessage[];
  topic: string;
}

interface Answer {
  readonly id?: string;
  readonly error?: string;
}

interface Happening {
  readonly event: string;
  readonly by: ToyMember;
  readonly id?: string;
  readonly [more: string]: unknown;
}

/** What a member wants done; also the shape of a line from a program, which has `n`, its number, beside it. */
export interface ToyRequest {
  readonly do: string;
  readonly n?: number;
  readonly token?: string;
  readonly name?: string;
  readonly room?: string;
  readonly text?: string;
  readonly style?: ToyStyle;
  readonly reply?: string | null;
  readonly key?: string;
  readonly id?: string;
  readonly emoji?: string;
  readonly on?: boolean;
}

const CLOSED = "closed";
const TEXT_MAX = 400;

/**
 * A small chat network. Programs speak newline-delimited JSON to it over TCP: each request has a number `n`, each
 * answer names it in `re` and holds `error` when it failed; what happens in a room is pushed as lines with `event`.
 * People are calls of `act`, without a socket.
 */
export class ToyServer {
  readonly token = "open-sesame";
  readonly #rooms = new Map<string, Room>();
  /** Message ids by the key of who said them: said again, they are not said twice. */
  readonly #keys = new Map<string, string>();
  readonly #connections = new Set<Connection>();
  readonly #tcp: Server = createServer({ noDelay: true }, (socket) => this.#greet(socket));
  #stalled = false;
  #count = 0;

  async listen(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tcp.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = this.#tcp.address();
    if (address === null || typeof address === "string") throw new Error("the toy server has no port");
    return address.port;
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tcp.close(() => resolve());
    this.cut();
    await promise;
  }

  cut(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  /** Takes no byte and says nothing, until the function it gives is called. */
  stall(): () => void {
    this.#stalled = true;
    for (const connection of this.#connections) connection.stall();
    return () => {
      this.#stalled = false;
      for (const connection of this.#connections) connection.flow();
    };
  }

  /** All messages that were ever said there, those taken back among them. */
  messages(room: string): readonly ToyMessage[] {
    return this.#room(room).messages;
  }

  topic(room: string): string {
    return this.#room(room).topic;
  }

  members(room: string): readonly ToyMember[] {
    return Array.from(this.#room(room).inside.values(), ({ member }) => member);
  }

  enter(name: string, seat: string, member: ToyMember, push: (line: object) => void = () => undefined): Answer {
    if (name === CLOSED || !/^[a-z]+$/.test(name)) return { error: "no-entry" };
    const { inside } = this.#room(name);
    if (inside.has(seat)) return {};
    inside.set(seat, { member, push });
    return this.#tell(name, { event: "join", by: member });
  }

  leave(name: string, seat: string, reason: string): void {
    const gone = this.#room(name).inside.get(seat);
    this.#room(name).inside.delete(seat);
    if (gone !== undefined) this.#tell(name, { event: "leave", by: gone.member, reason });
  }

  kick(name: string, who: string, by: ToyMember, reason: string): void {
    for (const [seat, { member }] of this.#room(name).inside) {
      if (member.name !== who) continue;
      this.#tell(name, { event: "kick", by, who: member, reason });
      this.#room(name).inside.delete(seat);
    }
  }

  /** A person who sits under its own id in each room takes another name. */
  rename(before: ToyMember, after: ToyMember): void {
    for (const [name, { inside }] of this.#rooms) {
      const seat = inside.get(before.id);
      if (seat === undefined) continue;
      inside.set(before.id, { ...seat, member: after });
      this.#tell(name, { event: "rename", by: after, before: before.name });
    }
  }

  /** Does what a member in the room wants; the answer has `error` when it cannot be. */
  act(seat: string, by: ToyMember, request: ToyRequest): Answer {
    const { room = "", text = "", reply = null, style = "normal", emoji = "", on = true, key } = request;
    if (!this.#room(room).inside.has(seat)) return { error: "not-here" };
    if (request.do === "say") {
      const known = key === undefined ? undefined : this.#keys.get(`${by.id} ${key}`);
      if (known !== undefined) return { id: known };
      if (text === "" || Array.from(text).length > TEXT_MAX) return { error: "bad-text" };
      const id = `m${this.#next()}`;
      if (key !== undefined) this.#keys.set(`${by.id} ${key}`, id);
      this.#room(room).messages.push({ id, by, text, style, reply, reactions: new Map(), gone: false });
      return this.#tell(room, { event: "say", by, id, text, style, reply });
    }
    if (request.do === "topic") {
      if (this.#room(room).topic === text) return {};
      this.#room(room).topic = text;
      return this.#tell(room, { event: "topic", by, text });
    }
    const message = this.#room(room).messages.find(({ id, gone }) => id === request.id && !gone);
    if (message === undefined) return { error: "no-message" };
    const { id } = message;
    if (request.do === "react") {
      const whose = message.reactions.get(emoji) ?? new Set<string>();
      message.reactions.set(emoji, whose);
      if (whose.has(by.id) === on) return { id };
      if (on) whose.add(by.id);
      else whose.delete(by.id);
      return this.#tell(room, { event: "react", by, id, emoji, on });
    }
    if (message.by.id !== by.id) return { error: "not-yours" };
    if (request.do === "delete") {
      message.gone = true;
      return this.#tell(room, { event: "delete", by, id });
    }
    if (text === "" || Array.from(text).length > TEXT_MAX) return { error: "bad-text" };
    message.text = text;
    return this.#tell(room, { event: "edit", by, id, text });
  }

  #greet(socket: Socket): void {
    const seat = `c${this.#next()}`;
    let member: ToyMember | null = null;
    const connection = new Connection(socket, (request) => {
      const { n, name = "", room = "" } = request;
      if (request.do === "login" && request.token === this.token) member = { id: `bot-${name}`, name };
      if (member === null) return connection.push({ re: n, error: "bad-token" });
      if (request.do === "login") return connection.push({ re: n, id: member.id });
      if (request.do === "ping") return connection.push({ re: n });
      const push = (line: object): void => connection.push(line);
      const answer = request.do === "join" ? this.enter(room, seat, member, push) : this.act(seat, member, request);
      connection.push({ re: n, ...answer });
    });
    if (this.#stalled) connection.stall();
    this.#connections.add(connection);
    socket.on("close", () => {
      this.#connections.delete(connection);
      for (const name of this.#rooms.keys()) this.leave(name, seat, "connection closed");
    });
  }

  #tell(name: string, what: Happening): Answer {
    const line = { ...what, room: name, at: Date.now(), number: this.#next() };
    for (const { push } of this.#room(name).inside.values()) push(line);
    return what.id === undefined ? {} : { id: what.id };
  }

  #room(name: string): Room {
    const room = this.#rooms.get(name) ?? { inside: new Map(), messages: [], topic: "" };
    this.#rooms.set(name, room);
    return room;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}

/** One program's socket. Everything that it is told while stalled waits. */
class Connection {
  readonly socket: Socket;
  #waiting: string[] | null = null;

  constructor(socket: Socket, take: (request: ToyRequest) => void) {
    this.socket = socket;
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (data: string) => {
      const lines = (rest + data).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(JSON.parse(line) as ToyRequest);
    });
    socket.on("error", () => socket.destroy());
  }

  push(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    if (this.#waiting !== null) this.#waiting.push(text);
    else if (this.socket.writable) this.socket.write(text);
  }

  stall(): void {
    this.#waiting ??= [];
    this.socket.pause();
  }

  flow(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const text of waiting) if (this.socket.writable) this.socket.write(text);
    this.socket.resume();
  }
}

import net, { type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Address } from "../lib/address.ts";
import type { Descriptors } from "../lib/descriptors.ts";
import { Server } from "../lib/node-http.ts";
import { explainListenError, listenAt } from "./listen.ts";
import { socketsLooked } from "./looked.ts";
import { refuse, REQUEST_LIMITS } from "./refusal.ts";

/** Most connections of an address. */
const CONNECTIONS = 20_000;
/** So long a request may take to come in that is refused, and its answer to be taken, in ms. */
const REFUSAL_MS = 10_000;
/** Silence after which the kernel asks whether the client is still there. */
const PROBE_MS = 60_000;
/** How often those that wait ask again, in ms, and how many of them: where one gets through, all others do. */
const AGAIN_MS = 100;
const ASKING = 16;
/** So many looks of AGAIN_MS, 4 s, one waits. No time counts: this process may stand still. */
const LOOKS = 40;
const REFUSAL = "no node of Rialto runs this account at the moment; try again";

/** A connection to the node that answers. It emits `connect` when that has taken it on, and `close` like a socket. */
interface Way extends Duplex {
  /** The client's system has taken so many bytes of what it brought, or its end (0): until then that is not done. */
  taken(bytes: number): void;
}

interface Client {
  readonly address: string;
  readonly port: number;
}

export interface Forwarder {
  /** Where it listens. */
  readonly address: { readonly host: string; readonly port: number };
  /** Another may answer now: those that wait ask again. */
  again(): void;
  /** Others can listen there. Ends all connections but those that were taken. */
  close(): void;
}

interface ForwardOptions {
  readonly address: Address;
  /** Takes a connection, of which nothing was read, where this node runs the account. False: it does not. */
  readonly take: (socket: Socket) => boolean;
  /** The way to the node that runs the account now; null: nobody does. */
  readonly open: (client: Client) => Way | null;
  readonly descriptors: Descriptors;
  /** Only for tests. */
  readonly connections?: number;
}

/**
 * Listens at the address of an account that one of several nodes runs: each connection is taken here, or goes there as
 * it is. It waits where nobody takes it, and its request is answered 503 in the end. Rejects with an error for people
 * when it cannot listen.
 */
export async function openForwarder(options: ForwardOptions): Promise<Forwarder> {
  const { descriptors, connections = CONNECTIONS } = options;
  const sockets = new Set<Socket>();
  const hold = (socket: Socket): boolean => {
    if (sockets.size >= connections || !descriptors.take(1)) return false;
    sockets.add(socket);
    return true;
  };
  const letGo = (socket: Socket): void => {
    if (sockets.delete(socket)) descriptors.give(1);
  };
  const take = (socket: Socket): boolean => {
    // Who takes it counts it.
    letGo(socket);
    if (options.take(socket)) socket.resume();
    else if (hold(socket)) return false;
    else socket.destroy();
    return true;
  };
  const refusing = new Server(REQUEST_LIMITS, (_request, response) => refuse(response, REFUSAL));
  const waiting = new Waiting({ take, open: options.open, refuse: (socket) => answer(refusing, socket) });
  const settings = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
  const server = net.createServer({ ...settings, keepAlive: true, keepAliveInitialDelay: PROBE_MS });
  server.on("connection", (socket) => {
    // An error that nobody hears is thrown; the close that follows says it too.
    socket.on("error", () => undefined);
    if (!hold(socket)) return void socket.destroy();
    socket.once("close", () => letGo(socket));
    waiting.add(socket);
  });
  try {
    await listenAt(options.address, (host, port) => bind(server, host, port));
  } catch (error) {
    throw new Error(explainListenError(error), { cause: error });
  }
  // A connection that the system does not let us accept.
  server.on("error", () => descriptors.failed());
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server listens nowhere");
  return {
    address: { host: bound.address, port: bound.port },
    again: () => waiting.again(),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Waiter {
  /** Under way to the node that runs the account; null: there was none. */
  way: Way | null;
  looks: number;
}

interface WaitingOptions extends Pick<ForwardOptions, "take" | "open"> {
  readonly refuse: (socket: Socket) => void;
}

/** Connections that nobody has taken yet. Nothing of them is read: a node that takes one needs the whole request. */
class Waiting {
  readonly #options: WaitingOptions;
  /** The one that waits for longest is the first. */
  readonly #all = new Map<Socket, Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  add(socket: Socket): void {
    const waiter: Waiter = { way: null, looks: 0 };
    this.#all.set(socket, waiter);
    this.#timer ??= setInterval(() => this.#look(), AGAIN_MS);
    socket.once("close", (isBroken) => {
      this.#leave(socket);
      waiter.way?.destroy(isBroken ? new Error("the client broke off") : undefined);
    });
    this.#ask(socket, waiter);
  }

  /** See Forwarder. */
  again(): void {
    for (const [socket, waiter] of this.#all) {
      abandon(waiter);
      this.#ask(socket, waiter);
    }
  }

  #look(): void {
    let asking = ASKING;
    for (const [socket, waiter] of this.#all) {
      waiter.looks += 1;
      if (waiter.looks >= LOOKS) {
        this.#leave(socket);
        abandon(waiter);
        this.#options.refuse(socket);
      } else if (waiter.way === null && asking > 0) {
        this.#ask(socket, waiter);
        if (this.#all.has(socket)) asking -= 1;
      }
    }
  }

  #ask(socket: Socket, waiter: Waiter): void {
    if (this.#options.take(socket)) return this.#leave(socket);
    const way = this.#options.open({ address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 });
    waiter.way = way;
    way?.once("close", () => {
      if (waiter.way === way) waiter.way = null;
    });
    way?.once("connect", () => {
      if (waiter.way !== way) return;
      this.#leave(socket);
      join(socket, way);
      for (const [other, its] of this.#all) if (its.way === null) this.#ask(other, its);
    });
  }

  #leave(socket: Socket): void {
    this.#all.delete(socket);
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function abandon(waiter: Waiter): void {
  const { way } = waiter;
  waiter.way = null;
  way?.destroy();
}

function join(socket: Socket, way: Way): void {
  void give(way, socket);
  // All that the other node has said and knows as taken is with the system.
  way.on("close", (isBroken: boolean) => (isBroken ? socket.resetAndDestroy() : socket.destroy()));
  way.on("drain", () => socket.resume());
  socket.on("data", (part) => {
    if (!way.write(part)) socket.pause();
  });
  socket.on("end", () => way.end());
  socket.resume();
}

/** Gives the client what comes for it. Never rejects: `close` of the way says that it broke. */
async function give(way: Way, socket: Socket): Promise<void> {
  try {
    // Its end is not the end of what the client has still to take.
    for await (const part of way.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await socketsLooked();
      if (!socket.readableEnded) socket.write(part, (error) => error ?? way.taken(part.length));
      // Who has closed by now may be gone: the system would take it, and nobody read it.
      else if (socket.writable) socket.end(part);
    }
    // When the client is gone already, this fails, and the other node learns that what it said last was not read.
    socket.end((error?: Error | null) => error ?? way.taken(0));
  } catch {
    // As above.
  }
}

/** Reads the request, and answers that nobody takes it. */
function answer(refusing: InstanceType<typeof Server>, socket: Socket): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.once("close", () => clearTimeout(timer));
  refusing.emit("connection", socket);
  socket.resume();
}

function bind(server: net.Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

import net, { type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Address } from "../lib/address.ts";
import type { Descriptors } from "../lib/descriptors.ts";
import { Server } from "../lib/node-http.ts";
import { explainListenError, listenAt } from "./listen.ts";
import { refuse, REQUEST_LIMITS } from "./refusal.ts";

/** Most connections of an address. */
const CONNECTIONS = 20_000;
/** So long a request may take to come in that is refused, and its answer to be taken, in ms. */
const REFUSAL_MS = 10_000;
/** Silence after which the kernel asks whether the client is still there. */
const PROBE_MS = 60_000;
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
  /** Stops listening and ends all connections; resolves when others can listen there. */
  close(): Promise<void>;
}

interface ForwardOptions {
  readonly address: Address;
  /** The way to the node that runs the account now; null: nobody does. */
  readonly open: (client: Client) => Way | null;
  readonly descriptors: Descriptors;
  /** Only for tests. */
  readonly connections?: number;
}

/**
 * Listens at the address of an account that another node runs: each connection goes there as it is. Where there is no
 * way, its request is answered 503. Rejects with an error for people when it cannot listen.
 */
export async function openForwarder(options: ForwardOptions): Promise<Forwarder> {
  const { descriptors } = options;
  const sockets = new Set<Socket>();
  const refusing = new Server(REQUEST_LIMITS, (_request, response) => refuse(response, REFUSAL));
  const settings = { allowHalfOpen: true, pauseOnConnect: true, noDelay: true };
  const server = net.createServer({ ...settings, keepAlive: true, keepAliveInitialDelay: PROBE_MS });
  server.maxConnections = options.connections ?? CONNECTIONS;
  server.on("connection", (socket) => {
    // An error that nobody hears is thrown; the close that follows says it too.
    socket.on("error", () => undefined);
    if (!descriptors.take(1)) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      descriptors.give(1);
    });
    begin(socket, options.open, () => answer(refusing, socket));
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
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Nothing of the client is read before there is a way: a refusal needs the whole request. */
function begin(socket: Socket, open: ForwardOptions["open"], refused: () => void): void {
  const way = open({ address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 });
  if (way === null) return refused();
  way.once("close", refused);
  socket.once("close", (isBroken) => (isBroken ? way.destroy(new Error("the client broke off")) : way.destroy()));
  way.once("connect", () => {
    way.off("close", refused);
    join(socket, way);
  });
}

function join(socket: Socket, way: Way): void {
  way.on("data", (part: Buffer) => {
    socket.write(part, (error) => error ?? way.taken(part.length));
  });
  // When the client is gone already, this fails, and the other node learns that what it said last was not read.
  way.on("end", () => socket.end((error?: Error | null) => error ?? way.taken(0)));
  // All that the other node has said and knows as taken is with the system.
  way.on("close", (isBroken: boolean) => (isBroken ? socket.resetAndDestroy() : socket.destroy()));
  way.on("drain", () => socket.resume());
  socket.on("data", (part) => {
    if (!way.write(part)) socket.pause();
  });
  socket.on("end", () => way.end());
  socket.resume();
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

import { once } from "node:events";
import net from "node:net";

/** How bytes pass: at once, one by one, or each a while after it came. */
type Pace = "swift" | "trickle" | "late";

/** How much later bytes come when they come late. */
const LATE_MS = 300;

/** A TCP proxy on loopback between a client and a server, at whose mercy both are. */
export interface Proxy {
  readonly port: number;
  /** How many connections it has carried. */
  readonly carried: number;
  /** Breaks every connection that there is. */
  readonly cut: () => void;
  /** Breaks every connection with a reset, on both sides. */
  readonly reset: () => void;
  /** Tells every client that the server has nothing more to say; what the client says still arrives. */
  readonly halfClose: () => void;
  /** Lets no byte through, either way, on any connection; they stay open. */
  readonly stall: () => void;
  readonly flow: () => void;
  readonly pace: (pace: Pace) => void;
  /** While it is shut, whoever connects is thrown out at once. */
  readonly shut: () => void;
  readonly open: () => void;
  /**
   * While there is such a text, whoever connects and says anything is answered with it, and thrown out; null: nobody.
   */
  readonly answer: (text: string | null) => void;
  readonly stop: () => Promise<void>;
}

/** What holds for all connections at this moment. */
interface Weather {
  stalled: boolean;
  pace: Pace;
}

export async function startProxy(target: number): Promise<Proxy> {
  const weather: Weather = { stalled: false, pace: "swift" };
  const clients = new Set<net.Socket>();
  const sockets = new Set<net.Socket>();
  let closed = false;
  let instead: string | null = null;
  let carried = 0;
  const server = net.createServer((client) => {
    if (closed || instead !== null) {
      turnAway(client, closed ? null : instead);
      return;
    }
    carried += 1;
    const upstream = net.connect({ host: "127.0.0.1", port: target });
    clients.add(client);
    client.on("close", () => clients.delete(client));
    for (const [socket, peer] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      carry(socket, peer, weather);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const all = (what: (socket: net.Socket) => void): void => {
    for (const socket of sockets) what(socket);
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    get carried() {
      return carried;
    },
    cut: () => all((socket) => socket.destroy()),
    reset: () => all((socket) => socket.resetAndDestroy()),
    halfClose: () => {
      for (const client of clients) client.end();
    },
    stall: () => {
      weather.stalled = true;
      all((socket) => socket.pause());
    },
    flow: () => {
      weather.stalled = false;
      all((socket) => socket.resume());
    },
    pace: (pace) => {
      weather.pace = pace;
    },
    shut: () => {
      closed = true;
    },
    open: () => {
      closed = false;
    },
    answer: (text) => {
      instead = text;
    },
    stop: async () => {
      server.close();
      all((socket) => socket.destroy());
      if (server.listening) await once(server, "close");
    },
  };
}

function turnAway(client: net.Socket, words: string | null): void {
  client.on("error", () => {});
  if (words === null) client.destroy();
  else client.once("data", () => client.end(words));
}

/** What comes out of one socket goes into the other, in order, and so does its end. */
function carry(socket: net.Socket, peer: net.Socket, weather: Weather): void {
  socket.setNoDelay(true);
  /** The part that is still on its way. */
  let passing: Promise<void> | null = null;
  const afterwards = (what: () => void): void => void (passing === null ? what() : passing.then(what));
  const resume = (): void => {
    if (!weather.stalled) socket.resume();
  };
  socket.on("data", (part: Buffer) => {
    if (passing === null && weather.pace === "swift") {
      if (peer.writable && !peer.write(part)) socket.pause();
      return;
    }
    socket.pause();
    const mine = (passing ?? Promise.resolve()).then(async () => {
      await passSlowly(part, peer, weather);
      if (passing === mine) passing = null;
      resume();
    });
    passing = mine;
  });
  peer.on("drain", resume);
  socket.on("end", () => afterwards(() => peer.end()));
  socket.on("error", () => peer.destroy());
  socket.on("close", () => afterwards(() => peer.destroySoon()));
  if (weather.stalled) socket.pause();
}

async function passSlowly(part: Buffer, peer: net.Socket, weather: Weather): Promise<void> {
  if (weather.pace === "late") await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  let at = 0;
  for (; at < part.length && weather.pace === "trickle" && peer.writable; at += 1) {
    peer.write(part.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (peer.writable) peer.write(part.subarray(at));
}

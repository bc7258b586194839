import { once } from "node:events";
import net from "node:net";

/** A TCP proxy on loopback between a client and a server, at whose mercy both are. */
export interface Proxy {
  readonly port: number;
  /** How many connections it has carried. */
  readonly carried: number;
  /** Breaks every connection that there is. */
  readonly cut: () => void;
  /** Lets no byte through, either way, on any connection; they stay open. */
  readonly stall: () => void;
  readonly flow: () => void;
  /** While it is shut, whoever connects is thrown out at once. */
  readonly shut: () => void;
  readonly open: () => void;
  readonly stop: () => Promise<void>;
}

export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<net.Socket>();
  let stalled = false;
  let closed = false;
  let carried = 0;
  const add = (socket: net.Socket, peer: net.Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("data", (part) => {
      if (!peer.write(part)) socket.pause();
    });
    peer.on("drain", () => {
      if (!stalled) socket.resume();
    });
    socket.on("end", () => peer.end());
    socket.on("error", () => peer.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      peer.destroySoon();
    });
    if (stalled) socket.pause();
  };
  const server = net.createServer((client) => {
    if (closed) {
      client.on("error", () => {});
      client.destroy();
      return;
    }
    carried += 1;
    const upstream = net.connect({ host: "127.0.0.1", port: target });
    add(client, upstream);
    add(upstream, client);
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
    stall: () => {
      stalled = true;
      all((socket) => socket.pause());
    },
    flow: () => {
      stalled = false;
      all((socket) => socket.resume());
    },
    shut: () => {
      closed = true;
    },
    open: () => {
      closed = false;
    },
    stop: async () => {
      server.close();
      all((socket) => socket.destroy());
      if (server.listening) await once(server, "close");
    },
  };
}

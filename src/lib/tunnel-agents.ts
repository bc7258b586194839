import type http from "node:http";
import https from "node:https";
import { Duplex } from "node:stream";
import { Agent } from "./node-http.ts";
import { openTunnel, type ProxyServer } from "./proxy.ts";

type Give = (error: Error | null, socket: Duplex) => void;
/** What Node says of the server, beside what it knows of TLS. */
type Wanted = https.RequestOptions & { readonly highWaterMark?: number };

/** For requests without TLS, each through a tunnel. */
export class TunnelAgent extends Agent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer, options: http.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(wanted: Wanted, give?: Give): undefined {
    void tunnelFor(this.#proxy, wanted).then((socket) => give?.(null, socket), failing(give));
  }
}

/** For requests with TLS, which goes through the tunnel under the server's own name. */
export class SecureTunnelAgent extends https.Agent {
  readonly #proxy: ProxyServer;

  constructor(proxy: ProxyServer, options: https.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(wanted: Wanted, give?: Give): undefined {
    const secured = async (): Promise<void> => {
      const plain = await tunnelFor(this.#proxy, wanted);
      const socket = super.createConnection({ ...wanted, socket: plain } as Wanted);
      if (socket === null || socket === undefined) throw new Error("Node opens no TLS");
      // A request counts as begun once it has its socket.
      socket.once("secureConnect", () => give?.(null, socket));
      socket.once("error", failing(give));
      plain.once("close", () => failing(give)(new Error("the connection was closed")));
    };
    void secured().catch(failing(give));
  }
}

const failing =
  (give: Give | undefined) =>
  (error: Error): void =>
    give?.(error, new Duplex());

async function tunnelFor(proxy: ProxyServer, { host, port, highWaterMark = 0 }: Wanted): Promise<Duplex> {
  const place = { host: (host ?? "").replaceAll(/^\[|\]$/gu, ""), port: Number(port) };
  return await openTunnel({ proxy, ...place, highWaterMark });
}

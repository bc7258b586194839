import type { RequestListener, Server as HttpServer } from "node:http";
import { explainListenError, listenAt } from "./listen.ts";
import { listenOnSocket } from "./admin/socket.ts";
import { answerAndClose, refuse, REQUEST_LIMITS } from "./refusal.ts";
import type { Address } from "../lib/address.ts";
import { Server } from "../lib/node-http.ts";

/** Most connections of an address of a standby. */
const CONNECTIONS = 1000;
const REFUSAL =
  "this node of Rialto is a standby and takes nothing; another one does: try it, or try again in a moment";

/** What a node answers that waits: that it does. */
export interface StandbyDoors {
  close(): Promise<void>;
}

/** Rejects with an error for people when an address cannot be had; nothing is left open then. */
export async function openStandbyDoors(options: {
  readonly dataPath: string;
  /** Of the API accounts. */
  readonly apis: readonly Address[];
  /** `AdminBindAddress`; null: there is none. */
  readonly admin: Address | null;
  /** The status as JSON, for the commands. */
  readonly status: () => string;
}): Promise<StandbyDoors> {
  const servers: HttpServer[] = [];
  const open = (answer: RequestListener): HttpServer => {
    const server = new Server(REQUEST_LIMITS, answer);
    server.maxConnections = CONNECTIONS;
    servers.push(server);
    return server;
  };
  let remove = (): void => undefined;
  const close = async (): Promise<void> => {
    remove();
    await Promise.all(
      servers.map(async (server) => {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      }),
    );
  };
  try {
    const local = open((request, response) => {
      if (request.method === "GET" && request.url === "/api/v1/status")
        return answerAndClose(response, 200, options.status());
      return refuse(response, REFUSAL);
    });
    remove = await listenOnSocket(options.dataPath, (path) => bind(local, path));
    for (const address of options.apis) {
      const server = open((_request, response) => refuse(response, REFUSAL));
      await listenAt(address, (host, port) => bind(server, { host, port }));
    }
    if (options.admin !== null) {
      const server = open((request, response) => {
        // It lives; it is not ready.
        if (request.url === "/healthz") return answerAndClose(response, 200, "ok\n", "text/plain; charset=utf-8");
        return refuse(response, REFUSAL);
      });
      await listenAt(options.admin, (host, port) => bind(server, { host, port }));
    }
  } catch (error) {
    await close();
    throw new Error(explainListenError(error), { cause: error });
  }
  return { close };
}

function bind(server: HttpServer, to: string | { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const done = (): void => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    };
    if (typeof to === "string") server.listen(to, done);
    else server.listen(to.port, to.host, done);
  });
}

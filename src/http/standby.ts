import type { RequestListener, Server as HttpServer, ServerResponse } from "node:http";
import { explainListenError, listenAt } from "./listen.ts";
import { listenOnSocket } from "./admin/socket.ts";
import { problemBody } from "./api/problem.ts";
import { JSON_TYPE } from "./answers.ts";
import type { Address } from "../lib/address.ts";
import { Server } from "../lib/node-http.ts";

/** Most connections of an address of a standby. */
const CONNECTIONS = 1000;
/** So long a request may take to come in, in ms. */
const REQUEST_MS = 10_000;
/** When a client should try again, in s. */
const RETRY_S = "2";
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
    const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 };
    const server = new Server(limits, answer);
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
      if (request.method === "GET" && request.url === "/api/v1/status") return answer(response, 200, options.status());
      return refuse(response);
    });
    remove = await listenOnSocket(options.dataPath, (path) => bind(local, path));
    for (const address of options.apis) {
      const server = open((_request, response) => refuse(response));
      await listenAt(address, (host, port) => bind(server, { host, port }));
    }
    if (options.admin !== null) {
      const server = open((request, response) => {
        // It lives; it is not ready.
        if (request.url === "/healthz") return answer(response, 200, "ok\n", "text/plain; charset=utf-8");
        return refuse(response);
      });
      await listenAt(options.admin, (host, port) => bind(server, { host, port }));
    }
  } catch (error) {
    await close();
    throw new Error(explainListenError(error), { cause: error });
  }
  return { close };
}

function refuse(response: ServerResponse): void {
  response.setHeader("Retry-After", RETRY_S);
  answer(response, 503, problemBody(REFUSAL));
}

/** The connection ends with it, so that the next request may find another node. */
function answer(response: ServerResponse, status: number, body: string, type = JSON_TYPE): void {
  response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store", Connection: "close" }).end(body);
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

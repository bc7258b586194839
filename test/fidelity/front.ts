import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (response: ServerResponse) => void;

/** Stands before an HTTP server and answers some paths in its place. */
export interface Front {
  readonly port: number;
  /** What is answered to a path that ends so. */
  readonly instead: Map<string, Answer>;
  readonly stop: () => Promise<void>;
}

export async function startFront(target: number): Promise<Front> {
  const instead = new Map<string, Answer>();
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? "").replace(/\?.*$/u, "");
    const own = [...instead].find(([end]) => path.endsWith(end))?.[1];
    if (own === undefined) forward(incoming, response, target);
    else own(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    instead,
    stop: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

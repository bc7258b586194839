import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import type { Duplex } from "node:stream";
import { afterEach } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { Http } from "./http.ts";

const servers: http.Server[] = [];
const clients: Http[] = [];
afterEach(() => {
  for (const one of clients.splice(0)) one.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A web server of this test, and its address. `upgrade`: for requests to become something else. */
export async function served(
  answer: http.RequestListener,
  upgrade?: (request: http.IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<URL> {
  const server = http.createServer(answer);
  servers.push(server);
  if (upgrade !== undefined) server.on("upgrade", upgrade);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return new URL(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`);
}

/** Requests of this test, on the system's time. */
export function ownHttp(clock = new RecordingHost().clock): Http {
  const one = new Http(clock);
  clients.push(one);
  return one;
}

export const never = new AbortController().signal;

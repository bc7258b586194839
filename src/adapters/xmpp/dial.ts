import type { Socket } from "node:net";
import type { Clock } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import type { ProxyServer } from "../../lib/proxy.ts";
import { dial } from "../kit/dial.ts";
import { lost, misconfigured, placeName, type ServerPlace } from "../kit/ends.ts";
import { SocketReader } from "../kit/socket-reader.ts";
import { notConnected } from "./ends.ts";
import { streamHeader } from "./header.ts";
import { NS } from "./ns.ts";
import { BoundedParser } from "./parser.ts";
import { child, el, type Stanza } from "./xml.ts";

const TIMEOUT_MS = 30_000;

export interface XmppEndpoint extends ServerPlace {
  /** The domain of our account: what the certificate must be for (RFC 6120 §13.7.2.1). */
  readonly domain: string;
  readonly tls: "direct" | "starttls" | "none";
  readonly verify: boolean;
  readonly proxy?: ProxyServer | null;
}

export type XmppDialled =
  | { readonly ok: true; readonly socket: Socket; readonly secure: boolean }
  | { readonly ok: false; readonly ended: Ended };

/** Opens a socket, secured as asked for: never less. It is ours to destroy when it is not wanted. Never rejects. */
export async function dialServer(endpoint: XmppEndpoint, clock: Clock, signal: AbortSignal): Promise<XmppDialled> {
  const { domain, tls, verify, proxy } = endpoint;
  const dialled = await dial({
    clock,
    signal,
    timeoutMs: TIMEOUT_MS,
    failed: (error) => notConnected(error, endpoint),
    late: () => lost("timeout", `${placeName(endpoint)} does not answer`),
    open: async (line) => {
      const plain = await line.tcp(endpoint, "", proxy);
      if (tls === "none") return plain;
      const refusal = tls === "starttls" ? await startTls(plain, endpoint) : null;
      if (refusal !== null) return refusal;
      // XEP-0368 §2.
      const direct = tls === "direct" && { ALPNProtocols: ["xmpp-client"] };
      return await line.tls(plain, domain, { rejectUnauthorized: verify, ...direct });
    },
  });
  return dialled.ok ? { ...dialled, secure: tls !== "none" } : dialled;
}

/**
 * Asks the server to begin TLS (RFC 6120 §5); null when it is to begin, or why not. Without TLS it does not continue:
 * somebody may stand between.
 */
async function startTls(socket: Socket, endpoint: XmppEndpoint): Promise<Ended | null> {
  const place = placeName(endpoint);
  const done = Promise.withResolvers<Ended | null>();
  const parser = new BoundedParser();
  const take = (element: Stanza): void => {
    if (element.is("features", NS.streams)) {
      if (child(element, "starttls", NS.tls) === undefined) {
        const remedy = "set UseDirectTLS = true and the port for it, or NoStartTLS = true to connect without TLS";
        done.resolve(misconfigured(`${place} offers no TLS; ${remedy}`));
      } else socket.write(el("starttls", { xmlns: NS.tls }).toString());
    } else if (element.is("proceed", NS.tls)) done.resolve(null);
    else done.resolve(lost("remote_error", `${place} refuses to start TLS`));
  };
  parser.on("element", take);
  parser.on("error", () => done.resolve(misconfigured(`${place} does not speak XMPP; check Server`)));
  const reader = new SocketReader({
    socket,
    onBytes: (bytes) => parser.write(Buffer.from(bytes).toString("latin1")),
    onClose: () => done.resolve(lost("network", `${place} closed the connection before TLS started`)),
  });
  reader.resume();
  socket.write(streamHeader(endpoint.domain));
  const refusal = await done.promise;
  reader.stop();
  socket.pause();
  return refusal;
}

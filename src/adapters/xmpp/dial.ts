import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { givenUp, lost, misconfigured, placeName, type ServerPlace } from "../kit/ends.ts";
import { notConnected } from "./ends.ts";
import { streamHeader } from "./header.ts";
import { NS } from "./ns.ts";
import { BoundedParser } from "./parser.ts";
import { child, el, type Stanza } from "./xml.ts";

const TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;

export interface XmppEndpoint extends ServerPlace {
  /** The domain of our account: what the certificate must be for (RFC 6120 §13.7.2.1). */
  readonly domain: string;
  readonly tls: "direct" | "starttls" | "none";
  readonly verify: boolean;
}

export type Dialled =
  | { readonly ok: true; readonly socket: Socket; readonly secure: boolean }
  | { readonly ok: false; readonly ended: Ended };

/**
 * Opens a socket, secured as asked for: never less. It is ours to destroy when the signal aborts or 30 s are over.
 * Never rejects.
 */
export async function dial(endpoint: XmppEndpoint, clock: Clock, signal: AbortSignal): Promise<Dialled> {
  if (signal.aborted) return { ok: false, ended: givenUp() };
  const over = Promise.withResolvers<Dialled>();
  const place = placeName(endpoint);
  const cancel = clock.after(TIMEOUT_MS, () =>
    over.resolve({ ok: false, ended: lost("timeout", `${place} does not answer`) }),
  );
  const release = onAbort(signal, () => over.resolve({ ok: false, ended: givenUp() }));
  const sockets: Socket[] = [];
  const dialled = await Promise.race([over.promise, attempt(endpoint, sockets)]);
  cancel();
  release();
  if (!dialled.ok) for (const socket of sockets) socket.destroy();
  return dialled;
}

/** `sockets`: where those that were opened are put. */
async function attempt(endpoint: XmppEndpoint, sockets: Socket[]): Promise<Dialled> {
  try {
    const { host, port } = endpoint;
    const plain = connectTcp({ host, port, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true });
    sockets.push(plain);
    await once(plain, "connect");
    if (endpoint.tls === "none") return { ok: true, socket: plain, secure: false };
    if (endpoint.tls === "starttls") {
      const refusal = await startTls(plain, endpoint);
      if (refusal !== null) return { ok: false, ended: refusal };
    }
    const secure = securely(plain, endpoint);
    sockets.push(secure);
    await once(secure, "secureConnect");
    return { ok: true, socket: secure, secure: true };
  } catch (error) {
    return { ok: false, ended: notConnected(error, endpoint) };
  }
}

function securely(socket: Socket, { domain, tls, verify }: XmppEndpoint): TLSSocket {
  return connectTls({
    socket,
    host: domain,
    // An address is no name to ask for (RFC 6066 §3).
    ...(isIP(domain) === 0 && { servername: domain }),
    // XEP-0368 §2.
    ...(tls === "direct" && { ALPNProtocols: ["xmpp-client"] }),
    rejectUnauthorized: verify,
  });
}

/** Resolves at this event; rejects with the socket's error, or when it closes before. */
async function once(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const done = Promise.withResolvers<void>();
  const onClose = (): void => done.reject(new Error("the server closed the connection"));
  socket.once(event, done.resolve);
  socket.once("error", done.reject);
  socket.once("close", onClose);
  try {
    await done.promise;
  } finally {
    socket.off(event, done.resolve);
    socket.off("close", onClose);
    // An error that comes later has nobody else to hear it until the stream listens.
    socket.on("error", () => undefined);
  }
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
  const onData = (part: Buffer): void => parser.write(part.toString("latin1"));
  const onClose = (): void => done.resolve(lost("network", `${place} closed the connection before TLS started`));
  socket.on("data", onData);
  socket.on("close", onClose);
  socket.write(streamHeader(endpoint.domain));
  const refusal = await done.promise;
  socket.off("data", onData);
  socket.off("close", onClose);
  socket.pause();
  return refusal;
}

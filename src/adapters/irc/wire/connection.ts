import { connect as connectTcp, isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../../../contract/host.ts";
import type { Ended } from "../../../contract/session.ts";
import { onAbort } from "../../../lib/abort.ts";
import { givenUp, lost, placeName } from "../../kit/ends.ts";
import { closedByServer, notConnected, tlsFailure } from "../ends.ts";

const CONNECT_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;
/** A server that takes so little of what we send is as good as dead: our own lines are few and short. */
const UNSENT_MAX = 1024 * 1024;

export interface IrcEndpoint {
  readonly host: string;
  readonly port: number;
  /** Address of this machine, or empty. */
  readonly bind: string;
  readonly tls: {
    readonly verify: boolean;
    /** PEM with a certificate and its key. */
    readonly identity: string | null;
  } | null;
}

/** A socket that is connected: bytes in, bytes out, and one reason for its end. */
export interface IrcConnection {
  /** Ignored after the end. */
  write(bytes: Uint8Array): void;
  /** What is written until `uncork` leaves in one go. */
  cork(): void;
  uncork(): void;
  pause(): void;
  resume(): void;
  /** From here on what comes is handed to `onBytes`; before, it waits. */
  listen(onBytes: (bytes: Uint8Array) => void): void;
  /** Ends it at once, for this reason; the first reason counts. */
  end(ended: Ended): void;
  readonly ended: Promise<Ended>;
}

export type Connected =
  | { readonly ok: true; readonly connection: IrcConnection }
  | { readonly ok: false; readonly ended: Ended };

interface ConnectArgs {
  readonly endpoint: IrcEndpoint;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Opens a socket to the server, by TLS where asked for, within 30 s. Never rejects. */
export async function connect({ endpoint, clock, signal }: ConnectArgs): Promise<Connected> {
  if (signal.aborted) return { ok: false, ended: givenUp() };
  let socket: Socket;
  try {
    socket = dial(endpoint);
  } catch (error) {
    return { ok: false, ended: notConnected(error, endpoint) };
  }
  const outcome = Promise.withResolvers<Ended | null>();
  let inTls = false;
  const onLate = () => {
    const late = lost("timeout", `${placeName(endpoint)} does not answer: no connection within 30 s`);
    outcome.resolve(inTls ? tlsFailure(endpoint, "timeout", "does not answer within 30 s") : late);
  };
  const cancel = clock.after(CONNECT_TIMEOUT_MS, onLate);
  const onError = (error: Error) => {
    const broken = inTls && reasonOf(error) === "ECONNRESET";
    outcome.resolve(broken ? tlsFailure(endpoint, "network", "closes the connection") : notConnected(error, endpoint));
  };
  const onClose = () => outcome.resolve(closedByServer(placeName(endpoint)));
  const release = onAbort(signal, () => outcome.resolve(givenUp()));
  socket.once("connect", () => {
    inTls = endpoint.tls !== null;
    if (!inTls) outcome.resolve(null);
  });
  socket.once("secureConnect", () => outcome.resolve(null));
  socket.on("error", onError);
  socket.on("close", onClose);
  const ended = await outcome.promise;
  cancel();
  release();
  if (ended === null) {
    socket.off("close", onClose);
    // `onError` stays: it is harmless now, and an error that nobody listens for would be thrown.
    return { ok: true, connection: new SocketConnection(socket, endpoint) };
  }
  socket.destroy();
  return { ok: false, ended };
}

function dial({ host, port, bind, tls }: IrcEndpoint): Socket {
  const from = bind === "" ? {} : { localAddress: bind };
  if (tls === null) return connectTcp({ host, port, ...from });
  return connectTls({
    host,
    port,
    ...from,
    // RFC 6066 §3: no server name for an address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(tls.identity === null ? {} : { cert: tls.identity, key: tls.identity }),
    minVersion: "TLSv1.2",
    rejectUnauthorized: tls.verify,
  });
}

class SocketConnection implements IrcConnection {
  readonly ended: Promise<Ended>;
  readonly #socket: Socket;
  readonly #end: (ended: Ended) => void;

  constructor(socket: Socket, endpoint: IrcEndpoint) {
    const end = Promise.withResolvers<Ended>();
    this.ended = end.promise;
    this.#end = end.resolve;
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("error", (error) => end.resolve(lost("network", `the connection broke: ${reasonOf(error)}`)));
    socket.on("close", () => end.resolve(closedByServer(placeName(endpoint))));
  }

  write(bytes: Uint8Array): void {
    if (!this.#socket.writable) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength <= UNSENT_MAX) return;
    this.end(lost("network", "the server does not read what Rialto sends"));
  }

  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  listen(onBytes: (bytes: Uint8Array) => void): void {
    this.#socket.on("data", onBytes);
  }

  end(ended: Ended): void {
    this.#end(ended);
    this.#socket.destroy();
  }
}

function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

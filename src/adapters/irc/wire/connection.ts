import type { Socket } from "node:net";
import type { Clock } from "../../../contract/host.ts";
import type { Ended } from "../../../contract/session.ts";
import { errorCode } from "../../../lib/network-error.ts";
import type { ProxyServer } from "../../../lib/proxy.ts";
import { dial } from "../../kit/dial.ts";
import { lost, placeName } from "../../kit/ends.ts";
import { SocketReader } from "../../kit/socket-reader.ts";
import { closedByServer, notConnected, tlsFailure } from "../ends.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** A server that takes so little of what we send is as good as dead: our own lines are few and short. */
const UNSENT_MAX = 1024 * 1024;

export interface IrcEndpoint {
  readonly host: string;
  readonly port: number;
  /** Address of this machine, or empty. */
  readonly bind: string;
  readonly proxy?: ProxyServer | null;
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
  const { host, bind, proxy, tls } = endpoint;
  let inTls = false;
  const dialled = await dial({
    clock,
    signal,
    timeoutMs: CONNECT_TIMEOUT_MS,
    failed: (error) =>
      inTls && errorCode(error) === "ECONNRESET"
        ? tlsFailure(endpoint, "network", "closes the connection")
        : notConnected(error, endpoint),
    late: () =>
      inTls
        ? tlsFailure(endpoint, "timeout", "does not answer within 30 s")
        : lost("timeout", `${placeName(endpoint)} does not answer: no connection within 30 s`),
    open: async (line) => {
      const socket = await line.tcp(endpoint, bind, proxy);
      if (tls === null) return socket;
      inTls = true;
      const identity = tls.identity === null ? {} : { cert: tls.identity, key: tls.identity };
      return await line.tls(socket, host, { minVersion: "TLSv1.2", rejectUnauthorized: tls.verify, ...identity });
    },
  });
  return dialled.ok ? { ok: true, connection: new SocketConnection(dialled.socket, endpoint) } : dialled;
}

class SocketConnection implements IrcConnection {
  readonly ended: Promise<Ended>;
  readonly #socket: Socket;
  readonly #end: (ended: Ended) => void;
  readonly #reader: SocketReader;
  #onBytes: (bytes: Uint8Array) => void = () => undefined;

  constructor(socket: Socket, endpoint: IrcEndpoint) {
    const end = Promise.withResolvers<Ended>();
    this.ended = end.promise;
    this.#end = end.resolve;
    this.#socket = socket;
    socket.on("error", (error) => end.resolve(lost("network", `the connection broke: ${reasonOf(error)}`)));
    this.#reader = new SocketReader({
      socket,
      onBytes: (bytes) => this.#read(bytes),
      onClose: () => end.resolve(closedByServer(placeName(endpoint))),
    });
    this.#reader.pause();
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
    this.#reader.pause();
  }

  resume(): void {
    this.#reader.resume();
  }

  listen(onBytes: (bytes: Uint8Array) => void): void {
    this.#onBytes = onBytes;
    this.#reader.resume();
  }

  end(ended: Ended): void {
    this.#end(ended);
    this.#reader.stop();
    this.#socket.destroy();
  }

  /** Answers leave in one go: a flood of PINGs would cost a system call for each. */
  #read(bytes: Uint8Array): void {
    this.cork();
    this.#onBytes(bytes);
    this.uncork();
  }
}

function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

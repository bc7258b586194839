import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { Clock } from "../../contract/host.ts";
import { openTunnel, type ProxyServer } from "../../lib/proxy.ts";
import type { Ended } from "../../contract/session.ts";
import { givenUp, type ServerPlace } from "./ends.ts";
import { inTime } from "./in-time.ts";

const KEEP_ALIVE_MS = 60_000;

type Dialled = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly ended: Ended };

interface DialOptions {
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Opens the socket; an end is why not. */
  readonly open: (line: Line) => Promise<Socket | Ended>;
  /** What it means that `open` failed by this error. */
  readonly failed: (error: unknown) => Ended;
  /** What it means that the time is over. */
  readonly late: () => Ended;
}

/** Opens a socket in time. What was opened on the way is closed when there is none in the end. Never rejects. */
export async function dial({ clock, signal, timeoutMs, open, failed, late }: DialOptions): Promise<Dialled> {
  if (signal.aborted) return { ok: false, ended: givenUp() };
  const line = new Line();
  const attempt = open(line).catch(failed);
  const otherwise = (why: "late" | "aborted"): Ended => (why === "late" ? late() : givenUp());
  const opened = await inTime(attempt, { clock, ms: timeoutMs, signal }, otherwise);
  if (!("cause" in opened)) return { ok: true, socket: opened };
  line.drop();
  return { ok: false, ended: opened };
}

/** The sockets of one try. */
class Line {
  readonly #sockets: Socket[] = [];
  readonly #dropping = new AbortController();

  /** `from`: an address of this machine, or empty. `proxy`: through it, which looks the host up. */
  async tcp({ host, port }: ServerPlace, from = "", proxy: ProxyServer | null = null): Promise<Socket> {
    if (proxy !== null) return await this.#through(proxy, { host, port }, from);
    const kept = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, noDelay: true };
    return await this.#opened(
      connectTcp({ host, port, ...kept, ...(from !== "" && { localAddress: from }) }),
      "connect",
    );
  }

  async #through(proxy: ProxyServer, place: ServerPlace, from: string): Promise<Socket> {
    const { signal } = this.#dropping;
    const socket = await openTunnel({ proxy, ...place, signal, ...(from !== "" && { localAddress: from }) });
    this.#sockets.push(socket);
    if (signal.aborted) socket.destroy();
    return socket;
  }

  /** Over a socket that is connected. `name`: whom the certificate must be for. */
  async tls(socket: Socket, name: string, options: ConnectionOptions): Promise<Socket> {
    // An address is no name to ask for (RFC 6066 §3).
    const asked = isIP(name) === 0 ? { servername: name } : {};
    return await this.#opened(connectTls({ socket, host: name, ...asked, ...options }), "secureConnect");
  }

  drop(): void {
    this.#dropping.abort();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves at this event; rejects with the socket's error, or when it closes before. */
  async #opened(socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> {
    this.#sockets.push(socket);
    // An error that comes later has nobody else to hear it until the session listens.
    socket.on("error", () => undefined);
    if (this.#dropping.signal.aborted) socket.destroy();
    const done = Promise.withResolvers<void>();
    const onClose = (): void => done.reject(new Error("the server closed the connection"));
    socket.once(event, done.resolve);
    socket.once("error", done.reject);
    socket.once("close", onClose);
    try {
      await done.promise;
      return socket;
    } finally {
      socket.off(event, done.resolve);
      socket.off("error", done.reject);
      socket.off("close", onClose);
    }
  }
}

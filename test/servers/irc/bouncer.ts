import { once } from "node:events";
import net from "node:net";
import { within } from "../../support/wait.ts";

const RETRY_MS = 30;

/**
 * A proxy that keeps people connected while their server is killed and started again: it registers anew with the nick,
 * user and channels that the client gave, and hides from the client that anything has happened. What the client says
 * meanwhile is held. For clients without CAP.
 */
export interface Bouncer {
  readonly port: number;
  /**
   * Resolves when everybody is in their channels again after the connection they have now is lost. Call it before the
   * server dies.
   */
  readonly back: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startBouncer(target: number): Promise<Bouncer> {
  const seats = new Set<Seat>();
  const server = net.createServer((client) => {
    const seat = new Seat(client, target);
    seats.add(seat);
    client.on("close", () => seats.delete(seat));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    back: async () => void (await Promise.all([...seats].map(async (seat) => await seat.back()))),
    stop: async () => {
      server.close();
      for (const seat of seats) seat.leave();
      if (server.listening) await once(server, "close");
    },
  };
}

/**
 * `live`: lines pass. `entering`: registering anew. `joining`: going back into the channels. `alone`: there is no
 * server.
 */
type State = "live" | "alone" | "entering" | "joining";

/** One person's connection, which stays, and the one to the server, which comes and goes. */
class Seat {
  readonly #client: net.Socket;
  readonly #target: number;
  #upstream: net.Socket | null = null;
  #state: State = "live";
  readonly #held: string[] = [];
  #pass: string | null = null;
  #user = "USER someone 0 * :someone";
  #nick = "someone";
  readonly #channels = new Set<string>();
  /** Channels whose list of names has not come since the join. */
  readonly #awaited = new Set<string>();
  #onLive: (() => void)[] = [];

  constructor(client: net.Socket, target: number) {
    this.#client = client;
    this.#target = target;
    client.on("error", () => {});
    client.on("close", () => this.#upstream?.destroy());
    onLines(client, (line) => this.#fromClient(line));
    this.#connect();
  }

  /** Resolves once this person has been without a server and is back. */
  async back(): Promise<void> {
    const live = new Promise<void>((resolve) => this.#onLive.push(resolve));
    await within(
      live,
      () => `${this.#nick} to be back in ${[...this.#channels].join(" ")}; it is ${this.#state}`,
      20_000,
    );
  }

  leave(): void {
    this.#client.destroy();
  }

  #connect(): void {
    if (this.#client.destroyed) return;
    const upstream = net.connect({ host: "127.0.0.1", port: this.#target });
    this.#upstream = upstream;
    upstream.on("error", () => {});
    upstream.on("close", () => {
      this.#state = "alone";
      setTimeout(() => this.#connect(), RETRY_MS);
    });
    onLines(upstream, (line) => this.#fromServer(line));
    upstream.on("connect", () => {
      if (this.#state !== "alone") return;
      this.#state = "entering";
      for (const line of [this.#pass, `NICK ${this.#nick}`, this.#user]) if (line !== null) this.#send(line);
    });
  }

  #fromClient(line: string): void {
    const [command = "", first = ""] = line.split(" ");
    if (command === "PASS") this.#pass = line;
    if (command === "USER") this.#user = line;
    if (command === "NICK") this.#nick = first.replace(/^:/, "");
    if (command === "JOIN") this.#channels.add(first);
    if (command === "PART") this.#channels.delete(first);
    if (this.#state === "live") this.#send(line);
    else if (command === "PING") this.#tell(`PONG ${first}`);
    else this.#held.push(line);
  }

  #fromServer(line: string): void {
    if (this.#state === "live") {
      this.#tell(line);
      return;
    }
    const [source = "", command = "", , channel = ""] = line.split(" ");
    if (source === "PING") this.#send(line.replace("PING", "PONG"));
    if (this.#state === "entering" && (command === "376" || command === "422")) this.#rejoin();
    if (this.#state !== "joining") return;
    if (command === "366") this.#awaited.delete(channel);
    const own = source.startsWith(`:${this.#nick}!`);
    if (!own && source.includes("!")) this.#tell(line);
    if (this.#awaited.size === 0) this.#goOn();
  }

  #rejoin(): void {
    this.#state = "joining";
    for (const channel of this.#channels) {
      this.#awaited.add(channel);
      this.#send(`JOIN ${channel}`);
    }
  }

  #goOn(): void {
    this.#state = "live";
    for (const line of this.#held.splice(0)) this.#send(line);
    for (const wake of this.#onLive.splice(0)) wake();
  }

  #send(line: string): void {
    this.#upstream?.write(`${line}\r\n`, "latin1");
  }

  #tell(line: string): void {
    this.#client.write(`${line}\r\n`, "latin1");
  }
}

/** Whole lines without their ends; one character per byte. */
function onLines(socket: net.Socket, take: (line: string) => void): void {
  let rest = "";
  socket.on("data", (part) => {
    const lines = (rest + part.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line.replace(/\r$/, ""));
  });
}

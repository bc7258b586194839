import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { TunnelPeer } from "./peer.ts";
import { type TunnelCarrier, Tunnel } from "./tunnel.ts";
import {
  ALIVE,
  aliveBodies,
  countBody,
  Kind,
  MARK,
  MARKED,
  type TunnelOpening,
  peerWordOf,
  readAlive,
  readCount,
  readOpening,
  readPeerWord,
  readWord,
  type Remote,
  type TunnelCount,
  type Word,
} from "./words.ts";

/** The other process may take so many looks to answer, each after so many ms. */
const OPEN_LOOKS = 4;
const OPEN_LOOK_MS = 500;
/** How often a process says to others that it lives, and looks who has not, in ms. */
const LOOK_MS = 1000;
/** So many looks in a row find nothing of a tunnel; then it is over. No time counts: this process may stand still. */
const SILENT_LOOKS = 4;
/** In place of an id: what is for the process itself. */
const TO_PROCESS = "process";

interface TunnelsOptions {
  readonly nc: NatsConnection;
  /** As that of the log. */
  readonly shard: string;
  /** This process. */
  readonly run: string;
  /** Tunnels at most, those to others and those from others. */
  readonly connections: number;
}

/** Takes a connection to an account on, or does not. */
export type Accept = (account: string, socket: Duplex, remote: Remote) => boolean;

interface Standing {
  readonly tunnel: Tunnel;
  /** The process at the other end. */
  readonly run: string;
  silentLooks: number;
}

/**
 * Connections between the processes of several nodes, through the servers that carry the log: for each a subject with a
 * random id at both ends. What the servers lose ends a tunnel, and so does a process that is silent or cut off.
 */
export class Tunnels {
  readonly #options: TunnelsOptions;
  readonly #standing = new Map<string, Standing>();
  readonly #peers = new Map<string, TunnelPeer>();
  readonly #stop: () => void;
  #accept: Accept = () => false;
  #isUp = true;

  constructor(options: TunnelsOptions) {
    this.#options = options;
    const { nc, run } = options;
    const heard = nc.subscribe(this.#subject(run, "*"), {
      callback: (error, message) => {
        if (error === null) this.#hear(message);
      },
    });
    const timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#stop = () => {
      heard.unsubscribe();
      clearInterval(timer);
    };
    void this.#watch(nc);
  }

  /** From now on, others may connect to accounts of this process. */
  serve(accept: Accept): void {
    this.#accept = accept;
  }

  /**
   * A connection to an account, at the process that runs it. It emits `connect`, or is destroyed with an error: that
   * process does not take it on, or has not answered in 2 s.
   */
  open({ run, account, remote }: { readonly run: string; readonly account: string; readonly remote: Remote }): Tunnel {
    const id = randomBytes(16).toString("hex");
    const tunnel = new Tunnel({ carrier: this.#carrier(id, run), opens: true, remote });
    const why = this.#whyNot(run);
    if (why !== null) {
      tunnel.lose(why);
      return tunnel;
    }
    this.#standing.set(id, { tunnel, run, silentLooks: 0 });
    let looks = 0;
    const late = setInterval(() => {
      looks += 1;
      if (looks >= OPEN_LOOKS) tunnel.cut("that node does not answer");
    }, OPEN_LOOK_MS);
    tunnel.once("connect", () => clearInterval(late)).once("close", () => clearInterval(late));
    const opening: TunnelOpening = { run: this.#options.run, account, remote };
    tunnel.say(Kind.open, JSON.stringify(opening));
    return tunnel;
  }

  /** Ends all. */
  close(): void {
    for (const { tunnel } of this.#standing.values()) tunnel.cut("this node stops");
    this.#isUp = false;
    this.#stop();
  }

  #whyNot(run: string): string | null {
    if (!this.#isUp) return "there is no connection to the servers of the log";
    if (run === this.#options.run) return "it leads to this process itself";
    return this.#standing.size < this.#options.connections ? null : "there are too many";
  }

  async #watch(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === "reconnect") this.#isUp = true;
      if (type !== "disconnect" && type !== "close") continue;
      this.#isUp = false;
      // What was on its way, either way, may be lost. The others see that it is not named any more.
      for (const { tunnel } of this.#standing.values())
        tunnel.lose("the connection to the servers of the log was lost");
    }
  }

  #carrier(id: string, run: string): TunnelCarrier {
    const peer = (): TunnelPeer => this.#peerOf(run);
    return {
      publish: (word) => this.#publish(run, id, word),
      room: () => peer().room,
      sent: (bytes) => peer().sent(bytes),
      wait: (tunnel) => peer().wait(tunnel),
      gone: (tunnel) => {
        this.#standing.delete(id);
        this.#peers.get(run)?.forget(tunnel);
      },
    };
  }

  #peerOf(run: string): TunnelPeer {
    const known = this.#peers.get(run);
    if (known !== undefined) return known;
    const peer = new TunnelPeer((count) => this.#tell(run, MARK, countBody(count)));
    this.#peers.set(run, peer);
    return peer;
  }

  #subject(run: string, id: string): string {
    return `r.t.${this.#options.shard}.${run}.${id}`;
  }

  #publish(run: string, id: string, word: Uint8Array): void {
    const { nc } = this.#options;
    // The client keeps what is published while it has no connection, without limit.
    if (!this.#isUp || nc.isClosed()) return;
    // The servers answer to `reply` when that process is not there.
    nc.publish(this.#subject(run, id), word, { reply: this.#subject(this.#options.run, id) });
  }

  #tell(run: string, kind: number, body: Uint8Array): void {
    this.#publish(run, TO_PROCESS, peerWordOf(kind, this.#options.run, body));
  }

  #hear({ subject, data, headers }: Msg): void {
    const id = subject.slice(subject.lastIndexOf(".") + 1);
    const standing = this.#standing.get(id);
    if (headers?.code === 503 && data.length === 0) return standing?.tunnel.lose("that node is not there any more");
    if (id === TO_PROCESS) return this.#hearPeer(data);
    const word = readWord(data);
    if (word === null) return;
    if (standing !== undefined) standing.tunnel.hear(word);
    else if (word.kind === Kind.open) this.#opened(id, word);
  }

  #opened(id: string, word: Word): void {
    const opening = readOpening(word.body);
    if (opening === null) return;
    const { run, account, remote } = opening;
    const tunnel = new Tunnel({ carrier: this.#carrier(id, run), opens: false, remote });
    tunnel.hear(word);
    const isFull = this.#standing.size >= this.#options.connections;
    this.#standing.set(id, { tunnel, run, silentLooks: 0 });
    if (!isFull && this.#accept(account, tunnel, remote)) return tunnel.accept();
    tunnel.cut("not taken on");
  }

  #hearPeer(data: Uint8Array): void {
    const word = readPeerWord(data);
    if (word === null) return;
    const { kind, run, body } = word;
    if (kind === MARK) this.#tell(run, MARKED, body);
    else if (kind === MARKED) this.#peers.get(run)?.came(readCount(body) ?? 0);
    else if (kind === ALIVE) for (const said of readAlive(body)) this.#named(run, said);
  }

  #named(run: string, { id, number }: TunnelCount): void {
    const standing = this.#standing.get(id);
    if (standing?.run !== run) return;
    standing.silentLooks = 0;
    if (standing.tunnel.nextIn !== number) standing.tunnel.cut("the servers have lost the end of it");
  }

  #look(): void {
    const byRun = new Map<string, TunnelCount[]>();
    for (const [id, standing] of this.#standing) {
      standing.silentLooks += 1;
      if (standing.silentLooks > SILENT_LOOKS) {
        standing.tunnel.cut("that node is silent");
        continue;
      }
      const said = byRun.get(standing.run) ?? [];
      said.push({ id, number: standing.tunnel.nextOut });
      byRun.set(standing.run, said);
    }
    for (const [run, said] of byRun) for (const body of aliveBodies(said)) this.#tell(run, ALIVE, body);
    for (const [run, peer] of this.#peers) {
      if (byRun.has(run)) peer.look();
      else this.#peers.delete(run);
    }
  }
}

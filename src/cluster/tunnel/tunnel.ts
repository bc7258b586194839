import { Duplex } from "node:stream";
import { Kind, nextNumber, PART_BYTES, type Remote, type Word, wordOf } from "./words.ts";

/** So much of a direction is not taken yet at most; both ends hold it. */
const WINDOW_BYTES = 256 * 1024;
/** The end that serves says what it took when it is so much: what the other sends is not kept until it knows. */
const LAZY_BYTES = WINDOW_BYTES / 4;

/** What carries a tunnel. */
export interface TunnelCarrier {
  publish(word: Buffer): void;
  /** How many bytes the process at the other end can be sent now; asked only once it is known. */
  room(): number;
  sent(bytes: number): void;
  /** Has `pump` called when there is room. */
  wait(tunnel: Tunnel): void;
  gone(tunnel: Tunnel): void;
}

interface TunnelOptions {
  readonly carrier: TunnelCarrier;
  /** The end that opened it, at which the client is; the other end serves. */
  readonly opens: boolean;
  readonly remote: Remote;
}

type Done = (error?: Error | null) => void;

/**
 * One end of a tunnel, with what servers of HTTP use of a socket. It differs by end when a write is done:
 *
 * - at the end that serves, when the client's system has taken it, as with a socket: an answer that broke on its way
 *   was not taken. The other end says so by `taken`;
 * - at the end that opened it, when it has left: it is read on while the window has room.
 *
 * It emits `connect` when the other end has taken it on, and `close` with whether it broke, like a socket.
 */
export class Tunnel extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly #carrier: TunnelCarrier;
  readonly #opens: boolean;
  #connecting = true;
  #nextOut = 0;
  #nextIn = 0;
  /** Of the write under way: what has not left, and how it is told of its end. */
  #unsent: Buffer[] = [];
  #done: Done | null = null;
  /** The end of what is written: held back until the tunnel is taken on, and then until the end was taken. */
  #final: Done | null = null;
  /** What has left and was not taken. */
  #untaken = 0;
  #written = 0;
  /** What has come, and how much of it the other end was told to be taken. */
  #came = 0;
  #told = 0;
  #endCame = false;
  /** There is nobody to tell of our end any more. */
  #isCut = false;
  #why: string | null = null;
  #idleMs = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor({ carrier, opens, remote }: TunnelOptions) {
    super({ allowHalfOpen: true, emitClose: false });
    this.#carrier = carrier;
    this.#opens = opens;
    this.remoteAddress = remote.address;
    this.remotePort = remote.port;
    // An error that nobody hears is thrown; `close` says it too.
    this.on("error", () => undefined);
  }

  /** Like that of a socket: with what waits. */
  get bytesWritten(): number {
    return this.#written + this.writableLength;
  }

  /** Number of the next message to the other end. */
  get nextOut(): number {
    return this.#nextOut;
  }

  /** Number of the message that has to come next. */
  get nextIn(): number {
    return this.#nextIn;
  }

  /** Small parts leave at once in any case. */
  setNoDelay(): this {
    return this;
  }

  /** Emits `timeout` when nothing has moved for so long; 0: never. */
  setTimeout(ms: number): this {
    if (ms === this.#idleMs) {
      this.#idle?.refresh();
      return this;
    }
    clearTimeout(this.#idle);
    this.#idleMs = ms;
    this.#idle = ms === 0 ? undefined : setTimeout(() => this.emit("timeout"), ms).unref();
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  /** At the end that opened it: the client's system has taken so many bytes of what came; 0: its end. */
  taken(bytes: number): void {
    if (this.#opens) this.#tell(bytes);
  }

  /** At the end that serves: it takes the tunnel on. */
  accept(): void {
    if (this.destroyed) return;
    this.say(Kind.accept);
    this.#accepted();
  }

  say(kind: Kind, content: string | Buffer = ""): void {
    const { word, body } = wordOf(kind, this.#number(), Buffer.byteLength(content));
    if (typeof content === "string") body.write(content);
    else content.copy(body);
    this.#carrier.publish(word);
  }

  /** What the other end says, in order. */
  hear({ kind, number, body }: Word): void {
    if (this.destroyed) return;
    if (number !== this.#nextIn) return this.cut("the servers have lost a part of it");
    this.#nextIn = nextNumber(number);
    this.#idle?.refresh();
    if (kind === Kind.accept) this.#accepted();
    else if (kind === Kind.data) this.#dataCame(body);
    else if (kind === Kind.end) this.#ended();
    else if (kind === Kind.taken && body.length === 4) this.#wasTaken(body.readUInt32BE(0));
    else if (kind === Kind.close) this.#closed(body.toString("utf8"));
  }

  /** The tunnel has broken; the other end is told, if it can be. */
  cut(why: string): void {
    this.#why ??= why;
    this.destroy(new Error(`the tunnel to the other node has ended: ${why}`));
  }

  /** As `cut`, where nothing can be sent any more. */
  lose(why: string): void {
    this.#isCut = true;
    this.cut(why);
  }

  /** Sends of the write under way what the window and the way have room for. */
  pump(): void {
    while (!this.#connecting && !this.destroyed && this.#unsent.length > 0) {
      const window = WINDOW_BYTES - this.#untaken;
      if (window <= 0) return;
      const room = this.#carrier.room();
      if (room <= 0) return this.#carrier.wait(this);
      this.#sendPart(Math.min(window, room, PART_BYTES));
    }
    if (this.#unsent.length === 0 && (this.#opens || this.#untaken === 0)) this.#finish(null);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#begin([chunk], done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#begin(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: Done): void {
    if (this.#connecting) {
      this.#final = done;
      return;
    }
    this.say(Kind.end);
    if (this.#opens) done();
    else this.#final = done;
  }

  override _read(): void {
    // What comes is pushed: the window bounds it.
  }

  /** Every way to read calls it, and `_read` is called before what is read has left the buffer. */
  override read(size?: number): unknown {
    const part: unknown = super.read(size);
    const read = this.#came - this.readableLength - this.#told;
    if (!this.#opens && read >= LAZY_BYTES) this.#tell(read);
    return part;
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#idle);
    if (!this.#isCut) this.say(Kind.close, error === null ? "" : (this.#why ?? "it broke at the other end"));
    this.#unsent = [];
    this.#carrier.gone(this);
    this.#finish(error ?? new Error("the tunnel is closed"));
    done(error);
    process.nextTick(() => this.emit("close", error !== null));
  }

  #number(): number {
    const number = this.#nextOut;
    this.#nextOut = nextNumber(number);
    return number;
  }

  #begin(chunks: readonly Buffer[], done: Done): void {
    this.#unsent = chunks.filter(({ length }) => length > 0);
    this.#done = done;
    this.pump();
  }

  #sendPart(most: number): void {
    let bytes = 0;
    let count = 0;
    for (const chunk of this.#unsent) {
      if (bytes + chunk.length > most) break;
      bytes += chunk.length;
      count += 1;
    }
    const whole = this.#unsent.splice(0, count);
    const [next] = this.#unsent;
    if (next !== undefined && bytes < most) {
      whole.push(next.subarray(0, most - bytes));
      this.#unsent[0] = next.subarray(most - bytes);
      bytes = most;
    }
    const { word, body } = wordOf(Kind.data, this.#number(), bytes);
    let at = 0;
    for (const chunk of whole) at += chunk.copy(body, at);
    this.#untaken += bytes;
    this.#idle?.refresh();
    this.#carrier.sent(bytes);
    this.#carrier.publish(word);
  }

  /** Of the write under way. */
  #finish(error: Error | null): void {
    const done = this.#done;
    if (done === null) return;
    this.#done = null;
    if (error === null) done();
    else done(error);
  }

  #accepted(): void {
    if (!this.#connecting) return;
    this.#connecting = false;
    if (this.#opens) this.emit("connect");
    this.pump();
    const final = this.#final;
    this.#final = null;
    if (final !== null && !this.destroyed) this._final(final);
  }

  #dataCame(body: Buffer): void {
    if (this.#endCame) return;
    this.#came += body.length;
    if (this.#came - this.#told > WINDOW_BYTES) return this.cut("more came than was asked for");
    this.push(body);
  }

  #ended(): void {
    this.#endCame = true;
    this.push(null);
  }

  #wasTaken(bytes: number): void {
    this.#untaken = Math.max(0, this.#untaken - bytes);
    this.#written += bytes;
    if (bytes > 0) return this.pump();
    const final = this.#final;
    this.#final = null;
    final?.();
  }

  #tell(bytes: number): void {
    if (this.destroyed) return;
    this.#told += bytes;
    const body = Buffer.allocUnsafe(4);
    body.writeUInt32BE(bytes);
    this.say(Kind.taken, body);
  }

  #closed(why: string): void {
    this.#isCut = true;
    if (why !== "") return this.cut(why);
    // What came before has still to be read.
    if (this.#endCame && !this.readableEnded) this.once("end", () => this.destroy());
    else this.destroy();
  }
}

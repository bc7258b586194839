import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type RawData, WebSocket } from "ws";
import type { Clock } from "../../contract/host.ts";
import { onAbort } from "../../lib/abort.ts";
import { errorCode } from "../../lib/network-error.ts";
import { ProxyError } from "../../lib/proxy.ts";
import { quote } from "./ends.ts";
import { failureOf, type HttpFailure, limitInterim } from "./http.ts";
import { agentFor } from "./agents.ts";
import { type ServerTrust, trustOptions } from "./trust.ts";

/** Of the body of a refusal, more is not read. */
const REFUSAL_MAX = 16 * 1024;
/** A server that takes so little of what we send is as good as dead. */
const UNSENT_MAX = 4 * 1024 * 1024;
/** How long the server has to answer a goodbye. */
const GOODBYE_MS = 5_000;
/** No goodbye came (RFC 6455 §7.4.1). */
const CUT = 1006;

interface WebSocketOptions {
  /** `ws:` or `wss:`. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly trust: ServerTrust;
  readonly clock: Pick<Clock, "after">;
  /** Gives the opening up; of an open socket it ends nothing. */
  readonly signal: AbortSignal;
  readonly handshakeMs: number;
  /** A message of more bytes ends the socket. */
  readonly maxPayload: number;
  /** Called in order; the first ones may come before the opening resolves. None comes after the end, or a `close`. */
  readonly onText: (text: string) => void;
  /** Without it, what is not text is passed over. */
  readonly onBinary?: (bytes: Uint8Array) => void;
  /** Anything came, pings and their answers too. */
  readonly onHeard?: () => void;
}

export type OpenedWebSocket =
  | { readonly ok: true; readonly socket: ClientSocket }
  | { readonly ok: false; readonly refusal: HandshakeRefusal };

export interface HandshakeRefusal {
  /** `refused`: the server answers, but not with a WebSocket. */
  readonly why: HttpFailure["why"] | "refused";
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of its body. */
  readonly body: string;
  /** For people; has neither address nor headers in it. */
  readonly message: string;
}

/** How a socket ended. */
export interface SocketEnd {
  /** The server's, or 1006 when it said none. */
  readonly code: number;
  /** The server's words, for people. */
  readonly reason: string;
  /** What broke, for people; null when there was a goodbye. */
  readonly error: string | null;
}

/** Opens a WebSocket. It never connects again by itself. Never rejects. */
export async function openWebSocket(options: WebSocketOptions): Promise<OpenedWebSocket> {
  const { url, headers, trust, clock, signal, handshakeMs, maxPayload } = options;
  if (signal.aborted) return refused("aborted", "connecting was cancelled");
  let raw: WebSocket;
  try {
    // Compressed messages would cost memory for each socket, and hide how long they are.
    const plain = { perMessageDeflate: false, followRedirects: false };
    raw = new WebSocket(url, {
      ...plain,
      ...trustOptions(trust),
      ...((trust.proxy ?? null) !== null && { agent: agentFor(url, trust) }),
      headers: { ...headers },
      maxPayload,
      // One message or ping in each turn of the event loop: a flood does not hold up the rest of Rialto.
      allowSynchronousEvents: false,
      finishRequest: (request) => {
        limitInterim(request);
        request.end();
      },
    });
  } catch (error) {
    // An address or a header that cannot be.
    return refused("network", wordsOf(error));
  }
  const done = Promise.withResolvers<OpenedWebSocket>();
  const cancel = clock.after(handshakeMs, () => done.resolve(refused("timeout", "it does not answer in time")));
  const release = onAbort(signal, () => done.resolve(refused("aborted", "connecting was cancelled")));
  // It stays: an error that nobody listens for would be thrown.
  raw.on("error", (error) => done.resolve(refused(failureOf(error, false).why, wordsOf(error))));
  raw.on("close", () => done.resolve(refused("network", "the connection was interrupted")));
  raw.on("unexpected-response", (_, response) => void answered(response).then(done.resolve));
  raw.once("open", () => done.resolve({ ok: true, socket: new ClientSocket(raw, options) }));
  const opened = await done.promise;
  cancel();
  release();
  if (!opened.ok) raw.terminate();
  return opened;
}

/** An open WebSocket. */
export class ClientSocket {
  readonly ended: Promise<SocketEnd>;
  readonly #raw: WebSocket;
  readonly #clock: Pick<Clock, "after">;
  readonly #end: (end: SocketEnd) => void;
  #silent = false;
  #cancel: () => void = () => undefined;

  constructor(raw: WebSocket, { clock, onText, onBinary, onHeard }: WebSocketOptions) {
    const end = Promise.withResolvers<SocketEnd>();
    this.ended = end.promise;
    this.#raw = raw;
    this.#clock = clock;
    this.#end = (how) => {
      this.#silent = true;
      this.#cancel();
      end.resolve(how);
    };
    const heard = (): void => {
      if (!this.#silent) onHeard?.();
    };
    raw.on("message", (data, isBinary) => {
      heard();
      if (this.#silent) return;
      const bytes = bytesOf(data);
      if (isBinary) onBinary?.(bytes);
      else onText(bytes.toString());
    });
    raw.on("ping", heard);
    raw.on("pong", heard);
    raw.on("error", (error) => this.end(wordsOf(error)));
    raw.on("close", (code, reason) => {
      this.#end({ code, reason: quote(reason.toString()), error: code === CUT ? "the connection was cut" : null });
    });
  }

  /** What was sent has left. */
  get isClear(): boolean {
    return this.#raw.bufferedAmount === 0;
  }

  /** False when it is not sent, because the socket ends. */
  send(text: string): boolean {
    if (this.#raw.readyState !== WebSocket.OPEN) return false;
    this.#raw.send(text);
    if (this.#raw.bufferedAmount <= UNSENT_MAX) return true;
    this.end("the server does not read what Rialto sends");
    return false;
  }

  ping(): void {
    if (this.#raw.readyState === WebSocket.OPEN) this.#raw.ping();
  }

  /** Nothing is read until `resume`, pings neither. */
  pause(): void {
    this.#raw.pause();
  }

  resume(): void {
    this.#raw.resume();
  }

  /** Says goodbye; it is over when the server has answered, or after some seconds. */
  close(code: number): void {
    if (this.#silent) return;
    this.#silent = true;
    this.#cancel = this.#clock.after(GOODBYE_MS, () => this.end("the server does not answer the goodbye"));
    this.#raw.resume();
    this.#raw.close(code);
  }

  /** Ends it at once, for this reason; the first reason counts. */
  end(error: string): void {
    this.#end({ code: CUT, reason: "", error });
    this.#raw.terminate();
  }
}

function refused(why: HandshakeRefusal["why"], message: string): OpenedWebSocket {
  return { ok: false, refusal: { why, status: 0, headers: {}, body: "", message } };
}

async function answered(response: IncomingMessage): Promise<OpenedWebSocket> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= REFUSAL_MAX) break;
    }
  } catch {
    // What came is all there is.
  }
  const { statusCode: status = 0, headers } = response;
  const body = Buffer.concat(parts).subarray(0, REFUSAL_MAX).toString();
  const message = `it opens no WebSocket: HTTP ${status}`;
  return { ok: false, refusal: { why: "refused", status, headers, body, message } };
}

/** What the system says has a code; what the handshake or a frame lacks has words alone. */
function wordsOf(error: unknown): string {
  const code = errorCode(error);
  if (error instanceof ProxyError) return error.message;
  if (code === "" && error instanceof Error) return `it does not speak WebSocket: ${quote(error.message)}`;
  return failureOf(error, true).message;
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

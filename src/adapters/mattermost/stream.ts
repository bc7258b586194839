import type { Clock } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import { onAbort } from "../../lib/abort.ts";
import { isObject, type Json, numberIn, objectIn, parsed, textIn } from "../kit/json.ts";
import type { ServerTrust } from "../kit/trust.ts";
import { type ClientSocket, type HandshakeRefusal, openWebSocket } from "../kit/web-socket.ts";
import type { StreamPosition } from "./positions.ts";

const HANDSHAKE_MS = 20_000;
/** A server that greets, but does not answer, is waited for no longer. */
const ANSWER_MS = 5_000;
/** No event is as long; that of a post with all its attachments has about 1 MiB. */
const FRAME_MAX = 2 << 20;

/** What the server tells. */
export interface MattermostEvent {
  readonly event: string;
  readonly data: Json;
  /** Whom it was told to, as far as it says. */
  readonly channel: string;
  readonly user: string;
  /** Where the stream can be taken up behind it; null: nowhere. */
  readonly behind: StreamPosition | null;
}

/** The server's own clock, told in order with its events. */
export const TIME = "time";

interface StreamOptions {
  /** `ws:` or `wss:`, with the path of the site. */
  readonly base: URL;
  readonly token: string;
  readonly trust: ServerTrust;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where to take up the stream of before; null: a new one. */
  readonly from: StreamPosition | null;
}

export type OpenedStream =
  | { readonly ok: true; readonly stream: EventStream; readonly resumed: boolean }
  | { readonly ok: false; readonly refusal: HandshakeRefusal };

/** Opens the stream of events. `resumed`: nothing is missing since `from`. Never rejects. */
export async function openStream(options: StreamOptions): Promise<OpenedStream> {
  const first = await dial(options);
  // An id that the server cannot make sense of is refused by some.
  if (first.ok || first.refusal.status !== 400 || options.from === null) return first;
  return await dial({ ...options, from: null });
}

async function dial({ base, token, trust, clock, signal, from }: StreamOptions): Promise<OpenedStream> {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/u, "")}/api/v4/websocket`;
  if (from !== null) {
    url.searchParams.set("connection_id", from.connection);
    url.searchParams.set("sequence_number", String(from.next));
  }
  const stream = new EventStream(from);
  const opened = await openWebSocket({
    url,
    // Only who shows its session in the handshake may take up a stream.
    headers: { Authorization: `Bearer ${token}` },
    trust,
    clock,
    signal,
    handshakeMs: HANDSHAKE_MS,
    maxPayload: FRAME_MAX,
    onText: (text) => stream.take(text),
    onHeard: () => stream.onHeard(),
  });
  if (!opened.ok) return opened;
  stream.attach(opened.socket);
  const greeted = await stream.greeted(clock, signal);
  if (greeted === null) return { ok: true, stream, resumed: stream.resumed };
  opened.socket.end(greeted.message);
  return { ok: false, refusal: { why: "network", status: 0, headers: {}, body: "", message: greeted.message } };
}

/** One socket: events in their order, and whether any is missing. */
export class EventStream {
  onHeard: () => void = () => undefined;
  /** Events have been left out: the channels have to be read again. */
  onGap: () => void = () => undefined;
  /** The server no longer takes the login; it leaves the socket open, and tells nothing more. */
  onUnauthorized: () => void = () => undefined;
  readonly #from: StreamPosition | null;
  #socket: ClientSocket | null = null;
  #connection: string | null;
  #next: number;
  #asked = 0;
  #fresh = false;
  #onEvent: ((event: MattermostEvent) => void) | null = null;
  /** What came before anybody listened. */
  #early: MattermostEvent[] = [];
  readonly #answered = Promise.withResolvers<void>();
  readonly #heard = Promise.withResolvers<void>();

  constructor(from: StreamPosition | null) {
    this.#from = from;
    this.#connection = from?.connection ?? null;
    this.#next = from?.next ?? 0;
  }

  get resumed(): boolean {
    return this.#from !== null && !this.#fresh;
  }

  get socket(): ClientSocket {
    if (this.#socket === null) throw new Error("a stream is used before it is open");
    return this.#socket;
  }

  attach(socket: ClientSocket): void {
    this.#socket = socket;
    this.ask();
  }

  /** A question that every server answers, behind all that it has to tell. */
  ask(): void {
    this.#asked += 1;
    this.#socket?.send(JSON.stringify({ seq: this.#asked, action: "ping" }));
    this.#socket?.ping();
  }

  /** Shows for 5 s that we type in a channel, unless something else waits to leave. */
  type(channel: string): void {
    const socket = this.#socket;
    if (socket?.isClear !== true) return;
    this.#asked += 1;
    const data = { channel_id: channel, parent_id: "" };
    socket.send(JSON.stringify({ seq: this.#asked, action: "user_typing", data }));
  }

  /** Events come from now on, those from before at once. */
  listen(onEvent: (event: MattermostEvent) => void): void {
    this.#onEvent = onEvent;
    for (const event of this.#early.splice(0)) onEvent(event);
  }

  /** Resolves when it is known whether the stream goes on or begins; why not, or null. */
  async greeted(clock: Pick<Clock, "after">, signal: AbortSignal): Promise<Reason | null> {
    const over = this.socket.ended.then(({ reason, error }): Reason => {
      const words = [error, reason].find((said) => said !== null && said !== "") ?? "it ended";
      return { code: "network", message: `the server does not begin to tell what happens: ${words}` };
    });
    const done = new AbortController();
    const after = async <T>(ms: number, value: T): Promise<T> => {
      await late(clock, ms, AbortSignal.any([signal, done.signal]));
      return value;
    };
    const silent: Reason = { code: "timeout", message: "the server tells nothing" };
    try {
      const first = await Promise.race([over, this.#heard.promise.then(() => null), after(HANDSHAKE_MS, silent)]);
      if (first !== null) return first;
      // What comes first may be an event of the stream of before; the answer says that nothing else is behind it.
      return await Promise.race([over, this.#answered.promise.then(() => null), after(ANSWER_MS, null)]);
    } finally {
      done.abort();
    }
  }

  take(text: string): void {
    const frame = parsed(text);
    if (!isObject(frame)) return;
    const event = textIn(frame, "event");
    if (event !== null) this.#event(event, frame);
    else if (numberIn(frame, "seq_reply") !== null) this.#reply(frame);
    this.#heard.resolve();
  }

  #reply(frame: Json): void {
    if (numberIn(objectIn(frame, "error"), "status_code") === 401) return this.onUnauthorized();
    this.#answered.resolve();
    const atMs = numberIn(objectIn(frame, "data"), "server_time");
    if (atMs !== null) this.#tell({ event: TIME, data: { atMs }, channel: "", user: "", behind: this.#position });
  }

  #event(event: string, frame: Json): void {
    const data = objectIn(frame, "data");
    const seq = numberIn(frame, "seq");
    if (event === "hello") {
      const connection = textIn(data, "connection_id");
      if (connection === null || connection !== this.#connection) this.#fresh = true;
      this.#connection = connection === "" ? null : connection;
      this.#next = (seq ?? 0) + 1;
      return;
    }
    if (seq !== null && seq > this.#next) this.#miss();
    if (seq !== null) this.#next = Math.max(this.#next, seq + 1);
    const broadcast = objectIn(frame, "broadcast");
    const [channel, user] = [textIn(broadcast, "channel_id") ?? "", textIn(broadcast, "user_id") ?? ""];
    this.#tell({ event, data, channel, user, behind: this.#position });
  }

  #miss(): void {
    if (this.#onEvent === null) this.#fresh = true;
    else this.onGap();
  }

  get #position(): StreamPosition | null {
    return this.#connection === null ? null : { connection: this.#connection, next: this.#next };
  }

  #tell(event: MattermostEvent): void {
    if (this.#onEvent === null) this.#early.push(event);
    else this.#onEvent(event);
  }
}

async function late(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(ms, over.resolve);
  const release = onAbort(signal, over.resolve);
  await over.promise;
  cancel();
  release();
}

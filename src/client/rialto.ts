import type { ApiReceipt, StreamEvent } from "../contract/api-v1.ts";
import type {
  EditWords,
  GatewayAnswer,
  HistoryAnswer,
  HistoryAsk,
  MeAnswer,
  MembersAnswer,
  PostAnswer,
  PostWords,
  ReceiptsAnswer,
  SaidBy,
  UploadAnswer,
} from "./answers.ts";
import { RialtoCaller, pathOf, type RialtoOptions } from "./caller.ts";
import { type ConsumerWords, RialtoConsumer } from "./consumer.ts";
import { isAnswer, RialtoError } from "./error.ts";
import { SilenceWatch } from "./pauses.ts";
import { serverSent } from "./server-sent.ts";

export interface RialtoCallOptions {
  readonly signal?: AbortSignal;
}

export interface LiveOptions extends RialtoCallOptions {
  readonly gateways?: readonly string[];
  readonly types?: readonly string[];
  /** Begin after this position; absent: with what comes. */
  readonly after?: string;
}

/** A stream without a sign of life for so long is opened again; the server gives one every 15 s. */
const SILENCE_MS = 45_000;

/**
 * One API account of Rialto. Requests that fail for a reason that passes are repeated; a post, under one key.
 * What fails for good rejects with RialtoError; an abort, with the reason of its signal.
 */
export class Rialto {
  readonly #caller: RialtoCaller;

  constructor(options: RialtoOptions) {
    this.#caller = new RialtoCaller(options);
  }

  /** Who this is for Rialto, and what it may do. */
  async me(options: RialtoCallOptions = {}): Promise<MeAnswer> {
    return await this.#caller.answer({ method: "GET", path: pathOf("me"), ...options });
  }

  async gateways(options: RialtoCallOptions = {}): Promise<readonly GatewayAnswer[]> {
    const request = { method: "GET", path: pathOf("gateways"), ...options } as const;
    return (await this.#caller.answer<{ readonly gateways: readonly GatewayAnswer[] }>(request)).gateways;
  }

  async gateway(name: string, options: RialtoCallOptions = {}): Promise<GatewayAnswer> {
    return await this.#caller.answer({ method: "GET", path: pathOf("gateways", name), ...options });
  }

  async members(gateway: string, options: RialtoCallOptions = {}): Promise<MembersAnswer> {
    return await this.#caller.answer({ method: "GET", path: pathOf("gateways", gateway, "members"), ...options });
  }

  /** A page of what was said, oldest first; without a position the newest. */
  async history(gateway: string, { signal, ...query }: HistoryAsk & RialtoCallOptions = {}): Promise<HistoryAnswer> {
    return await this.#caller.answer({
      method: "GET",
      path: pathOf("gateways", gateway, "history"),
      query: { ...query },
      signal,
    });
  }

  /** A named reader; see RialtoConsumer. */
  consumer(name: string, words?: ConsumerWords): RialtoConsumer {
    return new RialtoConsumer(name, words, this.#caller);
  }

  /**
   * What happens from now on, or from a position on, without a name: it goes on after a cut where it was, as long as
   * this loop runs. Events of types that this version does not know come too: pass them over.
   */
  async *events({ signal, after, gateways, types }: LiveOptions = {}): AsyncGenerator<StreamEvent, void, void> {
    let position = after;
    for (let failures = 1; ; failures += 1) {
      const watch = new SilenceWatch(SILENCE_MS, signal);
      try {
        const query = { gateways, types, after: position };
        const request = {
          method: "GET",
          path: pathOf("events"),
          query,
          headers: { Accept: "text/event-stream" },
        } as const;
        const { body, headers } = await this.#caller.opened(request, watch.signal);
        position ??= headers.get("last-event-id") ?? undefined;
        for await (const { id, data } of serverSent(body, () => watch.heard())) {
          failures = 0;
          const event: unknown = JSON.parse(data);
          if (isAnswer<StreamEvent>(event)) yield event;
          if (id !== "") position = id;
        }
        throw new RialtoError("the stream has ended", { code: "unreachable", status: 0 });
      } catch (error) {
        watch.done();
        await this.#caller.afterFailure(error, Math.max(1, failures), signal);
      } finally {
        watch.done();
      }
    }
  }

  /** Says something. `key`: its Idempotency-Key, when a later run of the program might repeat it. */
  async post(
    gateway: string,
    words: PostWords,
    options: RialtoCallOptions & { key?: string } = {},
  ): Promise<PostAnswer> {
    const { signal, key = newKey() } = options;
    const path = pathOf("gateways", gateway, "messages");
    return await this.#caller.answer({
      method: "POST",
      path,
      body: words,
      headers: { "Idempotency-Key": key },
      signal,
    });
  }

  /** `files`: all that the message has from now on; absent: they stay. */
  async edit(id: string, words: EditWords, options: RialtoCallOptions = {}): Promise<PostAnswer> {
    return await this.#caller.answer({ method: "PATCH", path: pathOf("messages", id), body: words, ...options });
  }

  /** Deletes it everywhere. */
  async delete(id: string, { signal, author }: RialtoCallOptions & { author?: SaidBy } = {}): Promise<PostAnswer> {
    const body = author === undefined ? {} : { author };
    return await this.#caller.answer({ method: "DELETE", path: pathOf("messages", id), body, signal });
  }

  /** Puts an emoji under a message, or takes it away. */
  async react(
    id: string,
    emoji: string,
    { on = true, signal, author }: RialtoCallOptions & { on?: boolean; author?: SaidBy } = {},
  ): Promise<PostAnswer> {
    const path = pathOf("messages", id, "reactions", emoji);
    const body = author === undefined ? {} : { author };
    return await this.#caller.answer({ method: on ? "PUT" : "DELETE", path, body, signal });
  }

  /** Shows for 5 s that somebody types. */
  async typing(gateway: string, options: RialtoCallOptions = {}): Promise<void> {
    const path = pathOf("gateways", gateway, "typing");
    await this.#caller.json({ method: "POST", path, body: {}, retries: 0, ...options });
  }

  /** What became of a message at each destination; `waitS`: waits so long at most until all are settled. */
  async receipts(
    id: string,
    { signal, waitS = 0 }: RialtoCallOptions & { waitS?: number } = {},
  ): Promise<readonly ApiReceipt[]> {
    const path = pathOf("messages", id, "receipts");
    const query = { wait: waitS === 0 ? undefined : `${waitS}s` };
    return (await this.#caller.answer<ReceiptsAnswer>({ method: "GET", path, query, signal, waitMs: waitS * 1000 }))
      .receipts;
  }

  /**
   * Its id goes into the `files` of a post. A stream is sent once; anything else is repeated when that fails. A page
   * reads a stream whole before: browsers send none over HTTP/1.1.
   */
  async upload(
    content: Blob | Uint8Array | ReadableStream<Uint8Array>,
    { name, signal, type }: RialtoCallOptions & { name: string; type?: string },
  ): Promise<UploadAnswer> {
    const headers = type === undefined ? {} : { "Content-Type": type };
    const raw = content instanceof ReadableStream && isPage() ? await new Response(content).blob() : content;
    const path = pathOf("files");
    const waitMs = uploadMs(raw);
    const request = { method: "POST", path, query: { name }, raw, headers, signal, waitMs } as const;
    return await this.#caller.answer(request);
  }

  /** The content of a file, read as it is wanted. `from`: from this byte on. */
  async download(id: string, { signal, from = 0 }: RialtoCallOptions & { from?: number } = {}): Promise<Response> {
    const headers = from === 0 ? {} : { Range: `bytes=${from}-` };
    return await this.#caller.open({ method: "GET", path: pathOf("files", id), headers, signal });
  }
}

/** How long the server takes it in at most; of a stream nobody knows how much comes. */
function uploadMs(content: Blob | Uint8Array | ReadableStream<Uint8Array>): number {
  if (content instanceof ReadableStream) return 3_600_000;
  return 120_000 + ("size" in content ? content.size : content.byteLength) / 64;
}

/** Or a worker of one. */
const isPage = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis;

/** 128 random bits; `randomUUID` is not there on pages without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join(".");

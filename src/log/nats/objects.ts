import { createHash, randomUUID } from "node:crypto";
import type { JetStreamClient, JetStreamManager, JsMsg } from "@nats-io/jetstream";
import { onAbort } from "../../lib/abort.ts";
import { isObject, readJson } from "../../lib/shapes.ts";
import { headersOf } from "./headers.ts";
import { type CommitStream, isError, isMissing, serverTime } from "./stream.ts";

/** Bytes of one message of an object. */
const CHUNK_BYTES = 128 * 1024;
/** Most chunks of an object that wait for who reads it, and most objects for who lists them. */
const AHEAD = 64;
const LIST_AHEAD = 1000;
/** A publish that finds another message than it expected. */
export const NOT_AS_EXPECTED = 10071;
/** … and those that find no room: in the stream, or on the servers. */
const NO_ROOM = [10077, 10023];
/** So long a chunk is tried to be stored, and so long the next is waited for, in ms. */
const STALLED_MS = 30_000;
/** Time before the next attempt, in ms. */
const PAUSE_MS = 500;

/** An object of a bucket. */
export interface StoredObject {
  readonly name: string;
  /** Of its chunks. */
  readonly nuid: string;
  readonly size: number;
  readonly chunks: number;
  /** `SHA-256=`, and the hash in base64url. */
  readonly digest: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An object as it is listed. */
export interface ListedObject {
  readonly object: StoredObject;
  /** Place of what describes it in the stream: another one once it was put or touched again. */
  readonly seq: number;
  /** When that was, by the servers' clock, Unix ms. */
  readonly atMs: number;
}

interface PublishHow {
  /** The servers store no second one with it. */
  readonly msgID: string;
  /** Place of the last message of that subject, or it is refused; absent: whichever. */
  readonly lastSeq?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a bucket is made with. */
interface BucketSettings {
  readonly replicas: number;
  /** Others that its stream has as well. */
  readonly subjects: readonly string[];
  /** What its stream may hold; absent: what the servers have. */
  readonly bytesMax?: number;
}

/**
 * A bucket of the object store of NATS (its ADR 20), so that its tools list and fetch what is in it. The client's own
 * package takes an object into memory as fast as it comes, and waits forever for one of which chunks are missing.
 */
export class Objects {
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  readonly #bucket: string;

  private constructor({ js, jsm }: Pick<CommitStream, "js" | "jsm">, bucket: string) {
    this.#js = js;
    this.#jsm = jsm;
    this.#bucket = bucket;
  }

  /** Makes the bucket when it is missing; one that is there gets this `bytesMax`. */
  static async open(
    servers: Pick<CommitStream, "js" | "jsm">,
    bucket: string,
    { replicas, subjects, bytesMax }: BucketSettings,
  ): Promise<Objects> {
    const objects = new Objects(servers, bucket);
    const { streams } = servers.jsm;
    const { config } = await streams.info(objects.stream).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      return await streams.add({
        name: objects.stream,
        subjects: [`$O.${bucket}.C.>`, `$O.${bucket}.M.>`, ...subjects],
        num_replicas: replicas,
        storage: "file",
        discard: "new",
        allow_rollup_hdrs: true,
        allow_direct: true,
        ...(bytesMax !== undefined && { max_bytes: bytesMax }),
      });
    });
    if (bytesMax !== undefined && config.max_bytes !== bytesMax) {
      await streams.update(objects.stream, { max_bytes: bytesMax });
    }
    return objects;
  }

  get stream(): string {
    return `OBJ_${this.#bucket}`;
  }

  async list(): Promise<readonly StoredObject[]> {
    const found: StoredObject[] = [];
    for (const subject of (await this.#counts("M.>")).keys()) {
      const message = await this.#jsm.streams.getMessage(this.stream, { last_by_subj: subject });
      const object = message === null ? null : objectOf(message.string());
      if (object !== null) found.push(object);
    }
    return found;
  }

  /** All that there are, in the order in which they were put or touched, without asking for each by itself. */
  async listed(): Promise<readonly ListedObject[]> {
    const found: ListedObject[] = [];
    if ((await this.#counts("M.>")).size === 0) return found;
    const consumer = await this.#js.consumers.get(this.stream, { filter_subjects: this.#subject("M", ">") });
    const messages = await consumer.consume({ max_messages: LIST_AHEAD, expires: 5000, idle_heartbeat: 1000 });
    const coming = messages[Symbol.asyncIterator]();
    try {
      for (;;) {
        const message = await next(coming);
        const object = objectOf(message.string());
        if (object !== null) found.push({ object, seq: message.seq, atMs: message.time.getTime() });
        if (message.info.pending === 0) return found;
      }
    } finally {
      messages.stop();
      consumer.delete().catch(() => undefined);
    }
  }

  /** Null: there is none of that name. */
  async find(name: string): Promise<ListedObject | null> {
    const message = await this.#jsm.streams.getMessage(this.stream, { last_by_subj: this.#meta(name) });
    const object = message === null ? null : objectOf(message.string());
    return message === null || object === null ? null : { object, seq: message.seq, atMs: message.time.getTime() };
  }

  /** Whether all chunks are there of an object that is, and what time it is by the servers' clock, Unix ms. */
  async check({ nuid, chunks }: StoredObject): Promise<{ readonly isWhole: boolean; readonly nowMs: number }> {
    const subject = this.#subject("C", nuid);
    const info = await this.#jsm.streams.info(this.stream, { subjects_filter: subject });
    return { isWhole: (info.state.subjects?.[subject] ?? 0) === chunks, nowMs: serverTime(info) };
  }

  /** Gives it the time of now; false: it was put again, touched or removed since it was found. */
  async touch({ object, seq }: ListedObject): Promise<boolean> {
    try {
      await this.#describe(object, { msgID: randomUUID(), lastSeq: seq });
      return true;
    } catch (error) {
      if (isError(error, NOT_AS_EXPECTED)) return false;
      throw error;
    }
  }

  /** Stores it whole, or rejects; chunks of what was not finished, and not refused, stay until `tidy`. */
  async put(
    { name, metadata }: Pick<StoredObject, "name" | "metadata">,
    source: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<void> {
    const nuid = randomUUID();
    const hash = createHash("sha256");
    let [size, chunks] = [0, 0];
    try {
      for await (const chunk of inChunks(source)) {
        hash.update(chunk);
        size += chunk.length;
        chunks += 1;
        await this.#publish(this.#subject("C", nuid), chunk, { msgID: `${nuid}/${chunks}`, signal });
      }
      const object: StoredObject = { name, nuid, size, chunks, digest: digestOf(hash.digest()), metadata };
      await this.#describe(object, { msgID: nuid, signal });
    } catch (error) {
      // What a full bucket has taken of it would keep it full.
      const filter = this.#subject("C", nuid);
      if (isRefused(error)) await this.#jsm.streams.purge(this.stream, { filter }).catch(() => undefined);
      throw error;
    }
  }

  async #describe(object: StoredObject, how: PublishHow): Promise<void> {
    const more = { bucket: this.#bucket, mtime: new Date().toISOString(), options: { max_chunk_size: CHUNK_BYTES } };
    await this.#publish(this.#meta(object.name), Buffer.from(JSON.stringify({ ...object, ...more })), how);
  }

  /** Its bytes; throws at the end, or before it, when they are not what was put, and when it is given up. */
  async *read(object: StoredObject, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const subject = this.#subject("C", object.nuid);
    const count = (await this.#counts(`C.${object.nuid}`)).get(subject) ?? 0;
    if (count !== object.chunks) throw new Error(`it has ${count} parts, and not ${object.chunks}`);
    const consumer = await this.#js.consumers.get(this.stream, { filter_subjects: subject });
    const messages = await consumer.consume({ max_messages: AHEAD, expires: 5000, idle_heartbeat: 1000 });
    const coming = messages[Symbol.asyncIterator]();
    const hash = createHash("sha256");
    const release = onAbort(signal, () => messages.stop());
    try {
      for (let left = object.chunks; left > 0; left -= 1) {
        const { data } = await next(coming);
        hash.update(data);
        yield data;
      }
    } finally {
      release();
      messages.stop();
      consumer.delete().catch(() => undefined);
    }
    if (digestOf(hash.digest()) !== object.digest) throw new Error("its checksum (SHA-256) is another");
  }

  async remove({ name, nuid }: Pick<StoredObject, "name" | "nuid">): Promise<void> {
    const { streams } = this.#jsm;
    for (const filter of [this.#meta(name), this.#subject("C", nuid)]) await streams.purge(this.stream, { filter });
  }

  /** False, and nothing is removed, when it was put or touched since it was listed. */
  async removeListed({ object, seq }: ListedObject): Promise<boolean> {
    const { streams } = this.#jsm;
    const { purged } = await streams.purge(this.stream, { filter: this.#meta(object.name), seq: seq + 1 });
    if (purged > 0 && object.chunks > 0) {
      await streams.purge(this.stream, { filter: this.#subject("C", object.nuid) });
    }
    return purged > 0;
  }

  /** Deletes the chunks of objects that were never finished. Only for who is the only one to put anything. */
  async tidy(): Promise<void> {
    const known = new Set((await this.list()).map(({ nuid }) => this.#subject("C", nuid)));
    for (const subject of (await this.#counts("C.>")).keys()) {
      if (!known.has(subject)) await this.#jsm.streams.purge(this.stream, { filter: subject });
    }
  }

  /** The same where others put as well: what got its last chunk after `beforeMs`, Unix ms, may still be finished. */
  async tidyOld(kept: readonly ListedObject[], beforeMs: number): Promise<void> {
    const { streams } = this.#jsm;
    const known = new Set(kept.map(({ object }) => this.#subject("C", object.nuid)));
    for (const subject of (await this.#counts("C.>")).keys()) {
      if (known.has(subject)) continue;
      const last = await streams.getMessage(this.stream, { last_by_subj: subject });
      if (last !== null && last.time.getTime() < beforeMs) await streams.purge(this.stream, { filter: subject });
    }
  }

  async #counts(part: string): Promise<ReadonlyMap<string, number>> {
    const filter = `$O.${this.#bucket}.${part}`;
    const { state } = await this.#jsm.streams.info(this.stream, { subjects_filter: filter });
    return new Map(Object.entries(state.subjects ?? {}));
  }

  async #publish(subject: string, body: Uint8Array, { msgID, lastSeq, signal }: PublishHow): Promise<void> {
    const headers = subject.includes(".M.") ? await headersOf(ROLLUP) : undefined;
    const until = performance.now() + STALLED_MS;
    const expect = { streamName: this.stream, ...(lastSeq !== undefined && { lastSubjectSequence: lastSeq }) };
    for (;;) {
      signal?.throwIfAborted();
      try {
        await this.#js.publish(subject, body, { msgID, expect, ...(headers !== undefined && { headers }) });
        return;
      } catch (error) {
        if (performance.now() > until || isRefused(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  #meta(name: string): string {
    return this.#subject("M", base64Url(Buffer.from(name)));
  }

  #subject(kind: "C" | "M", name: string): string {
    return `$O.${this.#bucket}.${kind}.${name}`;
  }
}

/** A newer object of that name stands for all before it. */
const ROLLUP = { "Nats-Rollup": "sub" };

/** As NATS writes it: with the padding that Node leaves out. */
const base64Url = (bytes: Buffer): string => bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");

const digestOf = (hash: Buffer): string => `SHA-256=${base64Url(hash)}`;

async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const part of source) {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    let from = 0;
    for (; rest.length - from >= CHUNK_BYTES; from += CHUNK_BYTES) yield rest.subarray(from, from + CHUNK_BYTES);
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield rest;
}

async function next(messages: AsyncIterator<JsMsg>): Promise<JsMsg> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, STALLED_MS, null);
  });
  const answer = await Promise.race([messages.next(), stalled]);
  clearTimeout(timer);
  if (answer === null || answer.done === true) throw new Error("its next part does not come");
  return answer.value;
}

/** The servers have said no: another attempt has the same answer. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "number" && error.code >= 10_000;

export const isFull = (error: unknown): boolean => NO_ROOM.some((code) => isError(error, code));

/** Null for what is no object, was deleted, or is not to be read. */
function objectOf(text: string): StoredObject | null {
  const value = readJson(text);
  return isStored(value) ? value : null;
}

const isStored = (value: unknown): value is StoredObject =>
  isObject(value) &&
  value["deleted"] !== true &&
  ["name", "nuid", "digest"].every((field) => typeof value[field] === "string") &&
  ["size", "chunks"].every((field) => typeof value[field] === "number") &&
  isObject(value["metadata"]) &&
  Object.values(value["metadata"]).every((field) => typeof field === "string");

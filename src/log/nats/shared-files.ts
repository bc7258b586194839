import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { isFull, type ListedObject, Objects } from "./objects.ts";
import { type CommitStream, patiently, serverTime } from "./stream.ts";

const SECRET_BYTES = 32;
/** Hex digits of a content's SHA-256 that name it: as many as links have. */
const NAME_DIGITS = 32;
/** Begins the names of what is known of a file. */
const NOTE = "id-";
/** How exactly the last use is kept, so that using a content does not write each time, in ms. */
const USE_STEP_MS = 12 * 3_600_000;
/** So long after its last chunk, what was not finished is taken for given up. */
const UNFINISHED_MS = 3_600_000;
/** Most objects, of both kinds. */
const COUNT_MAX = 50_000;
/** What is over a limit goes down to this share of it, or each further file would be a sweep of its own. */
const ROOM = 0.9;
/** What a chunk and an object take beside their bytes, at most. */
const CHUNK_ROOM = 256;
const OBJECT_ROOM = 2048;
/** The stream may hold more than is kept: what comes in while a sweep is under way, and what that leaves behind. */
const MARGIN = { share: 1.25, bytes: 64 * 1024 * 1024 };

/** What is known of a file. */
interface Note {
  /** Of its content. */
  readonly sha256: string;
  readonly facts: string;
}

interface SharedSettings {
  readonly replicas: number;
  /** What is to be kept. */
  readonly bytesMax: number;
  /** Whether this is the node that deletes what is too old. */
  readonly sweeps: () => boolean;
}

interface SweepLimits {
  /** What was last used longer ago goes, in ms. */
  readonly keepMs: number;
  /** What all may take. */
  readonly bytesMax: number;
  /** So much is to be put for which there was no room; 0: nothing. */
  readonly room: number;
  /** Asked when the rest is over a limit: what has the lowest rank goes first. Absent: all are equal. */
  readonly ranking?: () => Promise<(sha256: string) => number>;
}

/**
 * Contents of files that all nodes have, in a bucket of the object store: each by the beginning of its SHA-256, with a
 * digest of all of it. Beside it, under the hash of a file's id, an object without content says which content it is.
 * All methods reject when the servers cannot be asked, or refuse.
 */
export class SharedFiles {
  readonly #stream: CommitStream;
  readonly #objects: Objects;
  readonly #secrets: string;
  readonly #sweeps: () => boolean;

  private constructor(stream: CommitStream, objects: Objects, secrets: string, sweeps: () => boolean) {
    this.#stream = stream;
    this.#objects = objects;
    this.#secrets = secrets;
    this.#sweeps = sweeps;
  }

  /** Rejects with a LogError. */
  static async open(stream: CommitStream, { replicas, bytesMax, sweeps }: SharedSettings): Promise<SharedFiles> {
    const secrets = `r.k.${stream.shard}`;
    const most = Math.ceil(bytesMax * MARGIN.share) + MARGIN.bytes;
    const bucket = `${stream.name}_FILES`;
    const objects = await patiently(`${bucket}, with room for MediaBytes (${Math.ceil(most / 1024 ** 2)} MiB)`, () =>
      Objects.open(stream, bucket, { replicas, subjects: [secrets], bytesMax: most }),
    );
    return new SharedFiles(stream, objects, secrets, sweeps);
  }

  /** 32 bytes that all nodes have the same; made when there are none. Rejects with a LogError. */
  async secret(): Promise<Uint8Array> {
    const { jsm, js } = this.#stream;
    const { stream } = this.#objects;
    return await patiently(stream, async () => {
      const last = await jsm.streams.getMessage(stream, { last_by_subj: this.#secrets });
      if (last?.data.length === SECRET_BYTES) return last.data;
      const made = randomBytes(SECRET_BYTES);
      const expect = { streamName: stream, lastSubjectSequence: last?.seq ?? 0 };
      await js.publish(this.#secrets, made, { expect });
      return made;
    });
  }

  /** Whether it is there, whole; it counts as used now. */
  async use(sha256: string): Promise<boolean> {
    const found = await this.#objects.find(nameOf(sha256));
    if (found === null || found.object.metadata["sha256"] !== sha256) return false;
    const { isWhole, nowMs } = await this.#objects.check(found.object);
    if (!isWhole) return false;
    return nowMs - found.atMs < USE_STEP_MS || (await this.#objects.touch(found));
  }

  /** Resolves when most of the servers have all of it, or with false when there is no room. */
  async put(sha256: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<boolean> {
    return await this.#put({ name: nameOf(sha256), metadata: { sha256 } }, content, signal);
  }

  /** The content whose SHA-256 begins so (32 digits at least), read as it is asked for; null: it is not there. */
  async get(
    beginning: string,
    signal: AbortSignal,
  ): Promise<{ readonly sha256: string; readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> } | null> {
    const found = await this.#objects.find(nameOf(beginning));
    const { sha256 = "" } = found?.object.metadata ?? {};
    if (found === null || !sha256.startsWith(beginning)) return null;
    return { sha256, bytes: found.object.size, chunks: this.#objects.read(found.object, signal) };
  }

  /** Keeps what is known of a file; false when there is no room. `id`: hex digits of its hash. */
  async note(id: string, { sha256, facts }: Note, signal: AbortSignal): Promise<boolean> {
    const object = { name: NOTE + id.slice(0, NAME_DIGITS), metadata: { sha256, facts } };
    return await this.#put(object, Readable.from([]), signal);
  }

  async noted(id: string): Promise<Note | null> {
    const found = await this.#objects.find(NOTE + id.slice(0, NAME_DIGITS));
    const { sha256, facts } = found?.object.metadata ?? {};
    return sha256 === undefined || facts === undefined ? null : { sha256, facts };
  }

  /**
   * Where this node is the one for it, or the bucket over its limit or full, which does not wait for another: removes
   * what is too old by the servers' clock, and, when the rest is over a limit, what has the lowest rank, and of
   * equal ranks the longest unused; what is known of files whose content is not there; and what was never finished.
   * `bytes`: what stays.
   */
  async sweep(
    { keepMs, bytesMax, room, ranking = equal }: SweepLimits,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: number; readonly removed: number }> {
    const info = await this.#stream.jsm.streams.info(this.#objects.stream);
    if (!this.#sweeps() && room === 0 && info.state.bytes <= bytesMax) return { bytes: info.state.bytes, removed: 0 };
    const nowMs = serverTime(info);
    const all = (await this.#objects.listed()).toSorted((one, other) => one.atMs - other.atMs);
    const newest = all.reduce((most, each) => Math.max(most, roomOf(each)), 0);
    let left = all.reduce((sum, each) => sum + roomOf(each), 0);
    let count = all.length;
    const share = left > bytesMax || count > COUNT_MAX ? ROOM : 1;
    const bytes = Math.min(Math.max(bytesMax * share, Math.min(bytesMax, newest)), bytesMax - room);
    const most = { bytes, count: COUNT_MAX * share };
    const kept = new Set(all);
    const remove = async (each: ListedObject): Promise<void> => {
      signal.throwIfAborted();
      if (!(await this.#objects.removeListed(each))) return;
      kept.delete(each);
      left -= roomOf(each);
      count -= 1;
    };
    const isOver = (): boolean => left > most.bytes || count > most.count;
    for (const each of all) if (nowMs - each.atMs > keepMs) await remove(each);
    const rank = isOver() ? await ranking() : () => 0;
    for (const each of [...kept].sort((one, other) => rank(sha256Of(one)) - rank(sha256Of(other)))) {
      if (!isOver()) break;
      await remove(each);
    }
    const contents = new Set([...kept].filter((each) => !isNote(each)).map(sha256Of));
    for (const each of kept) if (isNote(each) && !contents.has(sha256Of(each))) await remove(each);
    await this.#objects.tidyOld([...kept], nowMs - UNFINISHED_MS);
    return { bytes: left, removed: all.length - count };
  }

  async #put(...object: Parameters<Objects["put"]>): Promise<boolean> {
    try {
      await this.#objects.put(...object);
      return true;
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
  }
}

const equal = (): Promise<() => number> => Promise.resolve(() => 0);

const nameOf = (sha256: string): string => sha256.slice(0, NAME_DIGITS);

const isNote = ({ object }: ListedObject): boolean => object.name.startsWith(NOTE);

const sha256Of = ({ object }: ListedObject): string => object.metadata["sha256"] ?? "";

const roomOf = ({ object }: ListedObject): number => object.size + object.chunks * CHUNK_ROOM + OBJECT_ROOM;

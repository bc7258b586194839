import { randomUUID } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, fsyncSync, openSync, statSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { stateOfCopy } from "../sqlite/copied.ts";
import { NOT_AS_EXPECTED, Objects, type StoredObject } from "./objects.ts";
import { type CommitStream, isError, patiently, serverTime } from "./stream.ts";

/** So many are kept: the newest, and one before it should that be damaged. */
const KEPT = 2;

/** A copy of a log as it was behind a commit, on the servers. */
export interface Snapshot {
  readonly object: StoredObject;
  /** Place of that commit in the stream. */
  readonly applied: number;
  /** From here on the stream is needed behind it. */
  readonly resume: number;
  /** Of the file. */
  readonly bytes: number;
  /** The node that made it, and when, by its clock, Unix ms. */
  readonly node: string;
  readonly at: number;
}

/** The snapshots of one stream: what a node begins with that is new, or for which the stream begins too late. */
export class Snapshots {
  readonly #stream: CommitStream;
  readonly #objects: Objects;
  readonly #claims: string;

  private constructor(stream: CommitStream, objects: Objects, claims: string) {
    this.#stream = stream;
    this.#objects = objects;
    this.#claims = claims;
  }

  static async open(stream: CommitStream, replicas: number): Promise<Snapshots> {
    const claims = `r.s.${stream.shard}`;
    const settings = { replicas, subjects: [claims] };
    const objects = await patiently(stream.name, () => Objects.open(stream, stream.name, settings));
    return new Snapshots(stream, objects, claims);
  }

  /** Newest first. */
  async list(): Promise<readonly Snapshot[]> {
    const all = await this.#objects.list();
    const own = all.filter(({ metadata }) => metadata["stream"] === this.#stream.identity).map(snapshotOf);
    return own.toSorted((one, other) => other.applied - one.applied);
  }

  /** Whether this node is the one to make the next: nobody else has begun one in the last `forMs`. */
  async claim(node: string, forMs: number): Promise<boolean> {
    const { jsm, js } = this.#stream;
    const [info, last] = await Promise.all([
      jsm.streams.info(this.#objects.stream),
      jsm.streams.getMessage(this.#objects.stream, { last_by_subj: this.#claims }),
    ]);
    // Both by the servers' clocks.
    if (last !== null && serverTime(info) - last.time.getTime() < forMs) return false;
    try {
      await js.publish(this.#claims, node, { expect: { lastSubjectSequence: last?.seq ?? 0 } });
      return true;
    } catch (error) {
      if (isError(error, NOT_AS_EXPECTED)) return false;
      throw error;
    }
  }

  /** Stores a copy of the log, and deletes what is older than the two newest and what was never finished. */
  async put(file: string, of: Pick<Snapshot, "node" | "at">): Promise<void> {
    await this.#objects.tidy();
    await this.#store(file, of);
    for (const { object } of (await this.list()).slice(KEPT)) await this.#objects.remove(object);
  }

  /** The same of a copy that others may store as well: it takes the place of none. `read`: told of bytes that went. */
  async add(file: string, of: Pick<Snapshot, "node" | "at">, read: (bytes: number) => void): Promise<void> {
    await this.#store(file, of, { mark: `-${randomUUID().slice(0, 8)}`, read });
  }

  async #store(
    file: string,
    { node, at }: Pick<Snapshot, "node" | "at">,
    { mark = "", read }: { readonly mark?: string; readonly read?: (bytes: number) => void } = {},
  ): Promise<void> {
    const { stream, applied, resume } = stateOfCopy(file);
    const { size } = statSync(file);
    const facts = { stream: stream ?? "", applied, resume, bytes: size, node, at };
    const metadata = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, String(fact)]));
    const packed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    const source = createReadStream(file);
    if (read !== undefined) source.on("data", (part) => read(part.length));
    const reading = pipeline(source, packed);
    const name = `${String(applied).padStart(16, "0")}${mark}`;
    await Promise.all([reading, this.#objects.put({ name, metadata }, packed)]);
  }

  /** Deletes of the stream what none of the kept snapshots needs; nothing as long as there is one alone. */
  async purge(): Promise<void> {
    const kept = (await this.list()).slice(0, KEPT);
    if (kept.length < KEPT) return;
    const seq = Math.min(...kept.map(({ resume }) => resume));
    await this.#stream.jsm.streams.purge(this.#stream.name, { seq });
  }

  /** Resolves when the file is there, whole and on the disk; rejects when it is not what was stored. */
  async fetch({ object, applied, resume, bytes }: Snapshot, file: string): Promise<void> {
    const limited = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let left = bytes;
      for await (const part of source) {
        left -= part.length;
        if (left < 0) throw new Error("it is larger than it says");
        yield part;
      }
    };
    const to = createWriteStream(file, { flags: "w", mode: 0o600 });
    await pipeline(Readable.from(this.#objects.read(object)), createZstdDecompress(), limited, to);
    const found = stateOfCopy(file);
    if (found.stream !== this.#stream.identity || found.applied !== applied || found.resume !== resume) {
      throw new Error("it is of another place than it says");
    }
    const handle = openSync(file, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}

function snapshotOf(object: StoredObject): Snapshot {
  const fact = (name: string): number => Number(object.metadata[name] ?? 0);
  const { node = "" } = object.metadata;
  return { object, applied: fact("applied"), resume: fact("resume"), bytes: fact("bytes"), node, at: fact("at") };
}

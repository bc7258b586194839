import { rmSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe } from "../../lib/describe.ts";
import { LogError } from "../errors.ts";
import { logFile } from "../sqlite/database.ts";
import { assertNoLog, clearHalves, copyToImport, halfOf, hashOf, type MovedLog } from "../sqlite/move.ts";
import { enterStream } from "../sqlite/replica.ts";
import type { CheckOptions, ReportProgress } from "../sqlite/upkeep.ts";
import { decodeImport, encodeImport, idText, parseId } from "./codec.ts";
import { connectNats, type NatsServers } from "./connect.ts";
import { NOT_AS_EXPECTED } from "./objects.ts";
import { Snapshots } from "./snapshots.ts";
import { type CommitStream, copiesOn, findStream, isError, openStream, patiently } from "./stream.ts";

export interface ImportOptions extends NatsServers, Omit<CheckOptions, "dataPath"> {
  /** Which stream. */
  readonly shard: string;
  /** A file of `exportLog`, or a backup. */
  readonly file: string;
  /** Has no log, and room for a copy of the file. */
  readonly dataPath: string;
  /** Unix ms. */
  readonly nowMs: number;
}

export interface Imported extends MovedLog {
  readonly stream: string;
  /** It was there, from an import before this one. */
  readonly isRepeated: boolean;
}

/**
 * Makes a file the log with which a new stream begins. Its first message says by SHA-256 which file that is, so that of
 * two imports one counts, and one that was interrupted goes on with the same file; its first snapshot is that log, and
 * no node begins without it. Rejects with a LogError; `stream` when the stream is not new.
 */
export async function importIntoStream(options: ImportOptions): Promise<Imported> {
  const { file, dataPath, shard, isSound, progress } = options;
  assertNoLog(dataPath);
  const sha256 = await hashOf(file, options);
  const nc = await connectNats(options);
  const scratch = halfOf(logFile(dataPath));
  try {
    clearHalves(logFile(dataPath));
    // What is refused is refused before the long work.
    const found = await findStream(nc, shard);
    if (found !== null && found.last > 0) await assertSame(found, sha256);
    const { entries, marks, head, bytes } = await copyToImport(file, scratch, { isSound, progress });
    const moved = { entries, marks, head, bytes, sha256 };
    const { stream, isRepeated } = await begin(nc, scratch, moved, options);
    return { ...moved, stream: stream.name, isRepeated };
  } finally {
    rmSync(scratch, { force: true });
    await nc.close();
  }
}

async function begin(
  nc: NatsConnection,
  scratch: string,
  { sha256, bytes }: MovedLog,
  { shard, node, nowMs, progress }: ImportOptions,
): Promise<{ readonly stream: CommitStream; readonly isRepeated: boolean }> {
  const stream = await openStream(nc, shard, copiesOn(nc));
  await claim(stream, node, sha256);
  const snapshots = await Snapshots.open(stream, copiesOn(nc));
  if ((await snapshots.list()).length > 0) return { stream, isRepeated: true };
  const db = new BetterSqlite3(scratch, { fileMustExist: true });
  try {
    db.transaction(() => enterStream(db, stream.identity, sha256))();
  } finally {
    db.close();
  }
  try {
    await snapshots.add(scratch, { node, at: nowMs }, countTo(bytes, progress));
  } catch (error) {
    throw interrupted(stream, describe(error));
  }
  const now = await findStream(nc, shard);
  if (now?.identity === stream.identity) return { stream, isRepeated: false };
  throw interrupted(stream, "it was deleted meanwhile");
}

/** Makes the import the first message of the stream, or rejects with a LogError `stream`. */
async function claim(stream: CommitStream, node: string, sha256: string): Promise<void> {
  const { js, name, subject } = stream;
  if (stream.last > 0) return await assertSame(stream, sha256);
  const msgID = idText({ node, run: sha256, is: "import", number: 1, part: 1, parts: 1 });
  const seq = await patiently(name, async () => {
    try {
      // As the first message of its subject, the only one of the stream: servers older than 2.10 know that as well.
      const expect = { streamName: name, lastSubjectSequence: 0 };
      return (await js.publish(subject, encodeImport({ sha256 }), { msgID, expect })).seq;
    } catch (error) {
      if (isError(error, NOT_AS_EXPECTED)) return null;
      throw error;
    }
  });
  if (seq !== 1) await assertSame(stream, sha256);
}

/** Rejects with a LogError unless the stream begins with the import of this file. */
async function assertSame({ jsm, name }: CommitStream, sha256: string): Promise<void> {
  const first = await patiently(name, () => jsm.streams.getMessage(name, { seq: 1 }));
  const isImport = first !== null && parseId(first.header.get("Nats-Msg-Id"))?.is === "import";
  const other = isImport ? decodeImport(first.data)?.sha256 : undefined;
  const anew = `To give that log up and begin anew: stop all nodes, delete the streams ${name} and OBJ_${name} on the servers ("nats stream rm"), and import again.`;
  if (other === undefined) {
    throw new LogError(
      "stream",
      `The servers have a log already, in the stream ${name}: an import needs a new one. ${anew}`,
    );
  }
  if (other === sha256) return;
  throw new LogError(
    "stream",
    `The stream ${name} begins with another file: its SHA-256 is ${other}, and that of this one ${sha256}. If that import was interrupted, repeat it with that file. ${anew}`,
  );
}

function interrupted({ name }: CommitStream, reason: string): LogError {
  return new LogError(
    "unreachable",
    `The import into the stream ${name} is not finished: ${reason}. No node starts with it yet; repeat the import with the same file.`,
  );
}

function countTo(of: number, progress: ReportProgress): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    progress("bytes stored on the servers", done, of);
  };
}

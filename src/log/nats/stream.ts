import type { JetStreamClient, JetStreamManager, StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { LogError } from "../errors.ts";

/** How long the servers know the id of a message, in ms. */
const REPEATS_MS = 10 * 60 * 1000;
/** How long the stream keeps the commits at most, in ms; what no snapshot needs any more is deleted earlier. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const NANOS = 1_000_000;
/** So long the servers may take to give a stream, in ms. */
const PATIENCE_MS = 15_000;

/** The shard that there is: all accounts have one stream. */
export const SHARD = "0";

/** The stream of one shard, and how to ask for it. */
export interface CommitStream {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly shard: string;
  readonly name: string;
  readonly subject: string;
  /** Tells it from another of the same name: that one would number its messages anew. */
  readonly identity: string;
  /** Places of its first and its last message when it was opened. */
  readonly first: number;
  readonly last: number;
  /** Its age limit may have removed messages. */
  readonly isOld: boolean;
}

/** Makes the stream when it is missing. Rejects with a LogError `unreachable`. */
export async function openStream(nc: NatsConnection, shard: string, replicas: number): Promise<CommitStream> {
  return await patiently(streamName(shard), async () => {
    const at = await placeOf(nc, shard);
    const info = await at.jsm.streams.info(at.name).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      return await at.jsm.streams.add({
        name: at.name,
        subjects: [at.subject],
        num_replicas: replicas,
        storage: "file",
        max_age: KEPT_MS * NANOS,
        duplicate_window: REPEATS_MS * NANOS,
      });
    });
    return { ...at, ...stateOf(info) };
  });
}

/** Null when it is missing. Rejects with a LogError `unreachable`. */
export async function findStream(nc: NatsConnection, shard: string): Promise<CommitStream | null> {
  return await patiently(streamName(shard), async () => {
    const at = await placeOf(nc, shard);
    const info = await at.jsm.streams.info(at.name).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    return info && { ...at, ...stateOf(info) };
  });
}

/** Place of the last message that the stream still has: one behind it may have been deleted. */
export async function lastPlace({ jsm, name, subject }: CommitStream): Promise<number> {
  const last = await patiently(name, () => jsm.streams.getMessage(name, { last_by_subj: subject }));
  return last?.seq ?? 0;
}

/** On so many servers each commit is kept, when the stream is made: on three of a cluster, which says its name. */
export const copiesOn = (nc: NatsConnection): number => (nc.info?.cluster === undefined ? 1 : 3);

export const streamName = (shard: string): string => `RIALTO_${shard}`;

async function placeOf(nc: NatsConnection, shard: string): Promise<Omit<CommitStream, keyof StreamFacts>> {
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const jsm = await jetstreamManager(nc, { timeout: 5000 });
  return { nc, js: jetstream(nc, { timeout: 2000 }), jsm, shard, name: streamName(shard), subject: `r.b.${shard}` };
}

type StreamFacts = Pick<CommitStream, "identity" | "first" | "last" | "isOld">;

function stateOf(info: StreamInfo): StreamFacts {
  const { config, created, state } = info;
  const isOld = serverTime(info) - Date.parse(created) >= KEPT_MS;
  return { identity: `${config.name} of ${created}`, first: state.first_seq, last: state.last_seq, isOld };
}

/**
 * Servers that are electing a leader need a moment, and they count the room for a stream twice while two nodes make it
 * at once. Rejects with a LogError `unreachable`.
 */
export async function patiently<T>(name: string, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new LogError("unreachable", `The servers of the log do not give the stream ${name}: ${reason}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && error.message.includes("stream not found");
}

/** Whether the servers have refused with this code. */
export const isError = (error: unknown, code: number): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** The servers' clock, Unix ms; that of this machine where they are too old to say it. */
export const serverTime = ({ ts }: Pick<StreamInfo, "ts">): number => (ts === undefined ? Date.now() : Date.parse(ts));

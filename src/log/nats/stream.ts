import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { LogError } from "../errors.ts";

/** How long the servers know the id of a message, in ms. */
const REPEATS_MS = 10 * 60 * 1000;
/** How long the stream keeps the commits for nodes that are away, in ms. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const NANOS = 1_000_000;

/** The stream of one shard, and how to ask for it. */
export interface CommitStream {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly name: string;
  readonly subject: string;
  /** Tells it from another of the same name: that one would number its messages anew. */
  readonly identity: string;
  /** Place of its last message when it was opened. */
  readonly last: number;
}

/** Makes the stream when it is missing. Rejects with a LogError `unreachable`. */
export async function openStream(nc: NatsConnection, shard: string, replicas: number): Promise<CommitStream> {
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const name = `RIALTO_${shard}`;
  const subject = `r.b.${shard}`;
  const until = performance.now() + 15_000;
  for (;;) {
    try {
      const jsm = await jetstreamManager(nc, { timeout: 5000 });
      const info = await jsm.streams.info(name).catch(async (error: unknown) => {
        if (!isMissing(error)) throw error;
        return await jsm.streams.add({
          name,
          subjects: [subject],
          num_replicas: replicas,
          storage: "file",
          max_age: KEPT_MS * NANOS,
          duplicate_window: REPEATS_MS * NANOS,
        });
      });
      const identity = `${name} of ${info.created}`;
      return { nc, js: jetstream(nc, { timeout: 2000 }), jsm, name, subject, identity, last: info.state.last_seq };
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

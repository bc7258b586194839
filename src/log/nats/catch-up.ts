import type { NatsConnection } from "@nats-io/transport-node";
import { isObject, readJson } from "../../lib/shapes.ts";
import { LogError } from "../errors.ts";
import { Beats } from "./beats.ts";
import { connectNats } from "./connect.ts";
import { type NatsLogOptions, openNatsLog } from "./open.ts";
import { copiesOn, findStream } from "./stream.ts";

/** So long it is listened whether a node runs; each says so several times a second. */
const LISTEN_MS = 2000;

/**
 * Brings the log of a node that is stopped to what the servers have. `known`: the stream that its log came from; null:
 * it has none yet. True when it has all of it; false: the servers no longer have that stream. Rejects with a LogError:
 * `locked` while a node runs, or what `openNatsLog` rejects with.
 */
export async function catchUp(
  options: NatsLogOptions & { readonly shard: string },
  known: string | null,
): Promise<boolean> {
  const nc = await connectNats(options);
  try {
    const stream = await findStream(nc, options.shard);
    if (stream === null || (known !== null && stream.identity !== known)) return false;
    const running = await heardOn(nc, options.shard);
    if (running !== null) {
      throw new LogError(
        "locked",
        `The node ${running} runs, and may go on adding to the log. Stop Rialto on all machines first.`,
      );
    }
  } finally {
    await nc.close();
  }
  const log = await openNatsLog(options);
  await log.close();
  return true;
}

/** The node that says within a while that it lives; null: none. */
async function heardOn(nc: NatsConnection, shard: string): Promise<string | null> {
  const beats = await Beats.open(nc, shard, copiesOn(nc));
  const heard = Promise.withResolvers<string | null>();
  const forget = beats.listen((word) => {
    const beat = readJson(word);
    if (isObject(beat) && typeof beat["node"] === "string") heard.resolve(beat["node"]);
  });
  const timer = setTimeout(() => heard.resolve(null), LISTEN_MS);
  const node = await heard.promise;
  clearTimeout(timer);
  forget();
  return node;
}

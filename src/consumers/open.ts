import type { Clock } from "../contract/host.ts";
import type { Log } from "../log/log.ts";
import type { Consumers } from "./consumers.ts";
import type { Feed } from "./feed.ts";

export interface ConsumersOptions {
  readonly accountKey: string;
  /** Beginning of the names of its marks: those of programs, or those of webhooks. */
  readonly stem: string;
  readonly feed: Feed;
  readonly log: Pick<Log, "mark" | "unmark" | "marks">;
  readonly clock: Clock;
}

/** All consumers of an account, as their marks have them. Rejects with the log's LogError. */
export function openConsumers(_options: ConsumersOptions): Promise<Consumers> {
  throw new Error("not yet");
}

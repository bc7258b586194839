import type { NatsConnection } from "@nats-io/transport-node";
import { isObject, readJson } from "../lib/shapes.ts";

/** Something of now, as one node reports it to the others. */
export interface NodeHint {
  readonly kind: "typing" | "presence";
  readonly on: boolean;
  readonly forMs?: number;
  readonly author: { readonly id: string; readonly name: string; readonly bot?: boolean; readonly picture?: string };
}

/** Told of hints of other nodes, by account key and channel. */
export type OnNodeHint = (accountKey: string, channel: string, hint: NodeHint) => void;

/** Hints within `WINDOW_MS`, to the others and from all of them; further ones are dropped. */
export const HINTS_MAX = 200;
const HEARD_MAX = 1_000;
const WINDOW_MS = 1_000;
/** Characters of one message. */
const WORD_MAX = 4_096;

interface HintWireOptions {
  readonly nc: Pick<NatsConnection, "publish" | "subscribe">;
  /** As that of the log. */
  readonly shard: string;
  /** This process. */
  readonly run: string;
  readonly monoMs: () => number;
}

/** Hints between nodes, through the servers that carry the log: stored nowhere, acknowledged by nobody. */
export class HintWire {
  readonly #options: HintWireOptions;
  readonly #maySay: () => boolean;

  constructor(options: HintWireOptions) {
    this.#options = options;
    this.#maySay = limited(HINTS_MAX, options.monoMs);
  }

  /** Reports a hint of an account that this node runs. Never throws. */
  say(account: string, channel: string, { kind, on, forMs, author }: NodeHint): void {
    const { nc, run } = this.#options;
    const { id, name, bot, picture } = author;
    const word = JSON.stringify({ run, account, channel, kind, on, forMs, author: { id, name, bot, picture } });
    if (word.length > WORD_MAX || !this.#maySay()) return;
    try {
      nc.publish(this.#subject, word);
    } catch {
      // The connection has ended: a later hint finds another one.
    }
  }

  /** Reports what other nodes say. Returns the function that ends it. */
  listen(told: OnNodeHint): () => void {
    const { nc, run, monoMs } = this.#options;
    const mayHear = limited(HEARD_MAX, monoMs);
    const heard = nc.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error !== null || message.data.length > WORD_MAX * 4 || !mayHear()) return;
        const word = readJson(message.string());
        if (isWord(word) && word.run !== run) told(word.account, word.channel, word);
      },
    });
    return () => heard.unsubscribe();
  }

  get #subject(): string {
    return `r.hint.${this.#options.shard}`;
  }
}

type HintWord = NodeHint & { readonly run: string; readonly account: string; readonly channel: string };

function isWord(value: unknown): value is HintWord {
  if (!isObject(value) || !isObject(value["author"])) return false;
  const { run, account, channel, kind, on, forMs, author } = value;
  const isText = (text: unknown): boolean => typeof text === "string";
  return (
    [run, account, channel, author["id"], author["name"]].every(isText) &&
    (kind === "typing" || kind === "presence") &&
    typeof on === "boolean" &&
    (forMs === undefined || (typeof forMs === "number" && forMs >= 0)) &&
    (author["bot"] === undefined || typeof author["bot"] === "boolean") &&
    (author["picture"] === undefined || isText(author["picture"]))
  );
}

/** Says whether one more is within the limit. */
function limited(most: number, monoMs: () => number): () => boolean {
  let fromMs = -Infinity;
  let count = 0;
  return () => {
    const nowMs = monoMs();
    if (nowMs - fromMs >= WINDOW_MS) [fromMs, count] = [nowMs, 0];
    count += 1;
    return count <= most;
  };
}

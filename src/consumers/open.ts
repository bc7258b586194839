import type { Access } from "../access/access.ts";
import { maySee } from "../access/access.ts";
import type { Clock } from "../contract/host.ts";
import { StoredConsumer } from "./consumer.ts";
import { type Consumer, ConsumerError, type Consumers, type ConsumerSpec } from "./consumers.ts";
import type { Feed } from "./feed.ts";
import type { Seq } from "../log/log.ts";
import type { KeptLog } from "./keeper.ts";
import { atMark, type Gone, goneMark, markNames, readMarks, type SavedConsumer, specMark } from "./marks.ts";
import { positionOf } from "./position.ts";
import { isMatch } from "./spec.ts";
import { Wakes } from "./wakes.ts";

/** Of one account, whatever its tokens may have: it is a bound for memory, 16 KiB of filter each. */
const ACCOUNT_MAX = 10_000;
/** Names of consumers that have ended by themselves; the oldest are forgotten. */
const GONE_MAX = 1000;

/** How many a token may have made that are still there. The account's own Token counts as one token. */
interface TokenQuota {
  readonly count: number;
  /** What they are, and the setting with their number, for people. */
  readonly of: "consumers" | "webhooks";
  readonly setting: string;
}

export interface ConsumersOptions {
  readonly accountKey: string;
  /** Beginning of the names of its marks: those of programs, or those of webhooks. */
  readonly stem: string;
  readonly quota: TokenQuota;
  readonly feed: Feed;
  readonly log: KeptLog;
  readonly clock: Clock;
}

/** All consumers of an account, as their marks have them. Rejects with the log's LogError. */
export async function openConsumers(options: ConsumersOptions): Promise<Consumers> {
  const prefix = `${options.stem}${options.accountKey}/`;
  return new StoredConsumers(prefix, options, await options.log.marks(prefix));
}

class StoredConsumers implements Consumers {
  readonly #prefix: string;
  readonly #options: ConsumersOptions;
  readonly #wakes: Wakes;
  readonly #consumers = new Map<string, StoredConsumer>();
  /** Oldest first. */
  readonly #gone: Map<string, Gone>;
  readonly #unreadable: Set<string>;
  /** Changes of which consumers there are take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(prefix: string, options: ConsumersOptions, marks: ReadonlyMap<string, string>) {
    this.#prefix = prefix;
    this.#options = options;
    this.#wakes = new Wakes(options.feed);
    const { consumers, gone, unreadable } = readMarks(prefix, marks);
    this.#gone = new Map([...gone].sort(([, a], [, b]) => a.atMs - b.atMs));
    this.#unreadable = new Set(unreadable);
    for (const [name, saved] of consumers) {
      this.#gone.delete(name);
      this.#consumers.set(name, this.#make(name, saved, options.feed.head));
    }
  }

  put: Consumers["put"] = async (name, spec, how) => await this.#inTurn(async () => await this.#put(name, spec, how));

  async get(name: string, access: Access): Promise<Consumer> {
    if (this.#consumers.get(name)?.isIdle() === true) await this.#endIdle();
    const consumer = this.#visible(name, access);
    if (consumer !== null) return consumer;
    if (this.#hasGone(name, access)) {
      throw new ConsumerError("consumer_gone", `the consumer ${name} was not used for as long as its idle allows`);
    }
    throw new ConsumerError("not_found", `there is no consumer ${name}`);
  }

  async list(access: Access): Promise<readonly Consumer[]> {
    await this.#endIdle();
    return [...this.#consumers.values()]
      .filter((consumer) => isVisible(consumer, access))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async remove(name: string, access: Access): Promise<boolean> {
    return await this.#inTurn(async () => {
      const consumer = this.#visible(name, access);
      if (consumer === null) {
        // Which gateways it was of is not known.
        if (access.gateways === null && this.#unreadable.has(name)) return await this.#clear(name);
        if (!this.#hasGone(name, access)) return false;
        await this.#options.log.unmark([markNames(this.#prefix, name).gone]);
        return this.#gone.delete(name);
      }
      await this.#drop(consumer);
      // Left by a start that was killed while it made this one.
      await this.#options.log.unmark([markNames(this.#prefix, name).gone]);
      return true;
    });
  }

  get unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#consumers.values(), async (consumer) => await consumer.close()));
  }

  async #put(
    name: string,
    spec: ConsumerSpec,
    { access, ifMatch }: Parameters<Consumers["put"]>[2],
  ): ReturnType<Consumers["put"]> {
    const hidden = spec.filter.gateways.find((gateway) => !maySee(access, gateway));
    if (hidden !== undefined) throw new ConsumerError("forbidden", `the token does not see the gateway ${hidden}`);
    await this.#dropIdle();
    const there = this.#consumers.get(name);
    if (there !== undefined && !isVisible(there, access)) {
      throw notYours(name);
    }
    if (ifMatch !== null && !isMatch(ifMatch, there?.etag ?? null)) {
      const what = there === undefined ? "there is none" : `it stands at ${there.etag}`;
      throw new ConsumerError("precondition_failed", `the consumer ${name} is not what If-Match names: ${what}`);
    }
    if (there === undefined) return { is: "created", consumer: await this.#create(name, spec, access) };
    if (JSON.stringify(there.spec) === JSON.stringify(spec)) {
      there.touch();
      return { is: "same", consumer: there };
    }
    if (ifMatch === null) {
      throw new ConsumerError("conflict", `the consumer ${name} has another configuration; its ETag is ${there.etag}`);
    }
    // As of one that it makes: without it, a filter that names no gateway would open all of them.
    if (access.gateways === null) await there.change(spec);
    else await there.change(spec, [...access.gateways]);
    return { is: "changed", consumer: there };
  }

  async #create(name: string, spec: ConsumerSpec, access: Access): Promise<StoredConsumer> {
    this.#checkQuota(access);
    const { feed, clock, log } = this.#options;
    const gateways = access.gateways === null ? null : [...access.gateways];
    // An empty list would mean all.
    if (gateways?.length === 0) throw new ConsumerError("unprocessable", "the token may see no gateway");
    const filter = spec.filter.gateways.length > 0 ? spec.filter : { ...spec.filter, gateways: gateways ?? [] };
    if (this.#unreadable.has(name)) {
      if (gateways !== null) throw notYours(name);
      await this.#clear(name);
    }
    const floor = await positionOf(spec.start, filter, feed);
    const state = { floor, ranges: [], counts: [], dead: [] };
    const saved = { spec, gateways, token: access.token, state, seenMs: clock.nowMs() };
    await log.mark([specMark(this.#prefix, name, saved), atMark(this.#prefix, name, state, saved.seenMs)]);
    if (this.#gone.delete(name)) await log.unmark([markNames(this.#prefix, name).gone]);
    const consumer = this.#make(name, saved, floor);
    this.#consumers.set(name, consumer);
    return consumer;
  }

  /** Throws a ConsumerError when the caller, or the account, has as many as it may have. */
  #checkQuota({ token }: Access): void {
    const { count, of, setting } = this.#options.quota;
    if (this.#consumers.size >= ACCOUNT_MAX) {
      throw new ConsumerError("unprocessable", `an account has ${ACCOUNT_MAX} ${of} at most: delete some`);
    }
    const own = [...this.#consumers.values()].filter((consumer) => consumer.token === token);
    if (own.length < count) return;
    const detail = `this token has made ${count} ${of}, as many as ${setting} allows: delete some`;
    throw new ConsumerError("unprocessable", detail);
  }

  #make(name: string, saved: SavedConsumer, bound: Seq): StoredConsumer {
    const { feed, log, clock } = this.#options;
    return new StoredConsumer(name, saved, { prefix: this.#prefix, feed, log, clock, wakes: this.#wakes, bound });
  }

  #visible(name: string, access: Access): StoredConsumer | null {
    const consumer = this.#consumers.get(name);
    return consumer !== undefined && isVisible(consumer, access) ? consumer : null;
  }

  #hasGone(name: string, access: Access): boolean {
    const gone = this.#gone.get(name);
    return gone !== undefined && isVisible(gone, access);
  }

  /** Nothing runs meanwhile for those that nobody uses: it is found out when somebody asks for any. */
  async #endIdle(): Promise<void> {
    if (this.#idle().length > 0) await this.#inTurn(async () => await this.#dropIdle());
  }

  #idle(): readonly StoredConsumer[] {
    return [...this.#consumers.values()].filter((consumer) => consumer.isIdle());
  }

  async #dropIdle(): Promise<void> {
    const idle = this.#idle();
    if (idle.length === 0) return;
    const atMs = this.#options.clock.nowMs();
    const marks = idle.map(({ name, gateways }) => goneMark(this.#prefix, name, { atMs, gateways }));
    await this.#options.log.mark(marks);
    for (const consumer of idle) {
      await this.#drop(consumer);
      this.#gone.set(consumer.name, { atMs, gateways: consumer.gateways });
    }
    const surplus = [...this.#gone.keys()].slice(0, Math.max(0, this.#gone.size - GONE_MAX));
    for (const name of surplus) this.#gone.delete(name);
    if (surplus.length > 0) {
      await this.#options.log.unmark(surplus.map((name) => markNames(this.#prefix, name).gone));
    }
  }

  /** What nobody can read. */
  async #clear(name: string): Promise<true> {
    await this.#options.log.unmark(marksOf(this.#prefix, name));
    this.#unreadable.delete(name);
    return true;
  }

  async #drop(consumer: StoredConsumer): Promise<void> {
    await consumer.remove();
    await this.#options.log.unmark(marksOf(this.#prefix, consumer.name));
    // Not before: what the log refuses to forget can be deleted once more, and does not come back with a restart.
    this.#consumers.delete(consumer.name);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

function marksOf(prefix: string, consumer: string): readonly string[] {
  const { spec, at, dead } = markNames(prefix, consumer);
  return [spec, at, dead];
}

const notYours = (name: string): ConsumerError =>
  new ConsumerError("not_found", `the name ${name} is taken by a consumer that this token may not see`);

/** Only who sees all gateways of a consumer knows of it. */
const isVisible = ({ gateways }: Pick<StoredConsumer, "gateways">, access: Access): boolean =>
  access.gateways === null || (gateways !== null && gateways.every((gateway) => maySee(access, gateway)));

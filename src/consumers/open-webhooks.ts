import type { Access } from "../access/access.ts";
import type { Alert } from "../admin/views.ts";
import { faultOf } from "../lib/fault.ts";
import { fingerprint } from "../lib/fingerprint.ts";
import { Throttle } from "../lib/throttle.ts";
import type { Seq } from "../log/log.ts";
import { ConsumerError, type Consumer, type ConsumerSpec, type DeadPage } from "./consumers.ts";
import { callEndpoint, urlFlaw } from "./endpoint.ts";
import { FRESH, HELD_MAX, Pusher, type PusherState } from "./pusher.ts";
import { newSecret, signedHeaders } from "./signature.ts";
import { etagOf, isMatch } from "./spec.ts";
import { readRecord, readState, type WebhookRecord } from "./webhook-marks.ts";
import { type WebhookPut, type Webhooks, type WebhooksDeps, type WebhookSpec, type WebhookView } from "./webhooks.ts";
import { webhookStem } from "./webhooks.ts";

/** Of one account, whatever its tokens may have. */
const WEBHOOKS_MAX = 256;
const DAY_MS = 86_400_000;
/** How long two secrets are valid. */
const ROTATION_MS = DAY_MS;
/** The pusher holds what it has: nothing may come again while it waits for a retry. */
const ACK_WAIT_MS = 20 * DAY_MS;
/** A webhook ends when it is deleted, and not before. */
const IDLE_MS = 36_500 * DAY_MS;

/** Continues with the webhooks that the marks tell of. Rejects with a LogError. */
export async function openWebhooks(deps: WebhooksDeps): Promise<Webhooks> {
  const webhooks = new OwnWebhooks(deps);
  await webhooks.open();
  return webhooks;
}

interface Running {
  record: WebhookRecord;
  pusher: Pusher;
}

class OwnWebhooks implements Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #stem: string;
  readonly #running = new Map<string, Running>();
  /** Those of which nothing can be read. */
  readonly #unreadable = new Set<string>();
  readonly #faults: Throttle;
  /** Changes happen one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
    this.#stem = webhookStem(deps.account.key);
    this.#faults = new Throttle({ windowMs: 60_000, perWindowMax: 10, nowMs: () => deps.clock.monoMs() });
  }

  async open(): Promise<void> {
    const { log, consumers, account, logger } = this.#deps;
    const marks = await log.marks(this.#stem);
    for (const [mark, text] of marks) {
      if (!mark.endsWith("/spec")) continue;
      const name = mark.slice(this.#stem.length, -"/spec".length);
      const record = readRecord(text);
      if (record === null) {
        logger.error({ account: account.name, webhook: name }, "a webhook cannot be read and stays down");
        this.#unreadable.add(name);
        continue;
      }
      try {
        const consumer = await consumers.get(name, this.#everything());
        this.#start(name, record, consumer, readState(marks.get(`${this.#stem}${name}/at`) ?? "null"));
      } catch (error) {
        if (!(error instanceof ConsumerError)) throw error;
        logger.error({ account: account.name, webhook: name, ...faultOf(error) }, "a webhook stays down");
        this.#unreadable.add(name);
      }
    }
  }

  async put(
    name: string,
    spec: WebhookSpec,
    how: { readonly access: Access; readonly ifMatch: string | null },
  ): Promise<WebhookPut> {
    return await this.#alone(async () => {
      const flaw = urlFlaw(spec.url, this.#deps.allowPrivate());
      if (flaw !== null) throw new ConsumerError("unprocessable", `url: ${flaw}`);
      const running = this.#running.get(name);
      if (running === undefined) return await this.#create(name, spec, how);
      const view = await this.#view(name, running, await this.#deps.consumers.get(name, how.access));
      if (how.ifMatch !== null && !isMatch(how.ifMatch, view.etag)) {
        throw new ConsumerError("precondition_failed", `the webhook "${name}" is not as If-Match says`);
      }
      if (view.etag === etag(spec)) return { is: "same", view, secret: null };
      if (how.ifMatch === null) throw new ConsumerError("conflict", `the webhook "${name}" is there already`);
      return { is: "changed", view: await this.#change(name, running, spec, how.access), secret: null };
    });
  }

  async get(name: string, access: Access): Promise<WebhookView> {
    const { running, consumer } = await this.#find(name, access);
    return await this.#view(name, running, consumer);
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  async list(access: Access): Promise<readonly WebhookView[]> {
    const views = await Promise.all(
      [...this.#running.keys()].sort().map(async (name) => {
        try {
          return [await this.get(name, access)];
        } catch (error) {
          if (error instanceof ConsumerError) return [];
          throw error;
        }
      }),
    );
    return views.flat();
  }

  async remove(name: string, access: Access): Promise<boolean> {
    return await this.#alone(async () => {
      if (access.gateways === null && this.#unreadable.has(name)) return await this.#clear(name);
      const { running } = await this.#find(name, access);
      await running.pusher.stop();
      this.#running.delete(name);
      // The consumer last: a webhook without one would stay down at the next start, and could not be deleted.
      await this.#deps.log.unmark([this.#mark(name, "spec"), this.#mark(name, "at")]);
      return await this.#deps.consumers.remove(name, access);
    });
  }

  async rotate(name: string, access: Access): Promise<string> {
    return await this.#alone(async () => {
      const { running } = await this.#find(name, access);
      const untilMs = this.#deps.clock.nowMs() + ROTATION_MS;
      const secret = newSecret();
      const [old] = running.record.secrets;
      const secrets = [{ secret, untilMs: null }, ...(old === undefined ? [] : [{ ...old, untilMs }])];
      const record = { ...running.record, secrets };
      await this.#store(name, record);
      running.record = record;
      return secret;
    });
  }

  async enable(name: string, access: Access): Promise<WebhookView> {
    const { running } = await this.#find(name, access);
    await running.pusher.enable();
    return await this.get(name, access);
  }

  async dead(name: string, after: Seq, access: Access): Promise<DeadPage> {
    const { consumer } = await this.#find(name, access);
    return await consumer.dead(after);
  }

  async retry(name: string, seq: Seq, access: Access): Promise<boolean> {
    const { consumer } = await this.#find(name, access);
    return await consumer.retry(seq);
  }

  alerts(): readonly Alert[] {
    const unreadable = [...this.#unreadable].map((name) => ({
      of: this.#deps.account.name,
      what: `the webhook "${name}" cannot be read from the log: nothing is sent to it`,
      remedy: `Create it again: PUT /v1/webhooks/${name}; or delete it.`,
      sinceMs: null,
    }));
    const disabled = [...this.#running].flatMap(
      ([
        name,
        {
          pusher: { disabled },
        },
      ]) => {
        if (disabled === null) return [];
        const what = `the webhook "${name}" is disabled: ${disabled.why}`;
        const remedy = `Repair the endpoint, then POST /v1/webhooks/${name}/enable.`;
        return [{ of: this.#deps.account.name, what, remedy, sinceMs: disabled.atMs }];
      },
    );
    return [...unreadable, ...disabled];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last.catch(() => undefined);
    await Promise.all([...this.#running.values()].map(({ pusher }) => pusher.stop()));
  }

  async #create(name: string, spec: WebhookSpec, how: { readonly access: Access; readonly ifMatch: string | null }) {
    const { consumers } = this.#deps;
    if (how.ifMatch !== null) throw new ConsumerError("precondition_failed", `there is no webhook "${name}"`);
    if (this.#running.size >= WEBHOOKS_MAX) {
      throw new ConsumerError("unprocessable", `an account has at most ${WEBHOOKS_MAX} webhooks`);
    }
    if (this.#unreadable.has(name) && how.access.gateways !== null) {
      throw new ConsumerError("not_found", `the name "${name}" is taken by a webhook that this token may not see`);
    }
    // What an earlier try has left, that did not come to its end.
    await this.#clear(name);
    const { consumer } = await consumers.put(name, consumerSpec(spec), { access: how.access, ifMatch: null });
    const secret = newSecret();
    const record: WebhookRecord = { spec, secrets: [{ secret, untilMs: null }] };
    await this.#store(name, record);
    const running = this.#start(name, record, consumer, FRESH);
    return { is: "created" as const, view: await this.#view(name, running, consumer), secret };
  }

  /** What has no pusher. */
  async #clear(name: string): Promise<true> {
    await this.#deps.log.unmark([this.#mark(name, "spec"), this.#mark(name, "at")]);
    await this.#deps.consumers.remove(name, this.#everything()).catch(ignoreMissing);
    this.#unreadable.delete(name);
    return true;
  }

  async #change(name: string, running: Running, spec: WebhookSpec, access: Access): Promise<WebhookView> {
    const { consumers } = this.#deps;
    await running.pusher.handBack();
    const record = { ...running.record, spec };
    const ifMatch = (await (await consumers.get(name, access)).view()).etag;
    const { consumer } = await consumers.put(name, consumerSpec(spec), { access, ifMatch });
    await this.#store(name, record);
    // Another address or another time limit: what failed before counts no more.
    await this.#deps.log.unmark([this.#mark(name, "at")]);
    return await this.#view(name, this.#start(name, record, consumer, FRESH), consumer);
  }

  #start(name: string, record: WebhookRecord, consumer: Consumer, state: PusherState): Running {
    const { clock, random, log, logger, account } = this.#deps;
    const fields = { account: account.name, webhook: name };
    const running: { record: WebhookRecord; pusher?: Pusher } = { record };
    const pusher = new Pusher({
      consumer,
      // A dot would end the id in what is signed.
      name: name.replaceAll(".", "~"),
      ordered: record.spec.ordered,
      state,
      save: async (next) => {
        try {
          await log.mark([{ name: this.#mark(name, "at"), value: JSON.stringify(next) }], { rides: true });
        } catch (error) {
          this.#onFault(fields, error);
        }
      },
      send: async (message, signal) => await this.#send(running.record, message, signal),
      onFault: (error) => this.#onFault(fields, error),
      onChange: ({ is, why }) => {
        if (is === "recovered") logger.info(fields, "the webhook takes events again");
        else if (is === "failing") logger.warn({ ...fields, why }, "a webhook fails; Rialto tries again");
        else logger.error({ ...fields, why }, "a webhook is disabled");
      },
      clock,
      random,
    });
    const started = Object.assign(running, { pusher });
    this.#running.set(name, started);
    return started;
  }

  async #send(
    { spec, secrets }: WebhookRecord,
    message: { readonly id: string; readonly body: string },
    signal: AbortSignal,
  ) {
    const { clock, allowPrivate } = this.#deps;
    const atMs = clock.nowMs();
    const valid = secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs);
    const headers = signedHeaders(
      { ...message, atMs },
      valid.map(({ secret }) => secret),
    );
    const { url, timeoutMs } = spec;
    return await callEndpoint(url, {
      headers,
      body: message.body,
      timeoutMs,
      allowPrivate: allowPrivate(),
      signal,
      clock,
    });
  }

  async #find(name: string, access: Access): Promise<{ running: Running; consumer: Consumer }> {
    const running = this.#running.get(name);
    if (running === undefined) throw new ConsumerError("not_found", `there is no webhook "${name}"`);
    return { running, consumer: await this.#deps.consumers.get(name, access) };
  }

  async #view(name: string, { record: { spec }, pusher }: Running, consumer: Consumer): Promise<WebhookView> {
    const { disabled, failing, lastAttempt, retryAtMs } = pusher;
    const isFailing = failing !== null || retryAtMs !== null;
    return {
      name,
      spec,
      state: disabled !== null ? "disabled" : isFailing ? "failing" : "active",
      why: disabled?.why ?? failing?.why ?? null,
      sinceMs: disabled?.atMs ?? failing?.sinceMs ?? null,
      retryAtMs,
      lastAttempt,
      consumer: await consumer.view(),
      etag: etag(spec),
    };
  }

  async #store(name: string, record: WebhookRecord): Promise<void> {
    await this.#deps.log.mark([{ name: this.#mark(name, "spec"), value: JSON.stringify(record) }]);
  }

  #mark(name: string, what: "spec" | "at"): string {
    return `${this.#stem}${name}/${what}`;
  }

  async #alone<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      if (this.#isClosed) throw new ConsumerError("not_found", "the webhooks of this account are closed");
      return await task();
    });
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  #onFault(fields: object, error: unknown): void {
    const { passes, suppressed } = this.#faults.pass(String(error));
    if (!passes) return;
    this.#deps.logger.warn({ ...fields, ...faultOf(error), suppressed }, "the log gives a webhook nothing");
  }

  /** What a webhook does by itself, it does for whoever made it: its consumer sees what that one could see. */
  #everything(): Access {
    return {
      account: this.#deps.account.key,
      scopes: new Set(["admin"]),
      gateways: null,
      by: "configuration",
      token: null,
      name: "webhooks",
      ended: new AbortController().signal,
    };
  }
}

const etag = (spec: WebhookSpec): string => etagOf(fingerprint(spec));

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ConsumerError)) throw error;
}

/** The consumer behind it. */
const consumerSpec = ({ start, filter, ordered }: WebhookSpec): ConsumerSpec => ({
  start,
  filter,
  ack: "explicit",
  ackWaitMs: ACK_WAIT_MS,
  maxInFlight: HELD_MAX,
  maxDeliver: 0,
  backoffMs: [],
  ordered,
  idleMs: IDLE_MS,
});

import { END, type MessageRef, type Progress } from "../../src/contract/ids.ts";
import type { Host } from "../../src/contract/host.ts";
import type { Op, PostOp } from "../../src/contract/ops.ts";
import type { Outcome, Reason } from "../../src/contract/outcome.ts";
import type { Attempt } from "../../src/contract/session.ts";
import { readAloud } from "../contract/texts.ts";
import { aborted } from "./aborted.ts";
import type { Answer, Link } from "./link.ts";
import type { Listener, NetFault, Server } from "./server.ts";
import { laneOf, partsOf } from "./tokens.ts";
import type { Oracle } from "./oracle.ts";

/** What the handlers of one session work with. */
export interface Desk {
  readonly host: Host;
  readonly link: Link;
  readonly server: Server;
  readonly oracle: Oracle;
  readonly session: Listener;
  readonly isIn: (room: string) => boolean;
}

/** What the server makes of a request. `stale`: sent before we knew that an earlier one was refused. */
export type Verdict<T> =
  | { readonly is: "done"; readonly value: T }
  | { readonly is: "wait" | "stale"; readonly scope: "channel" | "session" }
  | { readonly is: "refused" };

/** `epoch`: which refusals were known when it came. `over` lets the next one begin. */
interface Turn {
  readonly epoch: number;
  readonly over: () => void;
}

const DOWN: Reason = { code: "network", message: "the connection broke" };
const LIMITED: Reason = { code: "rate_limited", message: "too much" };
const RETRY_MS = 7_000;

/** The handlers' half of a simulated adapter: writes in the order of the calls, and pipelines. */
export class Poster {
  readonly desk: Desk;
  /** By room: the end of the writing of the call before. */
  readonly #turns = new Map<string, Promise<void>>();
  /** By lane: refusals that we know of, and that there were; what was written in between the server does not take. */
  readonly #known = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  /** By room, `` for all: until when nothing is to be tried, by `Clock.monoMs`. */
  readonly #until = new Map<string, number>();
  readonly #underWay = new Map<string, number>();

  constructor(desk: Desk) {
    this.desk = desk;
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    return await this.inTurn(op, attempt, async (turn) => await this.#post(op, attempt, turn));
  }

  /** Calls the work when what came before it for this room has been written. */
  async inTurn(op: Op, attempt: Attempt, work: (turn: Turn) => Promise<Outcome>): Promise<Outcome> {
    const { link, oracle, server, isIn } = this.desk;
    const room: string = op.channel;
    const lane = laneOf(op);
    const calls = (this.#underWay.get(lane) ?? 0) + 1;
    this.#underWay.set(lane, calls);
    oracle.calls(server.traits, op, calls);
    // One that was told to end has its limit behind it.
    const leave = once(() => void this.#underWay.set(lane, (this.#underWay.get(lane) ?? 1) - 1));
    attempt.signal.addEventListener("abort", leave, { once: true });
    const before = this.#turns.get(room) ?? Promise.resolve();
    const turn = Promise.withResolvers<void>();
    this.#turns.set(room, turn.promise);
    try {
      if ((await Promise.race([before, aborted(attempt.signal)])) === "aborted") return deferred(DOWN, 100);
      if (!link.alive || !isIn(room)) return deferred(DOWN, 100);
      const now = this.desk.host.clock.monoMs();
      const until = Math.max(this.#until.get(room) ?? 0, this.#until.get("") ?? 0);
      if (until > now) return deferred(LIMITED, until - now);
      return await work({ epoch: this.#known.get(lane) ?? 0, over: turn.resolve });
    } finally {
      turn.resolve();
      leave();
    }
  }

  async #post(op: PostOp, attempt: Attempt, { epoch, over }: Turn): Promise<Outcome> {
    const { server, session } = this.desk;
    const before = op.author?.shown ?? "";
    const parts = partsOf(readAloud(op.body.blocks));
    const target = op.reply === null ? null : String(op.reply.target);
    const first = op.resume === null ? 0 : op.resume === END ? parts.length : Number(op.resume.slice(1));
    const answers: { readonly upTo: Progress; readonly answer: Promise<Answer<Verdict<string>>> }[] = [];
    for (let part = first; part < parts.length; part += 1) {
      const upTo = part === parts.length - 1 ? END : (`p${part + 1}` as Progress);
      if (!(await attempt.sending(upTo))) return await this.#settle(op, attempt, answers, "refused");
      if (attempt.signal.aborted) return await this.#settle(op, attempt, answers, "aborted");
      const text = `${before}${parts[part]}`;
      const post = (): string => server.post(session, op.channel, op, part, parts.length, text, target).ref;
      const answer = this.ask(op, attempt, epoch, post);
      // It may reject before anybody waits for it.
      answer.catch(() => undefined);
      answers.push({ upTo, answer });
    }
    over();
    return await this.#settle(op, attempt, answers, null);
  }

  /** A request under the faults of the server. Throws where the handler is to throw before anything leaves. */
  ask<T>(op: Op, attempt: Attempt, epoch: number, work: () => T): Promise<Answer<Verdict<T>>> {
    const { server, oracle } = this.desk;
    const fault = this.#fault();
    if (fault !== null) oracle.fault(server.traits.name, fault, op);
    if (fault === "throw before") throw new Error("simulated: a handler throws");
    if (fault === "reject") server.rejected.add(op.id);
    return this.#ask(attempt, fault, () => this.#judge(op, fault, epoch, work));
  }

  async #ask<T>(attempt: Attempt, fault: NetFault | null, judged: () => Verdict<T>): Promise<Answer<Verdict<T>>> {
    const { link } = this.desk;
    if (fault === "silence") link.silent = true;
    if (fault === "drop before") {
      const asking = link.ask(() => undefined);
      link.cut(0);
      await asking;
      return { ok: false };
    }
    const asking = link.ask(judged, {
      lateMs: fault === "answer late" ? 95_000 : 0,
      swallow: fault === "hang",
    });
    if (fault === "drop after") link.cut(Infinity);
    const answer = await Promise.race([asking, aborted(attempt.signal)]);
    if (fault === "drop answered") link.cut();
    if (fault === "throw after") throw new Error("simulated: a handler throws");
    return answer === "aborted" ? { ok: false } : answer;
  }

  #fault(): NetFault | null {
    const { faults, traits } = this.desk.server;
    const fault = faults.shift() ?? null;
    // A request that is swallowed alone would let those behind it overtake it: no adapter that pipelines may have that.
    return fault === "hang" && traits.inflightMax > 1 ? "silence" : fault;
  }

  /** At the server. */
  #judge<T>(op: Op, fault: NetFault | null, epoch: number, work: () => T): Verdict<T> {
    const refusals = this.#refusals.get(laneOf(op)) ?? 0;
    if (epoch !== refusals) return { is: "stale", scope: "channel" };
    if (fault === "rate limit channel" || fault === "rate limit session") {
      this.#refusals.set(laneOf(op), refusals + 1);
      return { is: "wait", scope: fault === "rate limit channel" ? "channel" : "session" };
    }
    if (this.desk.server.rejected.has(op.id)) return { is: "refused" };
    return { is: "done", value: work() };
  }

  /** What the answers come to, in their order. `why`: the writing ended early. */
  async #settle(
    op: PostOp,
    attempt: Attempt,
    answers: readonly { readonly upTo: Progress; readonly answer: Promise<Answer<Verdict<string>>> }[],
    why: "refused" | "aborted" | null,
  ): Promise<Outcome> {
    const messages: MessageRef[] = [];
    for (const { upTo, answer } of answers) {
      const heard = await answer;
      if (!heard.ok) return { is: "unknown", why: DOWN };
      const outcome = this.take(op, heard.value);
      if (outcome !== null) return outcome;
      if (heard.value.is !== "done") break;
      const ref = heard.value.value as MessageRef;
      messages.push(ref);
      attempt.sent(upTo, [ref]);
      if (this.desk.server.stutters) attempt.sent(upTo, [ref]);
    }
    if (why !== null) return deferred(DOWN, 100);
    return { is: "delivered", receipt: { messages, losses: [] } };
  }

  /** The outcome that follows at once; null: it was done. */
  take(op: Op, verdict: Verdict<unknown>): Outcome | null {
    if (verdict.is === "done") return null;
    if (verdict.is === "refused") return { is: "rejected", why: { code: "forbidden", message: "simulated" } };
    this.#known.set(laneOf(op), this.#refusals.get(laneOf(op)) ?? 0);
    const monoMs = this.desk.host.clock.monoMs();
    if (verdict.is === "wait") this.#until.set(verdict.scope === "session" ? "" : op.channel, monoMs + RETRY_MS);
    return { is: "deferred", why: LIMITED, retryInMs: RETRY_MS, scope: verdict.scope };
  }
}

export function deferred(why: Reason, retryInMs: number): Outcome {
  return { is: "deferred", why, retryInMs, scope: "channel" };
}

function once(task: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) task();
    isDone = true;
  };
}

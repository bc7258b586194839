import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Account, CatchUp } from "../config/config.ts";
import type { Capabilities, Idempotency } from "../contract/capabilities.ts";
import { type ChannelRef, END, type Progress } from "../contract/ids.ts";
import type { Op } from "../contract/ops.ts";
import type { Outcome, Reason } from "../contract/outcome.ts";
import type { Attempt, OpenedFile } from "../contract/session.ts";
import { EventLabel } from "../contract/message.ts";
import type { Files, ReadyFile, WantedFile } from "../files/files.ts";
import type { About, Again } from "../gateway/codec.ts";
import type { Plan } from "../gateway/plan.ts";
import type { IdNote, Receipt } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { Lane } from "./lane/lane.ts";
import { type Disk, emptyDisk, MemoryLog } from "./memory-log.suite.ts";
import type { LaneOptions } from "./lane/options.ts";
import type { Meter } from "./meter.ts";
import type { ChannelSink } from "./session/channel-sink.ts";
import { aboutOf, againPayload, payloadOf, PLAN } from "./plan.suite.ts";

export const SUBJECT = "net.a/#from";
export const LANE = "g/net.b/#to";
export const WHY: Reason = { code: "network", message: "the line is down" };

export const delivered: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };
export const unknown: Outcome = { is: "unknown", why: WHY };
export const rejected: Outcome = { is: "rejected", why: WHY };
export function deferred(retryInMs: number, scope: "channel" | "session" = "channel"): Outcome {
  return { is: "deferred", why: WHY, retryInMs, scope };
}

export const NO_LOOPS: LaneOptions["loops"] = { wrote: () => undefined, why: () => null };

export const KEY: Idempotency = { by: "key", windowMs: 60 * 60_000 };
export const NONE: Idempotency = { by: "none" };

/** One handler call, to be ended by the test. */
export interface TestCall {
  readonly op: Op;
  readonly text: string;
  readonly attempt: Attempt;
  end(outcome: Outcome): void;
  fail(error: Error): void;
}

export interface StageOptions {
  readonly idempotency?: Idempotency;
  readonly plan?: Plan;
  readonly inflightMax?: number;
  readonly maxAgeMs?: number;
  readonly catchUp?: CatchUp;
  readonly outageNoticeMs?: number;
  readonly disk?: Disk;
  readonly clock?: FakeClock;
  readonly step?: () => Promise<void>;
  readonly random?: () => number;
  readonly loops?: LaneOptions["loops"];
  readonly mayCall?: () => boolean;
}

/** One line the program logged. */
export interface StageLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A lane between a log and a network, both in the hands of the test. */
export class Stage {
  readonly disk: Disk;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  /** What the log was told; `details`: at the level that -debug adds. */
  readonly lines: StageLine[] = [];
  readonly details: StageLine[] = [];
  /** Handler calls, in order, also those that have ended. */
  readonly calls: TestCall[] = [];
  readonly files = new MemoryFiles();
  readonly stalls: Reason[] = [];
  /** What the meter was told: `ended` and `answered`, with the state or outcome. */
  readonly metered: (readonly [what: "ended" | "answered", how: string, ms: number])[] = [];
  readonly meter: Meter = {
    ended: (_, state, ms) => void this.metered.push(["ended", state, ms]),
    answered: (_, outcome, ms) => void this.metered.push(["answered", outcome, ms]),
    reconnected: () => undefined,
  };
  readonly #options: StageOptions;
  #lane: Lane | null = null;

  constructor(options: StageOptions = {}) {
    this.#options = options;
    this.disk = options.disk ?? emptyDisk();
    this.clock = options.clock ?? new FakeClock();
    this.log = new MemoryLog(this.disk, options.step, () => this.clock.nowMs());
  }

  get lane(): Lane {
    if (this.#lane === null) throw new Error("no lane is open");
    return this.#lane;
  }

  async open(): Promise<void> {
    const { idempotency = KEY, inflightMax = 1, maxAgeMs = 6 * 3_600_000, outageNoticeMs = 300_000 } = this.#options;
    this.#lane = await Lane.open({
      name: LANE,
      gateway: "g",
      account: { name: "net.B", key: "net.b", protocol: "net" } as Account,
      channel: "#to",
      subjects: [SUBJECT],
      plan: this.#options.plan ?? PLAN,
      capabilities: { idempotency, ops: OPS, limits: { inflightMax } } as Capabilities,
      log: this.log,
      files: this.files,
      logger: this.#logger(),
      clock: this.clock,
      random: this.#options.random ?? (() => 0.5),
      maxAgeMs,
      outageNoticeMs,
      catchUp: this.#options.catchUp ?? null,
      meter: this.meter,
      loops: this.#options.loops ?? NO_LOOPS,
      onStalled: (why) => void this.stalls.push(why),
      ...(this.#options.mayCall !== undefined && { mayCall: this.#options.mayCall }),
    });
    await settled();
  }

  /** The same log and time, and everything else new: what is there after a crash or a stop. */
  next(options: StageOptions = {}): Stage {
    return new Stage({ ...this.#options, disk: this.disk, clock: new FakeClock(this.clock.nowMs()), ...options });
  }

  /** An outlet whose calls the test ends. */
  sink(without: ChannelSink["without"] = [], limits: ChannelSink["limits"] = {}): ChannelSink {
    const handle = (op: Op, attempt: Attempt): Promise<Outcome> =>
      new Promise((resolve, reject) => this.calls.push({ op, text: textOf(op), attempt, end: resolve, fail: reject }));
    const handlers = { post: handle, edit: handle, delete: handle, react: handle, topic: handle };
    return { ...outletOf(handle), handlers, without, limits };
  }

  async connect(sink: ChannelSink = this.sink()): Promise<ChannelSink> {
    this.lane.connect(sink);
    await settled();
    return sink;
  }

  /** Puts messages into the log and wakes the lane. */
  async say(...texts: readonly string[]): Promise<void> {
    for (const text of texts) this.put(text);
    this.#lane?.wake();
    await settled();
  }

  /** Puts what is said about the message `seq` into the log, and wakes the lane. */
  async act(is: About["is"], seq: number, text = "", more: Partial<About> = {}, name = "anna"): Promise<void> {
    this.put(payloadOf(is, seq, text, more, name), LABELS[is]);
    const who = `${SUBJECT} ["${name}",null]`;
    const { emoji, on } = aboutOf(is, seq, more);
    if (is === "reaction") this.disk.ids.note(0, SUBJECT, 0, { is: "reacted", of: seq, who, name, emoji, on });
    this.#lane?.wake();
    await settled();
  }

  /** Puts the wish to send the message `of` again into the log, and wakes the lane. */
  async again(of: number, text: string, more: Partial<Again> = {}): Promise<void> {
    this.put(againPayload(text, of, more), EventLabel.again);
    this.#lane?.wake();
    await settled();
  }

  /** Puts an entry into the log; a text that begins with `!` is one that the lane's plan does not admit. */
  put(payload: string, label = payload.startsWith("!") ? "unwanted" : ""): void {
    // Seqs have gaps: other subjects have entries, too.
    const seq = this.log.head + 2;
    this.disk.entries.push({ seq, subject: SUBJECT, at: this.clock.nowMs(), label, payload });
    const note: IdNote = { is: "said", refs: [`origin ${seq}`], author: "anna", name: "anna", excerpt: "" };
    if (label === "") this.disk.ids.note(seq, SUBJECT, this.clock.nowMs(), note);
  }

  /** The newest call, once there are so many. */
  call(number: number): TestCall {
    const call = this.calls[number - 1];
    if (call === undefined) throw new Error(`there are only ${this.calls.length} calls`);
    return call;
  }

  async end(number: number, outcome: Outcome): Promise<void> {
    this.call(number).end(outcome);
    await settled();
  }

  get texts(): readonly string[] {
    return this.calls.map(({ text }) => text);
  }

  receipts(): Promise<readonly Receipt[]> {
    return this.log.receipts({ lane: LANE, after: 0 });
  }

  /** The cursor on disk. */
  get cursorOnDisk(): number {
    return (JSON.parse(this.disk.marks.get(`lane/${LANE}`) ?? "{}") as { after: number }).after;
  }

  #logger(): Logger {
    const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
      void (level === "debug" ? this.details : this.lines).push({ level, message, fields });
    const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
    return Object.fromEntries(levels.map((level) => [level, at(level)])) as unknown as Logger;
  }
}

export async function connected(options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage(options);
  await stage.open();
  await stage.connect();
  return stage;
}

function textOf(op: Op): string {
  return "body" in op ? op.body.source.text : "";
}

export function outletOf(post: ChannelSink["handlers"]["post"]): ChannelSink {
  const gate = {
    untilMs: 0,
    hold(untilMs: number) {
      gate.untilMs = Math.max(gate.untilMs, untilMs);
    },
  };
  return {
    channel: "room" as ChannelRef,
    handlers: { post },
    without: [],
    limits: {},
    gate,
    activity: { lastMs: 0, beat: () => undefined },
    heard: () => undefined,
  };
}

/** Files that are ready when the test says so. */
export class MemoryFiles implements Files {
  readonly asked: string[] = [];
  /** What is answered; `ok` when absent. */
  readonly answers = new Map<string, ReadyFile | Promise<ReadyFile>>();

  async ready({ id }: WantedFile): Promise<ReadyFile> {
    this.asked.push(id);
    const answer = this.answers.get(id);
    return await (answer ?? { ok: true, bytes: 3, mime: "text/plain", sha256: "00", link: `https://files/${id}` });
  }

  open(): Promise<OpenedFile> {
    return Promise.resolve({ ok: false, why: WHY });
  }

  keep(): Promise<string | null> {
    return Promise.resolve(null);
  }

  publish(text: string): Promise<string | null> {
    return Promise.resolve(`https://files/${text}`);
  }
}

const OPS: Capabilities["ops"] = { edit: "native", delete: "native", react: "native", topic: "native" };

const LABELS: Readonly<Record<About["is"], string>> = {
  reply: "",
  edit: EventLabel.edit,
  delete: EventLabel.delete,
  reaction: EventLabel.reaction,
};

/** Does what a network without parts does: one part, announced and confirmed. */
export async function sendWhole(attempt: Attempt): Promise<boolean> {
  const allowed = await attempt.sending(END);
  if (allowed) attempt.sent(END, []);
  return allowed;
}

export function part(number: number): Progress {
  return `part ${number}` as Progress;
}

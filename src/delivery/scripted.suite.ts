/** What the tests of supervision act with: an adapter that does as it is told, and a logger that remembers. */
import { capabilities } from "../gateway/plan.suite.ts";
import type { Adapter, OpenArgs, Opened } from "../contract/adapter.ts";
import { type ChannelRef, END } from "../contract/ids.ts";
import type { Outcome, Reason } from "../contract/outcome.ts";
import type { PostOp } from "../contract/ops.ts";
import type { Attempt, ChannelRequest, Ended, Joined, Session } from "../contract/session.ts";
import type { Logger } from "../logger.ts";
import type { ChannelSink } from "./session/channel-sink.ts";
import type { JoinedLane } from "./session/channel.ts";
import type { LaneStatus } from "./status.ts";

export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export class MemoryLogger {
  readonly lines: LogLine[] = [];
  readonly logger: Logger;

  constructor() {
    const note = (level: string) => (fields: LogLine["fields"], message: string) =>
      void this.lines.push({ level, fields, message });
    const levels = ["trace", "debug", "info", "warn", "error", "fatal"].map((level) => [level, note(level)] as const);
    this.logger = Object.fromEntries(levels) as unknown as Logger;
  }

  /** `info joined #a`: level and message of every line above debug, with the fields named. */
  shown(...fields: readonly string[]): readonly string[] {
    return this.lines
      .filter(({ level }) => level !== "debug" && level !== "trace")
      .map((line) => [line.level, line.message, ...fields.flatMap((name) => text(line.fields[name]))].join(" "));
  }
}

const text = (value: unknown): readonly string[] =>
  typeof value === "string" || typeof value === "number" ? [String(value)] : [];

export const NETWORK_DOWN = { code: "network", message: "the server hung up" } as const;

export function refOf(name: string): ChannelRef {
  return `ref:${name}` as ChannelRef;
}

type Answer = (request: ChannelRequest, signal: AbortSignal) => Promise<Joined>;

export class ScriptedSession implements Session {
  readonly as = "rialto";
  readonly handlers = { post: (op: PostOp, attempt: Attempt) => this.#post(op, attempt) };
  /** `ref:#a <bob> hello`: what was posted, in order. */
  readonly posts: string[] = [];
  readonly #ended = Promise.withResolvers<Ended>();
  readonly ended = this.#ended.promise;
  /** Names of the channels that were asked for, in order. */
  readonly asked: string[] = [];
  readonly steps: string[] = [];
  /** How joins are answered; joined at once unless a test says otherwise. */
  answer: Answer = ({ name }) => Promise.resolve({ ok: true, ref: refOf(name), without: [] });
  /** Refs of the channels that were left, in order. */
  readonly left: ChannelRef[] = [];
  /** What leaving comes to. */
  leaving: (ref: ChannelRef, signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** Whether it ends when it is closed. */
  endsOnClose = true;
  paced: Reason | null = null;
  /** Absent until a test gives one. */
  members?: NonNullable<Session["members"]>;
  /** Likewise. */
  count?: NonNullable<Session["count"]>;
  /** `ref:#a on`: what was shown of typing, in order. */
  readonly shown: string[] = [];
  readonly typing = {
    lastsMs: 10_000,
    show: (channel: ChannelRef, on: boolean): void => void this.shown.push(`${channel} ${on ? "on" : "off"}`),
  };

  join(request: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    this.asked.push(request.name);
    return this.answer(request, signal);
  }

  leave(ref: ChannelRef, signal: AbortSignal): Promise<void> {
    this.left.push(ref);
    return this.leaving(ref, signal);
  }

  async #post({ channel, author, body }: PostOp, attempt: Attempt): Promise<Outcome> {
    await attempt.sending(END);
    this.posts.push(`${channel} ${author?.shown ?? ""}${body.source.text}`);
    attempt.sent(END, []);
    return { is: "delivered", receipt: { messages: [], losses: [] } };
  }

  end(cause: Ended["cause"] = "lost", why: Ended["why"] = NETWORK_DOWN): void {
    this.#ended.resolve({ cause, why });
  }

  quiesce(): Promise<void> {
    this.steps.push("quiesce");
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.steps.push("close");
    if (!this.endsOnClose) return new Promise(() => undefined);
    this.end("asked", { code: "stopping", message: "closed" });
    return Promise.resolve();
  }
}

type Open = (args: OpenArgs<Readonly<Record<string, unknown>>>) => Promise<Opened>;

/** Every open makes a new session, unless `plans` holds something else for it. */
export class ScriptedNetwork {
  readonly sessions: ScriptedSession[] = [];
  readonly opens: Parameters<Open>[0][] = [];
  readonly plans: Open[] = [];
  readonly adapter: Adapter = {
    manifest: {
      protocol: "net",
      title: "Net",
      schema: { type: "object", properties: {} },
      address: () => "net.example:1 (TLS)",
    },
    capabilities: capabilities({ limits: { textMax: 400, textUnit: "bytes", inflightMax: 2 } }),
    load: () => Promise.resolve({ open: (args) => this.#open(args) }),
  };

  get session(): ScriptedSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error("no session was opened");
    return session;
  }

  /** What the next open comes to, instead of a session. */
  refuse(ended: Ended, times = 1): void {
    for (let time = 0; time < times; time += 1) this.plans.push(() => Promise.resolve({ ok: false, ended }));
  }

  #open(args: Parameters<Open>[0]): Promise<Opened> {
    this.opens.push(args);
    return (this.plans.shift() ?? (() => this.welcome()))(args);
  }

  /** An open that succeeds. */
  welcome(): Promise<Opened> {
    const session = new ScriptedSession();
    this.sessions.push(session);
    return Promise.resolve({ ok: true, session });
  }
}

/** Remembers what it is told: `+ref`, `-why`. */
export class MemoryLane implements JoinedLane {
  readonly told: string[] = [];
  sink: ChannelSink | null = null;
  /** As its status says. */
  state: LaneStatus["state"] = "idle";
  readonly gateway: string;

  constructor(gateway = "g") {
    this.gateway = gateway;
  }

  connect(sink: ChannelSink): void {
    this.sink = sink;
    this.told.push(`+${sink.channel}`);
  }

  disconnect(why: { readonly message: string }): void {
    this.sink = null;
    this.told.push(`-${why.message}`);
  }

  underWay(): Promise<void> | null {
    return null;
  }

  status(): Promise<LaneStatus> {
    const nothing = { waiting: 0, oldestMs: null, oldest: null, why: null, remedy: null, retryMs: null } as const;
    return Promise.resolve({ gateway: this.gateway, channel: "", state: this.state, ...nothing });
  }
}

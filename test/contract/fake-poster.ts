import type { Clock, Host } from "../../src/contract/host.ts";
import { END, type MessageRef, type Progress } from "../../src/contract/ids.ts";
import type { PostOp } from "../../src/contract/ops.ts";
import type { Loss, Outcome, ReasonCode } from "../../src/contract/outcome.ts";
import type { Attempt } from "../../src/contract/session.ts";
import type { Answered, FakeLink } from "./fake-link.ts";
import { type FakeTraits, outcomeOf, type Rate, type Step } from "./fake-script.ts";
import type { FakeFile, FakeLine, FakeMessage, Member } from "./fake-room.ts";
import type { FakeServer } from "./fake-server.ts";
import { alertsOf, partsOf } from "./fake-text.ts";
import { readAll } from "./shared-file.ts";
import { aborted, type FakeTurns } from "./fake-turns.ts";

/** What posts of one session share. */
export interface PostRoad {
  readonly traits: FakeTraits;
  readonly server: FakeServer;
  readonly member: Member;
  readonly link: FakeLink;
  readonly clock: Clock;
  readonly openFile: Host["openFile"];
  readonly turns: FakeTurns;
  readonly rate: () => Rate | null;
  /** Lines written and not yet answered, and lines of the rate's window. */
  unanswered: number;
  readonly onAnswer: Set<() => void>;
  spent: { sinceMs: number; lines: number };
  closing: boolean;
}

export function deferred(
  code: ReasonCode,
  message: string,
  scope: "channel" | "session" = "channel",
  retryInMs = 0,
): Outcome {
  return { is: "deferred", why: { code, message }, retryInMs, scope };
}

/** One try of a post: announce, write, wait for the answers; at most `window` lines of a session are in doubt. */
export class FakePost {
  readonly #road: PostRoad;
  readonly #room: string;
  readonly #op: PostOp;
  readonly #attempt: Attempt;
  readonly #step: Step;
  readonly #lines: ReturnType<typeof partsOf>["parts"];
  readonly #losses: Loss[];
  readonly #messages: MessageRef[] = [];
  #answers: Promise<void> = Promise.resolve();
  /** Why it ends before its last line; null while it goes on. */
  #stop: Outcome | null = null;
  #inDoubt: Outcome | null = null;
  #unanswered = 0;
  #over = false;

  constructor(road: PostRoad, room: string, op: PostOp, attempt: Attempt, step: Step) {
    this.#road = road;
    this.#room = room;
    this.#op = op;
    this.#attempt = attempt;
    this.#step = step;
    const { parts, losses } = partsOf(op, road.traits);
    this.#lines = parts;
    this.#losses = [...losses];
  }

  async run(): Promise<Outcome> {
    const { signal } = this.#attempt;
    if (this.#lines.length === 0) {
      return { is: "rejected", why: { code: "bad_content", message: "there is nothing to say" } };
    }
    const release = await this.#road.turns.take(signal);
    if (release === null) return deferred("stopping", "aborted before its turn");
    try {
      await this.#write();
    } finally {
      release();
    }
    const abort = aborted(signal);
    if (this.#unanswered > 0) await Promise.race([this.#answers, abort.promise]);
    abort.stop();
    this.#over = true;
    if (this.#unanswered > 0) this.#inDoubt ??= unknown("aborted before the server answered");
    return this.#inDoubt ?? this.#stop ?? this.#delivered();
  }

  async #write(): Promise<void> {
    const first = this.#op.resume === END ? this.#lines.length : Number(this.#op.resume ?? 0);
    const bites = first + (this.#step.after ?? 0);
    for (let at = first; at < this.#lines.length && this.#stop === null; at += 1) {
      if (at === bites) await this.#bite(at);
      const file = this.#stop === null ? await this.#content(at) : null;
      if (this.#stop === null && (await this.#mayWrite(at))) this.#await(at, this.#say(at, file));
    }
  }

  /** The step of the script. */
  async #bite(at: number): Promise<void> {
    const step = this.#step;
    if (step.is === "deliver" || step.is === "again") return;
    await this.#answers;
    if (step.is === "throw") throw new Error("the script throws");
    if (step.is === "hang") {
      this.#stop = await this.#hang(step.deaf === true);
    } else if (step.is === "unknown" || step.is === "die") {
      if (!(await this.#mayWrite(at))) return;
      if (step.arrives) await this.#say(at, null);
      this.#inDoubt = unknown("the script leaves it in doubt");
      this.#stop = this.#inDoubt;
      if (step.is === "die") this.#road.link.cut();
    } else {
      this.#stop = outcomeOf(step);
    }
  }

  async #hang(deaf: boolean): Promise<Outcome> {
    if (deaf) return await new Promise(() => undefined);
    const abort = aborted(this.#attempt.signal);
    await Promise.race([abort.promise, this.#road.link.cutOff]);
    abort.stop();
    return deferred("stopping", "aborted while it hung");
  }

  /** Waits until the line may leave; false: it may not, and `#stop` says why. */
  async #mayWrite(at: number): Promise<boolean> {
    while (this.#obstacle() === null && this.#road.unanswered >= this.#road.traits.window) await this.#nextAnswer();
    this.#stop = this.#obstacle() ?? this.#overRate();
    if (this.#stop === null && this.#road.traits.idempotency === "none") {
      const allowed = await this.#attempt.sending(progress(at, this.#lines.length));
      this.#stop = allowed ? this.#obstacle() : deferred("stopping", "nothing may be sent now");
    }
    return this.#stop === null;
  }

  async #nextAnswer(): Promise<void> {
    const abort = aborted(this.#attempt.signal);
    const answer = Promise.withResolvers<void>();
    this.#road.onAnswer.add(answer.resolve);
    await Promise.race([answer.promise, abort.promise]);
    this.#road.onAnswer.delete(answer.resolve);
    abort.stop();
  }

  #obstacle(): Outcome | null {
    if (this.#attempt.signal.aborted) return deferred("stopping", "aborted");
    if (this.#road.closing || !this.#road.link.up) return deferred("network", "the session is over", "session");
    return this.#stop ?? this.#inDoubt;
  }

  #overRate(): Outcome | null {
    const rate = this.#road.rate();
    if (rate === null) return null;
    const now = this.#road.clock.nowMs();
    const { spent } = this.#road;
    if (now - spent.sinceMs >= rate.windowMs) Object.assign(spent, { sinceMs: now, lines: 0 });
    const waitMs = spent.sinceMs + rate.windowMs - now;
    if (spent.lines >= rate.lines) return deferred("rate_limited", "too many lines", "session", waitMs);
    spent.lines += 1;
    return null;
  }

  /** What comes with a line; without it, the line says so. */
  async #content(at: number): Promise<FakeFile | null> {
    const file = this.#lines[at]?.file ?? null;
    if (file === null || file.id === null) return null;
    const opened = await this.#road.openFile(file.id, this.#attempt.signal);
    if (!opened.ok) {
      this.#losses.push({ what: "file", note: opened.why.message });
      return null;
    }
    const content = await readAll(opened.stream);
    if (content.length > (this.#road.traits.limits.fileBytesMax ?? Infinity)) {
      this.#stop = { is: "rejected", why: { code: "too_large", message: "the room takes no such file" } };
    }
    return { name: file.name, mime: file.mime ?? "", content };
  }

  async #say(at: number, file: FakeFile | null): Promise<Answered<FakeMessage | null>> {
    const { server, member, link, traits } = this.#road;
    const text = this.#lines[at]?.text ?? "";
    const key = `${this.#op.id}/${at}`;
    // `attempt` does not tell a repetition: after a restart it begins at 1 again.
    const dedup = traits.idempotency !== "none";
    this.#road.unanswered += 1;
    const answer = await link.ask(() => server.post(this.#room, member, this.#line(text, file), { key, dedup }));
    this.#road.unanswered -= 1;
    for (const wake of this.#road.onAnswer) wake();
    return answer;
  }

  #line(text: string, file: FakeFile | null): FakeLine {
    const { body, reply, thread } = this.#op;
    const alerts = alertsOf(text, this.#op, this.#road.server.room(this.#room));
    return { text, style: body.style, reply: reply?.target ?? null, thread, file, alerts };
  }

  #await(at: number, answer: Promise<Answered<FakeMessage | null>>): void {
    const before = this.#answers;
    this.#unanswered += 1;
    this.#answers = (async () => {
      await before;
      const answered = await answer;
      if (this.#over) return;
      this.#unanswered -= 1;
      if (!answered.ok) this.#inDoubt ??= unknown("the connection broke before the server answered");
      else if (answered.value === null) this.#stop ??= deferred("forbidden", "Rialto is not in the channel");
      else this.#confirm(at, answered.value);
    })();
  }

  #confirm(at: number, message: FakeMessage): void {
    this.#messages.push(message.ref as MessageRef);
    this.#attempt.sent(progress(at, this.#lines.length), [message.ref as MessageRef]);
  }

  #delivered(): Outcome {
    if (this.#step.is === "again") {
      this.#road.clock.after(1, () => {
        this.#attempt.sent(END, this.#messages);
        void this.#attempt.sending(END);
      });
    }
    return { is: "delivered", receipt: { messages: this.#messages, losses: this.#losses } };
  }
}

function unknown(message: string): Outcome {
  return { is: "unknown", why: { code: "network", message } };
}

function progress(at: number, count: number): Progress {
  return at === count - 1 ? END : (String(at + 1) as Progress);
}

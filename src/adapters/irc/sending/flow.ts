import type { Clock } from "../../../contract/host.ts";
import { messageRef } from "../ids.ts";
import type { Outcome, Reason } from "../../../contract/outcome.ts";
import type { ConnectionContext } from "../link.ts";
import { Acceptance } from "./acceptance.ts";
import type { IrcPart } from "./parts.ts";
import { type RefusedLine, refusalOf, relayRefusalOf, topicRefusalOf } from "./refusal.ts";
import { Sending } from "./sending.ts";
import { type Proof, LineWindow } from "./window.ts";
import type { IrcLine } from "../wire/wire.ts";

/** Most lines announced, or written and unanswered: so many are in doubt when the server dies. */
const WINDOW = { lines: 16, bytes: 8 * 1024 };
/**
 * With pacing, a few are enough to hide the way there and back; servers that slow us down keep 1024 bytes for us and
 * not more.
 */
const PACED_WINDOW = { lines: 4, bytes: 900 };
/** An echo that does not come in this time is asked for by a PING. */
const ECHO_MS = 5000;
/** After a refusal each line gets a PING of its own, so that the next one tells which line it means. */
const CAREFUL_MS = 60_000;

interface WriteIntent {
  readonly sending: Sending;
  readonly index: number;
  readonly part: IrcPart;
  ready: boolean;
}

interface Next {
  readonly sending: Sending;
  readonly index: number;
  readonly line: IrcPart;
}

/** What an op becomes on its way to a channel. */
export type Post = Omit<ConstructorParameters<typeof Sending>[0], "key"> & { readonly target: string };

/**
 * The writer of a session: one queue over all its channels, which take turns line by line. A line waits until
 * the window has room and the pace allows it, is announced, written once that is durable, and answered as
 * `Window` says. A line that the channel may refuse for one of its traits is alone on its way to it: its
 * refusal is exact, and the order holds. An op that must be tried again takes all that waits after it for the
 * same channel with it, so that order is kept.
 */
export class Flow {
  readonly acceptance: Acceptance;
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  readonly #window = new LineWindow();
  /** Called when a line was refused because Rialto is not in the channel. */
  readonly #onGone: (key: string, why: Reason) => void;
  #queue: Sending[] = [];
  #announced: WriteIntent[] = [];
  #ended: Reason | null = null;
  #flushing = false;
  #labels = 0;
  /** Turns taken, in all and when each channel that something waits for had its last one. */
  #turns = 0;
  readonly #turnOf = new Map<string, number>();
  #carefulUntilMs = -Infinity;
  #cancelWake: (() => void) | null = null;
  #cancelEcho: (() => void) | null = null;

  constructor(options: {
    readonly link: ConnectionContext;
    readonly clock: Clock;
    readonly onGone: (key: string, why: Reason) => void;
  }) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.acceptance = new Acceptance(options.link);
    this.#onGone = options.onGone;
  }

  /** Nothing waits, and all lines that were written are answered. */
  get isIdle(): boolean {
    return this.#ended === null && this.#queue.length === 0 && this.#window.lines === 0;
  }

  /** Sends an op's lines; never rejects. */
  async post({ target, ...post }: Post): Promise<Outcome> {
    const key = this.#link.key(target);
    const sending = new Sending({ ...post, key });
    if (this.#ended !== null) sending.cut(this.#ended, "session");
    this.#queue.push(sending);
    this.#schedule();
    const outcome = await sending.outcome;
    this.#queue = this.#queue.filter((one) => one !== sending);
    if (!this.#queue.some((one) => one.key === key)) this.#turnOf.delete(key);
    if (outcome.is === "deferred") this.#stopBehind(key, outcome);
    this.#schedule();
    return outcome;
  }

  /**
   * Takes a line of the server's that may answer one of ours, and the label of that one, null for none. False: it
   * answers none.
   */
  take(line: IrcLine, label: string | null): boolean {
    this.acceptance.read(line);
    if (line.command === "ACK") return label !== null && this.#settled(this.#window.onAck(label));
    if (this.#link.isOurs(line)) return this.#takeOwn(line, label);
    const refused = this.#refusedBy(line, label);
    if (refused === null) return false;
    const key = refused.target === null ? null : this.#link.key(refused.target);
    const ours = this.#window.onRefusal({ ...refused, key }, label);
    if (!ours) return false;
    this.#carefulUntilMs = this.#clock.monoMs() + CAREFUL_MS;
    this.#cover();
    if (key !== null && refused.refusal.is === "deferred" && refused.refusal.gone)
      this.#onGone(key, refused.refusal.why);
    return this.#settled(true);
  }

  #refusedBy(line: IrcLine, label: string | null): RefusedLine | null {
    if (this.#window.lines === 0) return null;
    // Where answers have labels, one without answers a command that had none.
    const mayBeRelay = this.#window.relays() && (label !== null || !this.#link.has("labeled-response"));
    return (
      (mayBeRelay ? relayRefusalOf(line, (nick) => this.#window.relays(nick)) : null) ??
      (this.#window.setsTopic ? topicRefusalOf(line) : null) ??
      refusalOf(line)
    );
  }

  onPong(ping: number): void {
    this.#window.onPong(ping);
    this.#schedule();
  }

  /** We are no longer in the channel: what waits for it goes back. */
  gone(key: string, why: Reason): void {
    this.#stopBehind(key, { is: "deferred", why, retryInMs: 1000, scope: "channel" });
  }

  /** The session is over: what was written and not answered is in doubt, all else was certainly not sent. */
  end(why: Reason): void {
    this.#ended = why;
    this.#cancelWake?.();
    this.#cancelEcho?.();
    this.#announced = [];
    for (const sending of this.#queue) sending.cut(why, "session");
  }

  #takeOwn({ command, params, tags }: IrcLine, label: string | null): boolean {
    if (!OURS.has(command)) return false;
    const [target = "", text = ""] = params;
    // The id of a REDACT is that of the deletion, and topics are no messages.
    const msgid = command === "REDACT" || command === "TOPIC" ? "" : (tags.get("msgid") ?? "");
    const message = msgid === "" ? null : messageRef(msgid);
    return this.#settled(this.#window.onEcho({ key: this.#link.key(target), command, text, label, message }));
  }

  #settled(ours: boolean): boolean {
    if (ours) this.#schedule();
    return ours;
  }

  #stopBehind(key: string, outcome: Extract<Outcome, { is: "deferred" }>): void {
    for (const sending of this.#queue) {
      if (sending.key === key && sending.open) sending.stop(outcome);
    }
  }

  /** All that happens in one turn of the event loop leaves together, with one PING. */
  #schedule(): void {
    if (this.#flushing || this.#ended !== null) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      if (this.#ended !== null) return;
      this.#link.together(() => this.#flush());
      this.#announce();
    });
  }

  #flush(): void {
    const held = this.#held();
    const blocked = new Set<string>();
    const waiting = this.#announced;
    this.#announced = [];
    for (const line of waiting) {
      const { sending, index, ready } = line;
      if (!sending.wanted(index)) continue;
      if (ready && !blocked.has(sending.key) && goesOn(sending, held)) {
        this.#write(line);
      } else {
        blocked.add(sending.key);
        this.#announced.push(line);
      }
    }
    if (this.#window.uncovered > 0) this.#prove();
  }

  #write({ sending, index, part }: WriteIntent): void {
    const proof = this.#proof(part);
    const label = this.#link.has("labeled-response") && proof !== "pong" ? `r${++this.#labels}` : null;
    sending.wrote(index);
    if (!this.#link.sendAll(part.frames, label)) {
      const why = { code: "bug", message: "the line cannot be written" } as const;
      sending.answered(index, { is: "refused", refusal: { is: "rejected", why } });
      return;
    }
    this.#window.add({ sending, index, part, bytes: bytesOf(part), proof, label });
    // Others wait for the answer to a line that is alone.
    if (this.#careful || (proof === "pong" && this.#isAlone(sending.key, part))) this.#cover();
  }

  #isAlone(key: string, part: IrcPart): boolean {
    return part.traits.length > 0 && this.acceptance.isUnsure(key, part.traits);
  }

  /** Whether the line has to wait for the answer to another one in its channel. */
  #waits(key: string, part: IrcPart): boolean {
    const isAlone = this.#isAlone(key, part);
    const isInWay = (other: IrcPart): boolean => isAlone || this.#isAlone(key, other);
    return (
      this.#announced.some(({ sending, part: other }) => sending.key === key && isInWay(other)) ||
      this.#window.some(key, isInWay)
    );
  }

  #proof({ kind }: IrcPart): Proof {
    if (!this.#link.has("echo-message")) return "pong";
    // Not every server shows these to who sent them.
    if (kind === "relay" || kind === "redact" || kind === "topic") return "seen";
    return this.#link.has("labeled-response") ? "label" : "echo";
  }

  /** Channels where an op that will not continue still waits for answers: what is after it waits for its end. */
  #held(): ReadonlyMap<string, Sending> {
    return new Map(this.#queue.filter(({ held }) => held).map((sending) => [sending.key, sending]));
  }

  get #careful(): boolean {
    return this.#clock.monoMs() < this.#carefulUntilMs;
  }

  /** Sees to it that what was written will be answered. */
  #prove(): void {
    if (this.#link.has("echo-message")) {
      this.#cancelEcho ??= this.#clock.after(ECHO_MS, () => {
        this.#cancelEcho = null;
        this.#cover();
      });
      return;
    }
    const next = this.#next()?.line;
    if (next === undefined || !this.#link.pacer.paced || !this.#fits(next)) this.#cover();
  }

  #cover(): void {
    if (this.#window.uncovered > 0) this.#window.cover(this.#link.ping());
  }

  /** The line whose turn it is: the next one of the channel that has waited longest; null when nothing waits. */
  #next(): Next | null {
    const held = this.#held();
    const keys = new Set<string>();
    let first: Next | null = null;
    for (const sending of this.#queue) {
      const next = !keys.has(sending.key) && goesOn(sending, held) ? sending.next : null;
      if (next === null) continue;
      keys.add(sending.key);
      if (this.#waits(sending.key, next.line)) continue;
      if (first === null || this.#lastTurn(sending) < this.#lastTurn(first.sending)) first = { sending, ...next };
    }
    return first;
  }

  #lastTurn({ key }: Sending): number {
    return this.#turnOf.get(key) ?? 0;
  }

  #announce(): void {
    for (;;) {
      const next = this.#next();
      if (next === null || !this.#fits(next.line)) return;
      // The pace counts from one line written to the next.
      if (this.#link.pacer.paced && this.#announced.length > 0) return;
      const waitMs = this.#link.pacer.waitMs();
      if (waitMs > 0) {
        this.#cancelWake?.();
        this.#cancelWake = this.#clock.after(waitMs, () => this.#schedule());
        return;
      }
      const announced: WriteIntent = { sending: next.sending, index: next.index, part: next.line, ready: false };
      this.#announced.push(announced);
      this.#turnOf.set(next.sending.key, ++this.#turns);
      void this.#durable(announced);
    }
  }

  #fits(part: IrcPart): boolean {
    const limit = this.#link.pacer.paced ? PACED_WINDOW : WINDOW;
    const lines = this.#window.lines + this.#announced.length;
    const bytes = this.#announced.reduce((sum, line) => sum + bytesOf(line.part), this.#window.bytes);
    return lines === 0 || (lines < limit.lines && bytes + bytesOf(part) <= limit.bytes);
  }

  async #durable(announced: WriteIntent): Promise<void> {
    let durable = false;
    try {
      durable = await announced.sending.announce(announced.index);
    } catch {
      // The core never rejects; if it did, nothing would be durable.
    }
    if (durable) {
      announced.ready = true;
    } else {
      const why = { code: "stopping", message: "Rialto cannot record now what it sends" } as const;
      announced.sending.stop({ is: "deferred", why, retryInMs: 1000, scope: "channel" }, announced.index);
    }
    this.#schedule();
  }
}

/** What of our own comes back to us. */
const OURS: ReadonlySet<string> = new Set(["PRIVMSG", "NOTICE", "REDACT", "TOPIC"]);

function bytesOf({ text }: IrcPart): number {
  return Buffer.byteLength(text);
}

function goesOn(sending: Sending, held: ReadonlyMap<string, Sending>): boolean {
  return (held.get(sending.key) ?? sending) === sending;
}

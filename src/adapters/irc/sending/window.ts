import type { MessageRef } from "../../../contract/ids.ts";
import type { IrcPart, IrcPartKind } from "./parts.ts";
import { refusalFor, type RefusalVerdict } from "./refusal.ts";
import type { LineOutcome, Sending } from "./sending.ts";

/**
 * What tells that a line was passed on. `label`: the answer to each line by its label. `echo`: the line comes back to
 * us. `pong`: the answer to a PING sent after it, when no refusal came before. `seen`: whichever of all these comes
 * first; for what not every server shows back.
 */
export type Proof = "label" | "echo" | "pong" | "seen";

export interface WrittenLine {
  readonly sending: Sending;
  readonly index: number;
  readonly part: IrcPart;
  readonly bytes: number;
  readonly proof: Proof;
  readonly label: string | null;
}

interface Open extends WrittenLine {
  /** The PING that was sent after it; null: none yet. */
  ping: number | null;
}

/** A refusal that may mean several of our lines. `kind`: it can only mean lines of this kind. */
interface Held {
  readonly key: string | null;
  readonly kind: IrcPartKind | null;
  readonly refusal: RefusalVerdict;
}

/** More than there are ever lines. */
const REFUSALS_MAX = 100;

/**
 * The lines that are written and not answered, oldest first. A server answers in the order it reads: what concerns a
 * line comes before the answer to a PING sent after it. So a PONG settles all that went before its PING: refused where
 * refusals came, as many as there are lines to that channel; unknown where fewer came, because nobody tells which; else
 * passed on, or unknown where an echo should have come.
 */
export class LineWindow {
  #open: Open[] = [];
  #bytes = 0;
  #refusals: Held[] = [];

  get lines(): number {
    return this.#open.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether such a line to the channel waits for its answer. */
  some(key: string, isMeant: (part: IrcPart) => boolean): boolean {
    return this.#open.some(({ sending, part }) => sending.key === key && isMeant(part));
  }

  /** How many lines have no PING after them. */
  get uncovered(): number {
    return this.#open.filter(({ ping }) => ping === null).length;
  }

  add(line: WrittenLine): void {
    this.#open.push({ ...line, ping: null });
    this.#bytes += line.bytes;
  }

  /** A PING was sent after all these lines. */
  cover(ping: number): void {
    for (const line of this.#open) line.ping ??= ping;
  }

  /** The lines that this proves to be read are settled. */
  onPong(ping: number): void {
    const read = this.#open.filter((line) => line.ping !== null && line.ping <= ping);
    const refusals = this.#refusals;
    this.#refusals = [];
    this.#drop(read);
    for (const key of new Set(read.map(({ sending }) => sending.key))) {
      let lines = read.filter(({ sending }) => sending.key === key);
      for (const kind of new Set(lines.map(({ part }) => part.kind))) {
        const own = meaning(refusals, key, kind);
        if (own.refused.length === 0) continue;
        const meant = lines.filter(({ part }) => part.kind === kind);
        lines = lines.filter((line) => !meant.includes(line));
        settle(meant, own.refused, own.exact || meant.length === 1);
      }
      const others = meaning(refusals, key, null);
      settle(lines, others.refused, others.exact || read.length === 1);
    }
  }

  /** One of our lines came back. False: it is none of these. */
  onEcho(echo: {
    readonly key: string;
    readonly command: string;
    readonly text: string;
    readonly label: string | null;
    readonly message: MessageRef | null;
  }): boolean {
    const candidates = this.#open.filter(
      ({ sending, part, proof }) => proof !== "pong" && sending.key === echo.key && part.command === echo.command,
    );
    // A server may change a text (colours stripped), but not the order.
    const line =
      this.#labelled(echo.label) ??
      candidates.find(({ part }) => part.text === echo.text) ??
      candidates.find(unlabelled);
    if (line === undefined) return false;
    this.#drop([line]);
    line.sending.answered(line.index, { is: "confirmed", message: echo.message });
    return true;
  }

  /** The server has taken a labelled line and says nothing more about it (IRCv3 "Labeled Responses", ACK). */
  onAck(label: string): boolean {
    const line = this.#labelled(label);
    if (line === undefined) return false;
    this.#drop([line]);
    line.sending.answered(line.index, { is: "confirmed", message: null });
    return true;
  }

  /** A line was refused. False: none of ours can be meant. */
  onRefusal({ key, kind, refusal }: Held, label: string | null): boolean {
    const labelled = this.#labelled(label);
    // It answers something else of ours, or what was answered before.
    if (label !== null && labelled === undefined) return false;
    const fits = ({ sending, part }: Open): boolean =>
      (key === null || sending.key === key) && (kind === null || part.kind === kind);
    const meant = labelled === undefined ? this.#open.filter(fits) : [];
    const line = labelled ?? (meant.length === 1 ? meant[0] : undefined);
    if (line !== undefined) {
      this.#drop([line]);
      line.sending.answered(line.index, answerTo(refusal, line.part));
      return true;
    }
    if (meant.length === 0) return false;
    if (this.#refusals.length < REFUSALS_MAX) this.#refusals.push({ key, kind, refusal });
    return true;
  }

  /** Whether a relayed line waits for its answer; under this name, or any. */
  relays(nick: string | null = null): boolean {
    return this.#open.some(({ part }) => part.kind === "relay" && (nick === null || part.under === nick));
  }

  /** Whether a topic waits for its answer. */
  get setsTopic(): boolean {
    return this.#open.some(({ part }) => part.kind === "topic");
  }

  #labelled(label: string | null): Open | undefined {
    return label === null ? undefined : this.#open.find((line) => line.label === label);
  }

  #drop(lines: readonly Open[]): void {
    const gone = new Set(lines);
    this.#open = this.#open.filter((line) => !gone.has(line));
    this.#bytes = this.#open.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function answerTo(refusal: RefusalVerdict, part: IrcPart): LineOutcome {
  if (refusal.is === "done") return { is: "confirmed", message: null };
  return { is: "refused", refusal: refusalFor(refusal, part) };
}

const unlabelled = ({ label }: WrittenLine): boolean => label === null;

/** The refusals that can mean lines of this kind to this channel. `exact`: all of them name the channel. */
function meaning(
  all: readonly Held[],
  key: string,
  kind: IrcPartKind | null,
): { readonly refused: readonly RefusalVerdict[]; readonly exact: boolean } {
  const named = all.filter((one) => one.kind === kind && one.key === key);
  const anonymous = all.find((one) => one.kind === kind && one.key === null);
  const refused = anonymous === undefined ? named : [...named, anonymous];
  return { refused: refused.map(({ refusal }) => refusal), exact: anonymous === undefined };
}

/**
 * Lines to one channel that were read, and the refusals that came meanwhile. `exact`: each of these concerns one of the
 * lines.
 */
function settle(lines: readonly WrittenLine[], refused: readonly RefusalVerdict[], exact: boolean): void {
  const refusal = refused[0];
  const all = exact && refused.length >= lines.length;
  for (const [index, line] of lines.entries()) {
    const { sending, index: part, proof } = line;
    if (refusal !== undefined && all) sending.answered(part, answerTo(refused[index] ?? refusal, line.part));
    else if (refusal !== undefined && refusal.is !== "done")
      sending.answered(part, { is: "unknown", why: refusal.why });
    else if (proof === "pong" || proof === "seen") sending.answered(part, { is: "confirmed", message: null });
    else sending.answered(part, { is: "unknown", why: NOT_SHOWN });
  }
}

const NOT_SHOWN = { code: "remote_error", message: "the server read the line but did not echo it" } as const;

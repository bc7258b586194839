import type { MessageRef } from "../../contract/ids.ts";
import type { Refusal } from "./refusal.ts";
import type { Sending } from "./sending.ts";

/**
 * What tells that a line was passed on. `label`: the answer to each line by its label. `echo`: the line comes back to us. `pong`: the
 * answer to a PING sent after it, when no refusal came before.
 */
export type Proof = "label" | "echo" | "pong";

export interface Written {
  readonly sending: Sending;
  readonly index: number;
  readonly text: string;
  readonly bytes: number;
  readonly proof: Proof;
  readonly label: string | null;
}

interface Open extends Written {
  /** The PING that was sent after it; null: none yet. */
  ping: number | null;
}

/** More than there are ever lines. */
const REFUSALS_MAX = 100;

/**
 * The lines that are written and not answered, oldest first. A server answers in the order it reads: what concerns a line comes before the
 * answer to a PING sent after it. So a PONG settles all that went before its PING: refused where refusals came, as many as there are
 * lines to that channel; unknown where fewer came, because nobody tells which; else passed on, or unknown where an echo should have come.
 */
export class Window {
  #open: Open[] = [];
  #bytes = 0;
  #refusals: { readonly key: string | null; readonly refusal: Refusal }[] = [];

  get lines(): number {
    return this.#open.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many lines have no PING after them. */
  get uncovered(): number {
    return this.#open.filter(({ ping }) => ping === null).length;
  }

  add(line: Written): void {
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
    const anonymous = refusals.find(({ key }) => key === null)?.refusal;
    for (const key of new Set(read.map(({ sending }) => sending.key))) {
      const lines = read.filter(({ sending }) => sending.key === key);
      const refused = refusals.filter((one) => one.key === key).map(({ refusal }) => refusal);
      if (anonymous !== undefined) refused.push(anonymous);
      settle(lines, refused, read.length === 1 || anonymous === undefined);
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
      ({ sending, proof }) => proof !== "pong" && sending.key === echo.key && sending.command === echo.command,
    );
    // A server may change a text (colours stripped), but not the order.
    const line =
      this.#labelled(echo.label) ?? candidates.find(({ text }) => text === echo.text) ?? candidates.find(unlabelled);
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
  onRefusal(key: string | null, label: string | null, refusal: Refusal): boolean {
    const labelled = this.#labelled(label);
    const meant = labelled === undefined ? this.#open.filter(({ sending }) => key === null || sending.key === key) : [];
    const line = labelled ?? (meant.length === 1 ? meant[0] : undefined);
    if (line !== undefined) {
      this.#drop([line]);
      line.sending.answered(line.index, { is: "refused", refusal });
      return true;
    }
    if (meant.length === 0) return false;
    if (this.#refusals.length < REFUSALS_MAX) this.#refusals.push({ key, refusal });
    return true;
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

const unlabelled = ({ label }: Written): boolean => label === null;

/** Lines to one channel that were read, and the refusals that came meanwhile. `exact`: each of these concerns one of the lines. */
function settle(lines: readonly Written[], refused: readonly Refusal[], exact: boolean): void {
  const refusal = refused[0];
  const all = exact && refused.length >= lines.length;
  for (const [index, { sending, index: part, proof }] of lines.entries()) {
    if (refusal !== undefined && all) sending.answered(part, { is: "refused", refusal: refused[index] ?? refusal });
    else if (refusal !== undefined) sending.answered(part, { is: "unknown", why: refusal.why });
    else if (proof === "pong") sending.answered(part, { is: "confirmed", message: null });
    else sending.answered(part, { is: "unknown", why: NOT_SHOWN });
  }
}

const NOT_SHOWN = { code: "remote_error", message: "the server has read the line, but did not show it to us" } as const;

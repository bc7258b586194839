import type { IrcLine } from "./wire.ts";

/** What was said before we came: it was not said now. */
const PLAYBACK = /^(?:chathistory|znc\.in\/playback|.*\/playback)$/u;
const MULTILINE = /^(?:draft\/)?multiline$/u;
const SAYING: ReadonlySet<string> = new Set(["PRIVMSG", "NOTICE"]);
const OPEN_MAX = 100;
/** Of one message of several lines; servers allow some hundred. */
const LINES_MAX = 1000;
const CHARS_MAX = 256 * 1024;

export interface IrcBatch {
  /** In lower case: `netsplit`, `chathistory`. */
  readonly type: string;
  /** What comes after the type, such as the channel. */
  readonly params: readonly string[];
  /** The label of the line of ours that it answers, also through a batch around it. */
  readonly label: string | null;
  /** It, or one around it, repeats old lines. */
  readonly playback: IrcBatch | null;
}

interface Open extends IrcBatch {
  /** The line that opened it. */
  readonly opened: IrcLine;
  /** Of a message of several lines: what it says so far, null before its first line. */
  said: { readonly command: string; readonly text: string; readonly lines: number } | null;
}

/**
 * The batches that are open (IRCv3 "Batch"), by their reference; messages of several lines are put together here
 * ("Multiline messages").
 */
export class Batches {
  readonly #open = new Map<string, Open>();

  /** The batch of old lines that the line is in; null when it is news. */
  playback(line: IrcLine): IrcBatch | null {
    return this.#around(line)?.playback ?? null;
  }

  /** Whether the line is in a batch of this type itself. */
  isIn(line: IrcLine, type: string): boolean {
    return this.#around(line)?.type === type;
  }

  /**
   * The label of the line of ours that this answers, by itself or with others in a batch (IRCv3 "Labeled Responses").
   */
  labelOf(line: IrcLine): string | null {
    return line.tags.get("label") ?? this.#around(line)?.label ?? null;
  }

  /** A BATCH line: one begins or ends. What ended, and the message of several lines that it was, as one line. */
  take(line: IrcLine): { readonly ended: IrcBatch | null; readonly message: IrcLine | null } {
    const [reference = "", type = "", ...params] = line.params;
    const name = reference.slice(1);
    if (reference.startsWith("-")) {
      const ended = this.#open.get(name) ?? null;
      this.#open.delete(name);
      return { ended, message: ended === null ? null : messageOf(ended) };
    }
    const begun = this.#begun(line, type.toLowerCase(), params);
    // One that never ends must not be in the way of those that come.
    const [oldest] = this.#open.keys();
    if (this.#open.size >= OPEN_MAX && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(name, begun);
    return NOTHING;
  }

  /** Whether the line is part of a message of several lines, which comes as a whole when that ends. */
  keeps(line: IrcLine): boolean {
    const around = this.#around(line);
    if (around === undefined || !MULTILINE.test(around.type) || !SAYING.has(line.command)) return false;
    const text = line.params[1] ?? "";
    const said = around.said;
    if (said === null) {
      around.said = { command: line.command, text, lines: 1 };
    } else if (said.lines < LINES_MAX && said.text.length < CHARS_MAX) {
      const glue = CONCAT.some((tag) => line.tags.has(tag)) ? "" : "\n";
      around.said = { command: said.command, text: said.text + glue + text, lines: said.lines + 1 };
    }
    return true;
  }

  #begun(opened: IrcLine, type: string, params: readonly string[]): Open {
    const outer = this.#around(opened)?.playback ?? null;
    const batch = { type, params, label: this.labelOf(opened), opened, said: null };
    const itself: IrcBatch | null = PLAYBACK.test(type) ? { ...batch, playback: null } : null;
    return { ...batch, playback: outer ?? itself };
  }

  #around(line: IrcLine): Open | undefined {
    return this.#open.get(line.tags.get("batch") ?? "");
  }
}

const CONCAT = ["draft/multiline-concat", "multiline-concat"];
const NOTHING = { ended: null, message: null } as const;

/** The message has the tags of the batch: its id, its account, and the batch around it. */
function messageOf({ opened, said, params }: Open): IrcLine | null {
  if (said === null) return null;
  return {
    tags: opened.tags,
    source: opened.source,
    command: said.command,
    params: [params[0] ?? "", said.text],
  };
}

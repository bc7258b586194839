import { END, type MessageRef } from "../../../contract/ids.ts";
import { progressAt } from "../ids.ts";
import type { Progress } from "../../../contract/ids.ts";
import type { Rendered, RenderedLine } from "../render.ts";
import type { Tags } from "../wire/tags.ts";
import { type LineTrait, traitsOf } from "./traits.ts";

/** One line as it is written, without its label. */
export interface Frame {
  readonly command: string;
  readonly params: readonly string[];
  readonly tags: Tags;
}

/** What a refusal that names a command can mean. */
export type IrcPartKind = "line" | "batch" | "relay" | "redact" | "topic";

/** What is announced, written and answered as one. */
export interface IrcPart {
  readonly kind: IrcPartKind;
  /** The command that comes back to us, and its last parameter. */
  readonly command: "PRIVMSG" | "NOTICE" | "REDACT" | "TOPIC";
  readonly text: string;
  /** What a channel may refuse it for. */
  readonly traits: readonly LineTrait[];
  /** The name that the server shows in place of ours; of relayed lines. */
  readonly under?: string;
  /** Written in one go; the first one carries the label. */
  readonly frames: readonly Frame[];
  /** `Attempt.sending` and `sent` take it; END for the last part. */
  readonly end: Progress;
}

interface Place {
  readonly target: string;
  /** Of the message as a whole, such as what it replies to. */
  readonly tags: Tags;
}

/** Each line by itself; only the first one carries the tags. */
export function lineParts(
  { command, lines }: Pick<Rendered, "command" | "lines">,
  { target, tags }: Place,
): readonly IrcPart[] {
  return lines.map(({ text, end }, index) => ({
    kind: "line",
    command,
    text,
    traits: traitsOf({ command, text }),
    frames: [{ command, params: [target, text], tags: index === 0 ? tags : NONE }],
    end,
  }));
}

/** The same under a name that the server shows in place of ours (`draft/relaymsg`). */
export function relayParts(lines: readonly RenderedLine[], { target, tags }: Place, nick: string): readonly IrcPart[] {
  return lines.map(({ text, end }, index) => ({
    kind: "relay",
    command: "PRIVMSG",
    text,
    traits: traitsOf({ command: "PRIVMSG", text }),
    under: nick,
    frames: [{ command: "RELAYMSG", params: [target, nick, text], tags: index === 0 ? tags : NONE }],
    end,
  }));
}

/** All lines as one message (`draft/multiline`); who does not know that sees the lines. */
export function batchPart(lines: readonly RenderedLine[], { target, tags }: Place, reference: string): IrcPart {
  const inside: Tags = new Map([["batch", reference]]);
  const whole = lines.map(({ text }) => text).join("\n");
  return {
    kind: "batch",
    command: "PRIVMSG",
    text: whole,
    traits: traitsOf({ command: "PRIVMSG", text: whole }),
    frames: [
      { command: "BATCH", params: [`+${reference}`, MULTILINE, target], tags },
      ...lines.map(({ text }) => ({ command: "PRIVMSG", params: [target, text], tags: inside })),
      { command: "BATCH", params: [`-${reference}`], tags: NONE },
    ],
    end: END,
  };
}

/**
 * Takes messages back (`draft/message-redaction`). Nothing of it is a progress but the end: what is gone may be asked
 * for again.
 */
export function redactParts(target: string, messages: readonly MessageRef[]): readonly IrcPart[] {
  return messages.map((message, index) => ({
    kind: "redact",
    command: "REDACT",
    text: message,
    traits: [],
    frames: [{ command: "REDACT", params: [target, message], tags: NONE }],
    end: index === messages.length - 1 ? END : progressAt(index + 1),
  }));
}

/** Sets the topic (RFC 2812 §3.2.4); an empty one takes it away. */
export function topicPart(target: string, text: string): IrcPart {
  return {
    kind: "topic",
    command: "TOPIC",
    text,
    traits: [],
    frames: [{ command: "TOPIC", params: [target, text], tags: NONE }],
    end: END,
  };
}

export const MULTILINE = "draft/multiline";

const NONE: Tags = new Map();

/** Limits of a multiline message, by the value of the capability. */
export interface MultilineLimits {
  readonly bytes: number;
  readonly lines: number;
}

/** Null when the server has not said how much it takes, as it must. */
export function multilineLimits(value: string | undefined): MultilineLimits | null {
  const limits = new Map(
    (value ?? "").split(",").map((token): [string, string] => [token.split("=")[0] ?? "", token.split("=")[1] ?? ""]),
  );
  const bytes = Number(limits.get("max-bytes"));
  const lines = Number(limits.get("max-lines") ?? Infinity);
  return bytes > 0 && lines > 0 ? { bytes, lines } : null;
}

/** Whether these lines can be one message. Line feeds between them count. */
export function fitsMultiline(
  { command, lines }: Pick<Rendered, "command" | "lines">,
  limits: MultilineLimits,
  measure: (text: string) => number,
): boolean {
  // A CTCP is one line.
  if (command !== "PRIVMSG" || lines.length < 2 || lines.length > limits.lines) return false;
  if (lines.some(({ text }) => text.startsWith("\x01"))) return false;
  return lines.reduce((sum, { text }) => sum + measure(text) + 1, -1) <= limits.bytes;
}

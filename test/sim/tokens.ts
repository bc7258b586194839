import type { Op } from "../../src/contract/ops.ts";

/**
 * Texts of the simulation carry a token each, `m17x3` for message 17 in three parts, `m17e2x1` for its second edit:
 * whoever sees a text knows where it came from and what it should be.
 */
export interface Token {
  readonly message: number;
  /** 0: the message itself. */
  readonly edit: number;
  readonly parts: number;
}

const TOKEN = /\bm(\d+)(?:e(\d+))?x(\d+)/gu;

export function textFor({ message, edit, parts }: Token): string {
  return `m${message}${edit === 0 ? "" : `e${edit}`}x${parts} words`;
}

/** What a reader of the API is shown of the message that this one answers. */
const ANSWERED = / \(re @.*\)$/su;

/** All tokens in a text, in order: quotes come before what is said. */
export function tokensIn(text: string): readonly Token[] {
  return Array.from(text.replace(ANSWERED, "").matchAll(TOKEN), ([, message, edit = "0", parts]) => {
    return { message: Number(message), edit: Number(edit), parts: Number(parts) };
  });
}

/** The parts that a post makes: as many as the last token says. */
export function partsOf(text: string): readonly string[] {
  const parts = tokensIn(text).at(-1)?.parts ?? 1;
  return Array.from({ length: parts }, (_, part) => (part === 0 ? text : `${text} (${part + 1})`));
}

const OP_ID = /^(.*)\/(\d+)\/-?\d+(\/\w+)?$/u;

/** What an op's id is made of. `isSummary`: it stands for messages that expired. */
export function readOpId({ id }: Op): { readonly lane: string; readonly seq: number; readonly isSummary: boolean } {
  const [, lane = "", seq = "0", suffix] = OP_ID.exec(id) ?? [];
  return { lane, seq: Number(seq), isSummary: suffix !== undefined };
}

export const laneOf = (op: Op): string => readOpId(op).lane;

/** An entry of the log, for people. `about`: the message it acts on. */
export function describe(entry: {
  readonly seq: number;
  readonly label: string;
  readonly token: Token | null;
  readonly about: number | null;
}): string {
  const { seq, label, token, about } = entry;
  const what = token === null ? `about m${about}` : `m${token.message}${token.edit === 0 ? "" : `e${token.edit}`}`;
  return `${seq} (${label === "" ? "" : `${label} `}${what})`;
}

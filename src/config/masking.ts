import { createHmac } from "node:crypto";
import { compilePositions } from "../lib/position.ts";
import type { FormatName } from "./formats/pick.ts";
import type { SecretNames } from "./secret-names.ts";
import { mergeSpans, type SecretPlace, type SecretSpan, secretSpans } from "./secret-spans.ts";
import type { Span } from "./secret-values.ts";

/** A configuration without its secrets. */
export interface Masked {
  readonly text: string;
  /** What each mask stands for. */
  readonly kept: ReadonlyMap<string, KeptSecret>;
}

export interface KeptSecret {
  readonly secret: string;
  /** Where it stood: it may not stand where more of it is seen. */
  readonly place: SecretPlace;
}

/** A text in which masks were made secrets again. */
export interface Unmasked {
  readonly text: string;
  /** What is wrong with masks of the text that was given; with one of these, `text` must not be used. */
  readonly faults: readonly MaskFault[];
  /** Of an offset in `text`: the one in the text that was given. */
  readonly shownAt: (offset: number) => number;
}

interface MaskFault {
  /** In the text that was given, from 1. */
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
  readonly message: string;
  readonly remedy: string;
}

export interface MaskRules {
  readonly format: FormatName;
  readonly names: SecretNames;
  /** Without it, a mask says nothing about its secret. */
  readonly key: Uint8Array;
}

const MASK = /<kept:[0-9a-f]{10}>/gu;
/** Also what is left of one. */
const LIKE_MASK = /<kept:(?:[0-9a-f]{10}>)?/gu;
const DIGITS = 10;

const UNKNOWN = {
  message: "this stands for no secret that Rialto knows",
  remedy: "write the secret itself, or load the file again",
};
const MISPLACED = {
  message: "a kept secret can only be the whole value of a setting that is secret, or stand where it stood",
  remedy: "put it back where it was, or write the secret itself",
};

/**
 * The text with a mask in the place of each secret: the same for the same secret, whatever stands around it. Pure;
 * `text` without the mark of the byte order.
 */
export function maskSecrets(text: string, { format, names, key }: MaskRules): Masked {
  const kept = new Map<string, KeptSecret>();
  const spans = withLiterals(text, secretSpans(text, format, names));
  const maskOf = compileMasks(key);
  let out = "";
  let from = 0;
  for (const { start, end, place } of spans) {
    const secret = text.slice(start, end);
    const mask = maskOf({ secret, place });
    kept.set(mask, { secret, place });
    out += text.slice(from, start) + mask;
    from = end;
  }
  return { text: out + text.slice(from), kept };
}

/**
 * The text with the secrets that `keptOf` knows in the place of their masks, wherever they stand now. A mask that is
 * not the whole of a secret value is a fault: it would show there what it stands for.
 */
export function unmaskSecrets(
  text: string,
  keptOf: (mask: string) => KeptSecret | null,
  { format, names }: Omit<MaskRules, "key">,
): Unmasked {
  const faults: MaskFault[] = [];
  const swaps: Swap[] = [];
  const place = compilePositions(text);
  const fault = (start: number, end: number, said: Pick<MaskFault, "message" | "remedy">): void => {
    const { line, column } = place(start);
    faults.push({ line, column, endColumn: column + end - start, ...said });
  };
  let out = "";
  let from = 0;
  for (const { 0: mask, index } of text.matchAll(LIKE_MASK)) {
    const kept = mask.search(MASK) === 0 ? keptOf(mask) : null;
    const end = index + mask.length;
    if (kept === null) {
      fault(index, end, UNKNOWN);
      continue;
    }
    out += text.slice(from, index);
    const { secret, place: was } = kept;
    swaps.push({ was, shown: { start: index, end }, real: { start: out.length, end: out.length + secret.length } });
    out += secret;
    from = end;
  }
  out += text.slice(from);
  if (swaps.length > 0) {
    const spans = new Map(withLiterals(out, secretSpans(out, format, names)).map((span) => [span.start, span]));
    for (const { shown, real, was } of swaps) {
      const span = spans.get(real.start);
      if (span?.end !== real.end || (was !== null && was !== span.place)) fault(shown.start, shown.end, MISPLACED);
    }
  }
  return { text: out, faults, shownAt: compileShown(swaps) };
}

/** One mask, in the text with masks and in the one with secrets. */
interface Swap {
  readonly was: SecretPlace;
  readonly shown: Span;
  readonly real: Span;
}

function compileShown(swaps: readonly Swap[]): Unmasked["shownAt"] {
  return (offset) => {
    const last = swaps.findLast(({ real }) => real.start <= offset);
    if (last === undefined) return offset;
    return offset < last.real.end ? last.shown.start : last.shown.end + offset - last.real.end;
  };
}

/** What looks like a mask in the file itself is masked as well, so that it comes back. */
function withLiterals(text: string, secrets: readonly SecretSpan[]): readonly SecretSpan[] {
  const literals = Array.from(text.matchAll(LIKE_MASK), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
    place: null,
  }));
  if (literals.length === 0) return secrets;
  const own = new Map(secrets.map((span) => [span.start, span]));
  return mergeSpans([...secrets, ...literals]).map(({ start, end }) => {
    const same = own.get(start);
    return { start, end, place: same?.end === end ? same.place : null };
  });
}

/** Each is made once: making one takes as long as a thousand look-ups. */
function compileMasks(key: Uint8Array): (kept: KeptSecret) => string {
  const masks = new Map<string, string>();
  return ({ place, secret }) => {
    const meant = `${place === null ? "~" : `${place}=`}${secret}`;
    const known = masks.get(meant);
    if (known !== undefined) return known;
    const mask = `<kept:${createHmac("sha256", key).update(meant).digest("hex").slice(0, DIGITS)}>`;
    masks.set(meant, mask);
    return mask;
  };
}

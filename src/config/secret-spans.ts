import type { FormatName } from "./formats/pick.ts";
import { scalarsOf } from "./formats/pick.ts";
import type { Path } from "./problems.ts";
import { commentSecrets, commentsOf } from "./secret-comments.ts";
import type { SecretNames } from "./secret-names.ts";
import { compileLineEnds, type Span, valueAt } from "./secret-values.ts";

/**
 * `""`: it is the value of a secret. A name: it is a part of the value of a setting that others may see, such as the
 * password in an address. Null: it is just the same text elsewhere.
 */
export type SecretPlace = string | null;

export interface SecretSpan extends Span {
  readonly place: SecretPlace;
}

/** A shorter secret is looked for in its own place alone: it would be found in half of all words. */
const ECHO_MIN = 8;
/** So many secrets are looked for in the rest of the text. */
const ECHOES_MAX = 500;

const ASSIGNMENT = /(?<![\w-])(?<quote>["']?)(?<name>[A-Za-z][\w-]*)\k<quote>[ \t]*[=:][ \t]*/gu;
/** The password of an address; bounded, as each of its letters might begin another one. */
const IN_ADDRESS = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:"'<>]{0,300}:(?<password>[^\s/?#@"']+)@/giu;
/** As of a token in an address. */
const IN_QUERY = /[?&](?<name>[A-Za-z][\w-]{0,60})=(?<value>[^\s&#"']+)/gu;

/**
 * Where a configuration has secrets, in order, never one within another, each on one line: values of secret settings,
 * also in what is commented out, passwords in addresses, and the same texts elsewhere: those of values anywhere, those
 * of comments in comments. A file that cannot be read is gone through by its words, and rather too much of it is taken
 * for secret.
 */
export function secretSpans(text: string, format: FormatName, names: SecretNames): readonly SecretSpan[] {
  const scalars = scalarsOf(format, text);
  const found = new Spans(text);
  const taken: Taken[] = [];
  for (const { path, also = [], value, start, end } of scalars ?? []) {
    taken.push({ start, end, name: keyOf(path) });
    const paths = [path, ...also];
    if (isPlain(value) || !paths.some(names.isSecretAt)) continue;
    // What is no secret at another place is shown there.
    found.add({ start, end, place: paths.every(names.isSecretAt) ? "" : keyOf(path) });
    found.echo(text.slice(start, end));
    if (typeof value === "string") found.echo(value);
  }
  const takenAt = compileOverlaps(taken);
  const comments = commentsOf(text, (part) => takenAt(part) !== null);
  const commentAt = compileOverlaps(comments);
  const isComment = (span: Span): boolean =>
    takenAt(span) === null && span.end <= (commentAt({ ...span, end: span.start + 1 })?.end ?? 0);
  const addSaid = (span: SecretSpan): void => {
    found.add(span);
    found.echo(text.slice(span.start, span.end), isComment(span) ? "comments" : "anywhere");
  };
  for (const span of assigned(text, names, { takenAt, isBroken: scalars === null })) addSaid(span);
  for (const { isSure, ...span } of commentSecrets(text, comments, names)) {
    found.add({ ...span, place: "" });
    if (isSure) found.echo(text.slice(span.start, span.end), "comments");
  }
  const addPart = (span: Span): void => addSaid({ ...span, place: takenAt(span)?.name ?? keyBefore(text, span.start) });
  for (const { index, 0: whole, groups: { password = "" } = {} } of text.matchAll(IN_ADDRESS)) {
    const end = index + whole.length - 1;
    addPart({ start: end - password.length, end });
  }
  for (const { index, 0: whole, groups: { name = "", value = "" } = {} } of text.matchAll(IN_QUERY)) {
    const end = index + whole.length;
    if (names.isSecretName(name)) addPart({ start: end - value.length, end });
  }
  const own = [...found.all()];
  found.addEchoes(isComment);
  const places = new Map(own.map((span) => [span.start, span]));
  return found.all().map(({ start, end }) => {
    const same = places.get(start);
    return { start, end, place: same?.end === end ? same.place : null };
  });
}

interface Text {
  readonly takenAt: (span: Span) => Taken | null;
  /** It cannot be read. */
  readonly isBroken: boolean;
}

/** What is assigned to the name of a secret: anywhere in a text that cannot be read, else in a value, as in notes. */
function* assigned(text: string, { isSecretName, isSecretWord }: SecretNames, { takenAt, isBroken }: Text) {
  const lineEnd = compileLineEnds(text);
  let until = 0;
  for (const { index, 0: whole, groups: { name = "" } = {} } of text.matchAll(ASSIGNMENT)) {
    const within = takenAt({ start: index, end: index + 1 });
    if (index < until || (within === null ? !isBroken || !isSecretName(name) : !isSecretWord(name))) continue;
    const at = index + whole.length;
    const span = valueAt(text, at, {
      index,
      isBroken,
      lineEnd: Math.min(lineEnd(at), within?.end ?? Infinity),
      mayBeAlias: within === null,
    });
    if (span === null) continue;
    until = span.end;
    yield { ...span, place: within?.name ?? "" };
  }
}

interface Taken extends Span {
  /** Of its setting. */
  readonly name: string;
}

/** In small letters. */
const keyOf = (path: Path): string => path.findLast((key) => typeof key === "string")?.toLowerCase() ?? "";

/** As it seems, where the text cannot be read or is a comment; never that of a value of its own. */
function keyBefore(text: string, at: number): string {
  const line = text.slice(Math.max(text.lastIndexOf("\n", at - 1) + 1, at - 300), at);
  return `#${/(?<name>[A-Za-z][\w-]*)["']?[ \t]*[=:](?!\/\/)/u.exec(line)?.groups?.["name"]?.toLowerCase() ?? ""}`;
}

/** On, off and nothing tell no secret. */
const isPlain = (value: unknown): boolean => value === "" || value === null || typeof value === "boolean";

class Spans {
  /** What is looked for in the rest of the text, by where it is. */
  readonly #echoes = { anywhere: new Set<string>(), comments: new Set<string>() };
  readonly #text: string;
  #spans: SecretSpan[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Each of its lines, without the white space around it. */
  add({ start, end, place }: SecretSpan): void {
    for (const { 0: line, index } of this.#text.slice(start, end).matchAll(/[^\r\n]+/gu)) {
      const from = start + index + (line.length - line.trimStart().length);
      const span = { start: from, end: from + line.trim().length, place };
      if (span.end > span.start) this.#spans.push(span);
    }
  }

  /** Each line of the secret is to be looked for. */
  echo(secret: string, where: "anywhere" | "comments" = "anywhere"): void {
    for (const line of [secret, ...secret.split(/[\r\n]+/u)]) {
      const words = line.trim();
      if (words.length >= ECHO_MIN) this.#echoes[where].add(words);
    }
  }

  /**
   * What only a comment tells is looked for in comments: it may be no secret at all, and a mask in a value would be out
   * of place once that comment is gone.
   */
  addEchoes(isComment: (span: Span) => boolean): void {
    const { anywhere, comments } = this.#echoes;
    for (const secret of [...new Set([...anywhere, ...comments])].slice(0, ECHOES_MAX)) {
      for (let at = this.#text.indexOf(secret); at !== -1; at = this.#text.indexOf(secret, at + secret.length)) {
        const span = { start: at, end: at + secret.length, place: null };
        if (anywhere.has(secret) || isComment(span)) this.add(span);
      }
    }
  }

  all(): readonly SecretSpan[] {
    this.#spans = mergeSpans(this.#spans);
    return this.#spans;
  }
}

/** In order, and those that overlap as one. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const apart: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || span.start >= last.end) apart.push(span);
    else apart[apart.length - 1] = { ...last, end: Math.max(last.end, span.end), place: placeOf(last, span) };
  }
  return apart;
}

const placeOf = (one: SecretSpan, other: SecretSpan): SecretPlace =>
  one.place === "" || other.place === "" ? "" : (one.place ?? other.place);

/** The one of the spans, which are apart, that something has a part of. */
function compileOverlaps<S extends Span>(spans: readonly S[]): (span: Span) => S | null {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  return ({ start, end }) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.start ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    const nearest = sorted[low - 1];
    return nearest !== undefined && start < nearest.end ? nearest : null;
  };
}

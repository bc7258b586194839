import type { Seq, Subject } from "../log/log.ts";

/** What somebody said in a room, once it is in the log. Moments are by a clock that only counts on. */
export interface HeardMessage {
  readonly seq: Seq;
  readonly place: Subject;
  /** Tells the author from all others in the room. */
  readonly author: string;
  /** As people know the author. */
  readonly name: string;
  /** Without formatting. */
  readonly words: string;
  readonly atMs: number;
}

/** What we write in a room for the entry `seq`. */
export interface WrittenMessage {
  readonly seq: Seq;
  readonly place: Subject;
  /** The name as it is before the words; empty where it is elsewhere. */
  readonly frame: string;
  readonly words: string;
  readonly atMs: number;
}

/** A loop that is broken: what goes on with it is withheld. */
export interface BrokenLoop {
  /** Where the message came back that broke it, and by whom. */
  readonly place: Subject;
  readonly name: string;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Messages that were withheld. */
  readonly count: number;
}

/** Somebody who says this so long after we wrote it says it for another reason. */
const RETURN_MS = 10_000;
const WITHHELD_MS = 10 * 60_000;
/** The return of a chain that is withheld. */
const LINKS_MAX = 5;
/** Most texts that are remembered of what was heard, and of what was written; most messages, and most broken loops. */
const TEXTS_MAX = 20_000;
const NODES_MAX = 20_000;
const LOOPS_MAX = 100;
/** Places that are told apart; further ones are taken for one. */
const PLACES_MAX = 4_096;
/** So many lines of one message are told apart; other networks may have a message for each. */
const LINES_MAX = 10;
/** Texts are equal when they begin with the same so many characters: networks cut long ones. */
const TEXT_MAX = 120;
/** So much of a text is looked at. */
const CHARS_MAX = 300;
/** In the beginning of a text, so many places where a frame of somebody else may end. */
const FRAME_CHARS = 100;
const FRAMES_MAX = 8;
/** No chain is longer. */
const TRAIL_MAX = 50;

/**
 * Finds messages that run in a circle because another bridge links the same rooms.
 *
 * A *return*: within 10 s of our writing something, somebody says
 *   - our words with our frame, alone or after a frame of their own, in whatever room; or our words after what looks
 *     like a frame; or
 *   - our words without any frame, in the room where we wrote them; not who said them first.
 * A *chain*: what we write for a return comes back, and so on; each return is a link. The fifth link is withheld, so
 * that nothing is there to come back, and for 10 minutes all further returns of what began it, by those who brought it
 * back. Words without our frame may be anybody's ("gg", "+1"): of such links there have to be more than two for each
 * who says them.
 *
 * Somebody else may be faster than we are, so a text that was heard just before we write it counts as well. Pure, in
 * memory only.
 */
export class Returns {
  readonly #nodes = new Newest<Seq, Node>(NODES_MAX, Infinity);
  /** What we wrote with our frame, and the words of it, by text; the words also by text and place. */
  readonly #framed = new Newest<number, Write>(TEXTS_MAX, RETURN_MS);
  readonly #words = new Newest<number, Write>(TEXTS_MAX, RETURN_MS);
  readonly #wordsThere = new Newest<number, Write>(TEXTS_MAX, RETURN_MS);
  /** What was heard, by text and place. */
  readonly #heard = new Newest<number, Node>(TEXTS_MAX, RETURN_MS);
  readonly #places = new Map<Subject, number>();
  readonly #loops = new Map<number, Broken>();
  #count = 0;

  /** How many messages were withheld. */
  get withheld(): number {
    return this.#count;
  }

  /** How much is remembered. */
  get size(): number {
    const texts = this.#framed.size + this.#words.size + this.#wordsThere.size + this.#heard.size;
    return this.#nodes.size + texts + this.#loops.size;
  }

  /** What is withheld at the moment, the oldest first. */
  loops(nowMs: number): readonly BrokenLoop[] {
    return [...this.#loops.values()].filter(({ untilMs }) => untilMs > nowMs);
  }

  heard({ seq, place, author, name, words, atMs }: HeardMessage): void {
    const text = normal(words);
    if (text === "") return;
    const hash = hashOf(text);
    const node: Node = { seq, place, author: `${place} ${author}`, name, hash, of: null, isBare: false, loop: null };
    this.#nodes.put(seq, node, atMs);
    const there = this.#at(hash, place);
    this.#heard.put(there, node, atMs);
    this.#link(node, this.#wordsThere.get(there, atMs), true);
    for (const start of startsOf(text)) {
      const part = start === 0 ? hash : hashOf(text, start);
      this.#link(node, this.#framed.get(part, atMs), false);
      if (start > 0 && FRAME_ENDS.has(text.charAt(start - 2))) this.#link(node, this.#words.get(part, atMs), true);
    }
  }

  written({ seq, place, frame, words, atMs }: WrittenMessage): void {
    const source = this.#nodes.get(seq, atMs);
    if (source === undefined) return;
    const write: Write = { source };
    const lines = words.split("\n", LINES_MAX);
    for (const line of lines.length > 1 ? [words, ...lines] : lines) {
      const text = normal(line);
      if (text === "") continue;
      const hash = hashOf(text);
      const there = this.#at(hash, place);
      this.#words.put(hash, write, atMs);
      this.#wordsThere.put(there, write, atMs);
      // Somebody else was faster.
      this.#link(this.#heard.get(there, atMs), write, true);
      if (frame.trim() === "") continue;
      const framed = hashOf(normal(frame + line));
      this.#framed.put(framed, write, atMs);
      this.#link(this.#heard.get(this.#at(framed, place), atMs), write, false);
    }
  }

  /** One number for a text in a place. */
  #at(hash: number, place: Subject): number {
    const known = this.#places.get(place) ?? this.#places.size;
    if (known < PLACES_MAX) this.#places.set(place, known);
    return (hash % 2 ** 41) * PLACES_MAX + Math.min(known, PLACES_MAX - 1);
  }

  /** Whether the entry goes no further, and why; asked whenever it is about to. */
  verdict(seq: Seq, nowMs: number): BrokenLoop | null {
    const node = this.#nodes.get(seq, nowMs);
    if (node === undefined || node.of === null) return node?.loop ?? null;
    node.loop ??= this.#judge(node, nowMs);
    return node.loop;
  }

  #judge(node: Node, nowMs: number): Broken | null {
    const { links, bare, authors, root } = trailOf(node);
    const known = this.#loops.get(root);
    const isKnown = known !== undefined && nowMs < known.untilMs && known.authors.has(node.author);
    if (!isKnown && (links < LINKS_MAX || links <= 2 * bare)) return null;
    const loop = isKnown ? known : this.#break(root, node, authors, nowMs);
    loop.count += 1;
    this.#count += 1;
    return loop;
  }

  #break(root: number, { place, name }: Node, authors: ReadonlySet<string>, nowMs: number): Broken {
    const loop: Broken = { place, name, sinceMs: nowMs, untilMs: nowMs + WITHHELD_MS, count: 0, authors };
    this.#loops.delete(root);
    this.#loops.set(root, loop);
    if (this.#loops.size > LOOPS_MAX) for (const oldest of this.#loops.keys()) if (this.#loops.delete(oldest)) break;
    return loop;
  }

  /** The longest chain counts. What began it comes before what comes of it, so there is no circle of links. */
  #link(node: Node | undefined, write: Write | undefined, isBare: boolean): void {
    if (node === undefined || write === undefined || write.source.seq >= node.seq) return;
    const before = trailOf(write.source);
    if (before.links >= TRAIL_MAX) return;
    if (isBare && before.first === node.author) return;
    if (node.of !== null && before.links < trailOf(node).links) return;
    node.of = write;
    node.isBare = isBare;
  }
}

/** What was heard. */
interface Node {
  readonly seq: Seq;
  readonly place: Subject;
  readonly author: string;
  readonly name: string;
  readonly hash: number;
  /** What we wrote, and this is; null: it is nobody's return. */
  of: Write | null;
  /** It is without our frame. */
  isBare: boolean;
  loop: Broken | null;
}

/** What we wrote. */
interface Write {
  readonly source: Node;
}

interface Broken extends BrokenLoop {
  count: number;
  readonly authors: ReadonlySet<string>;
}

interface Trail {
  readonly links: number;
  /** How many have brought it back without our frame. */
  readonly bare: number;
  readonly authors: ReadonlySet<string>;
  /** What began it, and who said that. */
  readonly root: number;
  readonly first: string;
}

function trailOf(node: Node): Trail {
  const authors = new Set<string>();
  const bare = new Set<string>();
  let links = 0;
  let at = node;
  for (; at.of !== null; at = at.of.source) {
    links += 1;
    authors.add(at.author);
    if (at.isBare) bare.add(at.author);
  }
  return { links, bare: bare.size, authors, root: at.hash, first: at.author };
}

/** The newest values by key: at most `most`, and for `ms`. In two halves, of which the older one goes as a whole. */
class Newest<K, T> {
  readonly #most: number;
  readonly #ms: number;
  #young = new Map<K, Kept<T>>();
  #old = new Map<K, Kept<T>>();
  #sinceMs = 0;

  constructor(most: number, ms: number) {
    this.#most = most;
    this.#ms = ms;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  put(key: K, value: T, atMs: number): void {
    if (this.#young.size >= this.#most / 2 || atMs - this.#sinceMs > this.#ms) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#sinceMs = atMs;
    }
    this.#young.set(key, { value, atMs });
  }

  get(key: K, nowMs: number): T | undefined {
    const found = this.#young.get(key) ?? this.#old.get(key);
    return found !== undefined && nowMs - found.atMs <= this.#ms ? found.value : undefined;
  }
}

interface Kept<T> {
  readonly value: T;
  readonly atMs: number;
}

/** What a frame ends with, before its blank. */
const FRAME_ENDS: ReadonlySet<string> = new Set(">:])}|»");

/** Where the words may begin: at the beginning, and after each blank of what may be a frame. */
function startsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf(" "); at !== -1 && at < FRAME_CHARS; at = text.indexOf(" ", at + 1)) {
    if (starts.push(at + 1) > FRAMES_MAX) break;
  }
  return starts;
}

/** Networks and bridges break up names with invisible characters, and fold blanks. */
function normal(words: string): string {
  const text = words.length > CHARS_MAX ? words.slice(0, CHARS_MAX) : words;
  if (!UNUSUAL.test(text)) return text;
  return text
    .replaceAll(/[\u200b-\u200d\u2060\ufeff]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

const UNUSUAL = /[^\x21-\x7e ]|  |^ | $/;

/**
 * 53 bits of the beginning of a text, or of what comes from a place in it: enough that no two are taken for each other
 * by chance.
 */
function hashOf(text: string, from = 0): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  const end = Math.min(text.length, from + TEXT_MAX);
  for (let at = from; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

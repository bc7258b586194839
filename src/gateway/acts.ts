import type { Author } from "../contract/events.ts";
import type { Known } from "../log/log.ts";
import type { About } from "./codec.ts";
import { accountOf } from "./subject.ts";
import { listOf } from "../lib/shapes.ts";

/**
 * Most characters (UTF-16 units) that are kept of what a message says, to quote it and to tell what an edit changed.
 */
export const EXCERPT_MAX = 1000;
const NAME_MAX = 256;
/** Of an emoji, or of a short name for one. */
const EMOJI_MAX = 64;

/** What tells an author from all others of the account; for `IdNote.author`. */
export function authorKey(id: string, identity: Author["identity"]): string {
  return JSON.stringify([id, identity]);
}

export const excerptOf = (words: string): string => cut(words, EXCERPT_MAX);
export const nameOf = (name: string): string => cut(name, NAME_MAX);

/** Whether a text is no more than a reaction can be. */
export function isReaction(text: string): boolean {
  return text !== "" && text.length <= EMOJI_MAX && !/[\p{Cc}\u2028\u2029]/u.test(text);
}

/**
 * What a message is when it answers `reply` in the thread that `thread` began; null: nobody knows these, or there are
 * none.
 */
export function aboutReply(reply: Known | null, thread: Known | null): About | null {
  const target = reply ?? thread;
  if (target === null) return null;
  // What was taken back is not said again.
  const excerpt = target.gone ? "" : target.excerpt;
  return { ...NOTHING, is: "reply", seq: target.seq, name: target.name, excerpt, thread: thread?.seq ?? null };
}

export function aboutEdit({ seq, name, excerpt }: Known): About {
  return { ...NOTHING, is: "edit", seq, name, excerpt };
}

export function aboutDeletion({ seq, name, excerpt, author, subject }: Known): About {
  const [id] = listOf(JSON.parse(author));
  const by = { id: typeof id === "string" ? id : "", account: accountOf(subject) };
  return { ...NOTHING, is: "delete", seq, name, excerpt, author: by };
}

export function aboutReaction({ seq, name, excerpt }: Known, emoji: string, on: boolean): About {
  return { ...NOTHING, is: "reaction", seq, name, excerpt, emoji, on };
}

const NOTHING = { thread: null, author: null, emoji: "", on: false } as const;

/** Splits no surrogate pair. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head;
}

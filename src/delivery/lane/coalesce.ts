import { withContentOf } from "../../gateway/again.ts";
import type { About, Stored } from "../../gateway/codec.ts";
import { isOutage } from "../../gateway/outages.ts";
import type { Seq } from "../../log/log.ts";
import type { WindowItem } from "./window.ts";

/** What becomes of a message that waits, given what was said about it since. */
export type Coalesced =
  /** It goes out as it reads now; `by`: the edits and reactions that this covers, oldest first, mostly none. */
  | { readonly is: "send"; readonly by: readonly WindowItem[] }
  /** It was taken back; so are its edits. */
  | { readonly is: "cancel"; readonly edits: readonly WindowItem[]; readonly deletes: readonly WindowItem[] }
  /** There is no use in it: what it is about was taken back. */
  | { readonly is: "omit" };

/**
 * Pure. `changes`: edits, deletions and reactions after the item, of whatever message, oldest first, with what they
 * hold. `inWords`: the destination does not have this reaction.
 */
export function coalesce(item: WindowItem, changes: readonly WindowItem[], inWords: InWords): Coalesced {
  const about = item.stored?.about ?? null;
  if (about?.is === "reaction") return coalesceReaction(about, changes, inWords);
  const own = changes.filter(({ stored }) => stored?.about?.seq === item.messageSeq);
  const deletes = own.filter(({ stored }) => stored?.about?.is === "delete");
  const edits = own.filter(({ stored }) => stored?.about?.is === "edit");
  // That a place was out of reach is no news once it is back.
  const isOver = edits.length > 0 && item.stored !== null && item.stored !== undefined && isOutage(item.stored);
  return deletes.length > 0 || isOver ? { is: "cancel", edits, deletes } : { is: "send", by: edits };
}

/** Reactions are said together; each is shown where there are any. */
function coalesceReaction({ seq, emoji }: About, changes: readonly WindowItem[], inWords: InWords): Coalesced {
  if (!inWords(emoji)) return { is: "send", by: [] };
  const like = changes.filter(({ stored }) => stored?.about?.seq === seq);
  if (like.some(({ stored }) => stored?.about?.is === "delete")) return { is: "omit" };
  const isLike = (about: About | null): boolean => about?.is === "reaction" && inWords(about.emoji);
  return { is: "send", by: like.filter(({ stored }) => isLike(stored?.about ?? null)) };
}

type InWords = (emoji: string) => boolean;

/** What is said with a reaction. */
export function togetherWith({ stored, coalesced }: WindowItem): readonly Stored[] {
  return stored?.about?.is === "reaction" ? coalesced.flatMap((other) => other.stored ?? []) : [];
}

/** The message with the content of its newest edit: what it answers and who said it stay. */
export function revised(post: Stored, by: readonly WindowItem[]): Stored {
  if (post.about?.is === "reaction") return post;
  const newest = by.at(-1)?.stored ?? null;
  return newest === null ? post : withContentOf(newest, post);
}

/**
 * Whether an entry has to wait for one that is under way: the message it acts on, answers or sends again, or something
 * else that acts on the same one and may change by which refs it is known.
 */
export function mustFollow({ about, again }: Stored, underWay: WindowItem): boolean {
  const isTarget = (of: Seq | null): boolean =>
    of !== null && (of === about?.seq || of === about?.thread || of === again?.of);
  const other = underWay.stored?.about ?? null;
  if (isTarget(underWay.messageSeq)) return true;
  // Of the answers that quote a message a list is kept, which the next answer adds to and a deletion reads.
  const isListed = underWay.op?.kind === "post" && underWay.op.quotes === true;
  return other !== null && (other.is !== "reply" || isListed) && isTarget(other.seq);
}

import type { Clock } from "../../contract/host.ts";
import { type MessageRef, mint } from "../../contract/ids.ts";
import type { StandingReaction } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { About, Again, Stored } from "../../gateway/codec.ts";
import type { Here, Narrowing, Needs } from "../../gateway/planned.ts";
import { LogError } from "../../log/errors.ts";
import type { Ids, Known, Receipt, Seq, Subject } from "../../log/log.ts";
import { answersHere, quotingHere } from "./answers.ts";
import { fetchFiles, type OpFileStore } from "./files.ts";
import { type LaneOptions, placeOf, reactionsOf } from "./options.ts";

/** What is to be found out about a message before it can be made into an op. */
export interface Search {
  readonly seq: Seq;
  /** When it was accepted, Unix ms. */
  readonly at: number;
  readonly stored: Stored;
  readonly needs: Needs;
  readonly room: Narrowing;
  /** What an earlier attempt found: a message that was begun stays as it was begun. */
  readonly begun: Here | null;
  /** The files that an earlier one has fetched. */
  readonly fetched: Pick<Here, "files" | "avatar"> | null;
  /** It sends a message again, and nothing of it has left yet. */
  readonly again: Again | null;
}

/** What the log and the files say. */
export type Found =
  | {
      readonly is: "here";
      readonly here: Omit<Here, "together" | "without" | "limits">;
      /** What is to be said of the message that it is about. */
      readonly about: Stored["about"];
    }
  /** The destination does not show what it is about. */
  | { readonly is: "pointless" }
  /** What it sends again was deleted meanwhile, or is there. */
  | { readonly is: "pointless again"; readonly why: Reason }
  /** It is to be tried again. */
  | { readonly is: "later"; readonly why: Reason }
  | { readonly is: "broken"; readonly error: string };

type LookupOptions = Pick<
  LaneOptions,
  "name" | "account" | "channel" | "subjects" | "log" | "capabilities" | "plan"
> & {
  /** As `Setting.newAfter`. */
  readonly newAfter: Seq;
};

/** What has no use at a destination that does not show what it is about. */
const POINTLESS: ReadonlySet<Receipt["state"]> = new Set(["expired", "cancelled", "withheld"]);

/** Never rejects; its answer is worth nothing once the signal is aborted. */
export async function lookUp(
  options: LookupOptions,
  store: OpFileStore,
  search: Search,
  signal: AbortSignal,
): Promise<Found> {
  const { stored: whole, at, needs, begun, fetched } = search;
  try {
    const over = await overFor(options, search);
    if (over !== null) return { is: "pointless again", why: over };
    const { about: of, thread, line } = begun ?? (await refs(options, whole, needs));
    const known = await knownAs(options, whole);
    const quoting = begun?.quoting ?? (await quotingHere(options, needs.quoting));
    const isDeletion = whole.about?.is === "delete";
    const isHere = of.length > 0 || (isDeletion && quoting.length > 0);
    // One that may have been sent is recognised by its words.
    const isNew = begun === null && search.seq > options.newAfter;
    const about = await aboutHere(options, whole, known, { isHere, isNew });
    if (about === "pointless") return { is: "pointless" };
    const stored = about === whole.about ? whole : { ...whole, about };
    const ageMs = begun === null ? ageOf(known, store.clock) : begun.ageMs;
    const standing = begun?.standing ?? (await standingOf(options, search, stored));
    const { files, avatar } = fetched ?? (await fetchFiles(store, stored, at, needs, signal));
    const place = { store, room: search.room, signal };
    const answers = begun?.answers ?? (isDeletion ? await answersHere(options, quoting, place) : []);
    return { is: "here", here: { about: of, thread, ageMs, standing, line, quoting, answers, files, avatar }, about };
  } catch (error) {
    if (!(error instanceof LogError)) return { is: "broken", error: traceOf(error) };
    return { is: "later", why: { code: "network", message: `The log does not answer: ${error.message}` } };
  }
}

const DELETED: Reason = { code: "not_found", message: "It was deleted before it could be sent again." };
const EDITED: Reason = { code: "not_found", message: "An edit has brought it there before it could be sent again." };

/** Why there is no use in sending it again; null: there is. */
async function overFor(options: LookupOptions, { seq, again }: Search): Promise<Reason | null> {
  if (again === null) return null;
  const { name, log } = options;
  const { of, messages } = again;
  const known = await log.ids.get(of);
  if (known?.gone === true && !maybeSent(options, seq)) return DELETED;
  const copies = await log.ids.refs(of, name);
  return copies.length === messages.length && copies.every((ref, at) => ref === messages[at]) ? null : EDITED;
}

/**
 * An earlier run may have sent it and left no word of that: the deletion finds its copy only once it is sent again, and
 * recognised.
 */
function maybeSent({ capabilities, newAfter }: LookupOptions, seq: Seq): boolean {
  return capabilities.idempotency.by === "echo" && seq <= newAfter;
}

export function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function refs(
  options: LookupOptions,
  { about: of }: Stored,
  { about: asked, thread, line }: Needs,
): Promise<Pick<Here, "about" | "thread" | "line">> {
  // A line that says an edit joins the copies there are.
  const about = of?.is === "edit" ? of.seq : asked;
  const found = await Promise.all([about, thread].map(async (seq) => (seq === null ? [] : await refsOf(options, seq))));
  const { log, name } = options;
  const said = line === null ? null : await refsIn(log.ids, line, reactionsOf(name));
  return { about: found[0] ?? [], thread: found[1] ?? [], line: said };
}

/** By which refs the destination knows a message: our copies, or the message itself when it was said here. */
async function refsOf(options: LookupOptions, seq: Seq): Promise<readonly MessageRef[]> {
  const { ids } = options.log;
  const copies = await refsIn(ids, seq, options.name);
  if (copies.length > 0) return copies;
  const known = await ids.get(seq);
  return known?.subject === placeOf(options) ? await refsIn(ids, seq, null) : [];
}

/** To the log they are texts. */
async function refsIn(ids: Ids, seq: Seq, lane: string | null): Promise<readonly MessageRef[]> {
  return (await ids.refs(seq, lane)).map((ref) => mint("MessageRef", ref));
}

async function knownAs({ log }: LookupOptions, { about }: Stored): Promise<Known | null> {
  return about === null || about.seq === null ? null : await log.ids.get(about.seq);
}

function ageOf(known: Known | null, clock: Pick<Clock, "nowMs">): number | null {
  return known === null ? null : Math.max(0, clock.nowMs() - known.at);
}

/**
 * What is to be said of the message that this one is about. A change of one that is gone, or that never came here, is
 * pointless. Of one that was said in another gateway nothing is told here: its words are not for these rooms.
 */
async function aboutHere(
  options: LookupOptions,
  { about }: Stored,
  known: Known | null,
  { isHere, isNew }: { readonly isHere: boolean; readonly isNew: boolean },
): Promise<Stored["about"] | "pointless"> {
  if (about === null || about.seq === null) return about;
  const { subjects } = options;
  const isReply = about.is === "reply";
  if (known?.gone === true && !isReply && about.is !== "delete") return "pointless";
  // What was taken back is not said again.
  const said = isReply && isNew && known?.gone === true ? { ...about, excerpt: "" } : about;
  if (isHere) return said;
  const isForeign = known !== null && known.subject !== placeOf(options) && !subjects.includes(known.subject);
  if (isReply) return isForeign ? null : said;
  return isForeign ? "pointless" : await unlessPointless(options, about, about.seq);
}

async function unlessPointless(
  { log, name: lane }: LookupOptions,
  about: About,
  seq: Seq,
): Promise<About | "pointless"> {
  const [receipt] = await log.receipts({ lane, after: seq - 1, limit: 1 });
  const ended = receipt?.seq === seq ? receipt.state : null;
  const isPointless = ended !== null && (POINTLESS.has(ended) || (ended === "failed" && about.is !== "edit"));
  return isPointless ? "pointless" : about;
}

async function standingOf(
  options: LookupOptions,
  { seq: own, needs }: Search,
  { about, message }: Stored,
): Promise<readonly StandingReaction[]> {
  const seq = needs.standing ? (about?.seq ?? null) : null;
  if (about === null || seq === null) return [];
  const byEmoji = new Map<string, string[]>();
  for (const { emoji, name, who } of await options.log.ids.reactions(seq)) {
    if (!isElsewhere(options, who)) continue;
    byEmoji.set(emoji, [...(byEmoji.get(emoji) ?? []), name]);
  }
  // An earlier run may have said it: then it is said once more, so that who took it back finds the line.
  const isAgain = needs.line !== null && about.on && own <= options.newAfter;
  if (isAgain && byEmoji.size === 0) byEmoji.set(about.emoji, [message.username]);
  return Array.from(byEmoji, ([emoji, names]) => ({ emoji, names }));
}

/**
 * Those of people at the destination stand there already, and what other gateways have is not for this one. `who`: as
 * gateway/record.ts makes it.
 */
function isElsewhere(options: LookupOptions, who: string): boolean {
  const isOf = (subject: Subject): boolean => who.startsWith(`${subject} [`);
  return !isOf(placeOf(options)) && options.subjects.some(isOf);
}

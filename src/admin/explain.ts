import { EventLabel } from "../contract/message.ts";
import { DROP_WORDS, type Dropped } from "../gateway/drops.ts";
import { decodeStored } from "../gateway/codec.ts";
import type { LogSearch, Finds } from "../log/search.ts";
import type { Known, Seq, StoredEntry, Subject } from "../log/log.ts";
import type { Destinations } from "./destinations.ts";
import { isAboutDestinations, passes, passesLabel, stateOf, type StoryFilter } from "./story-filter.ts";
import type { Drops } from "./drops.ts";
import type { DropView, ExplainView, Story } from "./views.ts";
import { accountOf } from "../gateway/subject.ts";
import { shorten } from "../lib/printable.ts";

/** Messages that one question is answered with, if nothing else is asked for. */
const STORIES = 10;
/** How much of the log one question looks through: so many searches, each bounded. */
const SEARCHES_MAX = 8;
/** The same when the index of words has given something: it knows nothing of names and of parts of words. */
const SEARCHES_BESIDE = 1;
const FINDS = 50;
/** Most finds that are read: a word such as "text" is in every payload, whatever was said. */
const READ_MAX = 20_000;
const WORDS_CHARS = 80;
/** Messages of which the ways are looked at for those that were asked for. */
const WAYS_MAX = 500;

export interface ExplainOptions {
  /** Most messages that are answered with. */
  readonly limit?: number;
  /** Absent: all. A number or an id finds its message in any case. */
  readonly only?: StoryFilter;
  /** From which something goes anywhere. */
  readonly subjects: () => readonly Subject[];
  readonly archive: LogSearch;
  readonly log: { readonly head: Seq; readonly ids: { get(seq: Seq): Promise<Known | null> } };
  readonly refs: (seq: Seq) => Promise<readonly string[]>;
  readonly destinations: () => Promise<Destinations>;
  readonly drops: Pick<Drops, "withRef" | "about">;
}

/**
 * What became of a message: by its number in the log, by an id that it or a copy of it has on any network, or by words
 * of it or its sender's name, newest first; without a word: of the newest. The same of what was not relayed lately, and
 * so has no number. Rejects with the log's LogError.
 */
export async function explain(question: string, options: ExplainOptions): Promise<ExplainView> {
  const { drops, limit = STORIES, only } = options;
  const found = question === "" ? [] : await named(question, options);
  const dropped = found.length > 0 ? drops.withRef(question) : drops.about(question);
  const shownDrops = dropped.slice(0, limit).map(dropView);
  if (found.length > 0) return { stories: await tell(found, options), drops: shownDrops, more: false };
  if (only !== undefined) return await selected(question, only, options);
  const { seqs, more } = await withWords(question, options);
  return { stories: await tell(seqs, options), drops: shownDrops, more: more || dropped.length > limit };
}

async function selected(question: string, only: StoryFilter, options: ExplainOptions): Promise<ExplainView> {
  const { drops, limit = STORIES } = options;
  const isNarrow = isAboutDestinations(only);
  const { seqs, more } = await withWords(question, { ...options, limit: isNarrow ? WAYS_MAX : limit });
  const destinations = await options.destinations();
  const stories: Story[] = [];
  for (const seq of seqs) {
    const story = await storyOf(seq, options, destinations);
    if (story !== null && passes(only, story)) stories.push(story);
    if (stories.length > limit) break;
  }
  const dropped = isNarrow ? [] : drops.about(question);
  const isCut = more || stories.length > limit || dropped.length > limit;
  return { stories: stories.slice(0, limit), drops: dropped.slice(0, limit).map(dropView), more: isCut };
}

/** The way of one message; null: nobody knows it. Rejects with a LogError. */
export async function explainOne(seq: Seq, options: Telling): Promise<Story | null> {
  return (await tell([await meantBy(seq, options)], options))[0] ?? null;
}

/** The number of a wish to send a message again leads to the message. */
async function meantBy(seq: Seq, { archive }: Pick<Telling, "archive">): Promise<Seq> {
  const entry = await archive.entry(seq);
  return entry?.label === EventLabel.again ? (decodeStored(entry.payload).again?.of ?? seq) : seq;
}

type Telling = Omit<ExplainOptions, "drops" | "subjects" | "only">;

interface Found {
  readonly seqs: readonly Seq[];
  readonly more: boolean;
}

/** Messages with these words, newest first: by the index, if there is one, and by looking through the newest part. */
async function withWords(question: string, options: ExplainOptions): Promise<Found> {
  const { archive, log, limit = STORIES } = options;
  const query = { text: question, subjects: options.subjects(), after: 0, before: log.head + 1 };
  const matches = question === "" ? null : await archive.find({ ...query, limit: limit + 1, oldestFirst: false });
  const indexed = matches?.seqs ?? [];
  if (indexed.length > limit) return { seqs: indexed.slice(0, limit), more: true };
  const searches = indexed.length > 0 ? SEARCHES_BESIDE : SEARCHES_MAX;
  const looked = await lookThrough(question, searches, options);
  const all = [...new Set([...indexed, ...looked.seqs])].sort((a, b) => b - a);
  const isCut = looked.more || (matches !== null && matches.next !== null);
  return { seqs: all.slice(0, limit), more: isCut || all.length > limit };
}

async function lookThrough(
  question: string,
  searchesMax: number,
  { archive, log, limit = STORIES, only }: ExplainOptions,
): Promise<Found> {
  const wanted = question.toLowerCase();
  const says = ({ label, payload }: StoredEntry): boolean => {
    // The same words as those of the message that it stands for.
    if (label === EventLabel.again || (only !== undefined && !passesLabel(only, label))) return false;
    const { text, username } = decodeStored(payload).message;
    return text.toLowerCase().includes(wanted) || username.toLowerCase().includes(wanted);
  };
  // As it stands inside the JSON of the payload.
  const text = JSON.stringify(question).slice(1, -1);
  const entries: StoredEntry[] = [];
  let before: Seq | null = log.head + 1;
  let searches = 0;
  let read = 0;
  while (before !== null && searches < searchesMax && read < READ_MAX && entries.length <= limit) {
    const finds: Finds = await archive.search({ text, before, limit: FINDS });
    entries.push(...finds.entries.filter(says));
    before = finds.next;
    read += finds.entries.length;
    // Otherwise it has ended at its finds, and not at its bounds.
    if (finds.entries.length < FINDS) searches += 1;
  }
  return { seqs: entries.slice(0, limit + 1).map(({ seq }) => seq), more: before !== null || entries.length > limit };
}

function dropView(dropped: Dropped): DropView {
  return { ...dropped, text: shorten(dropped.text, WORDS_CHARS), why: DROP_WORDS[dropped.reason] };
}

/** The messages that the question names by number or id. */
async function named(question: string, options: ExplainOptions): Promise<readonly Seq[]> {
  const { archive, log, limit = STORIES } = options;
  const known = (await archive.anywhere(question)).map(({ seq }) => seq);
  const number = /^\d{1,15}$/u.test(question) ? Number(question) : null;
  if (number === null) return known.slice(0, limit);
  const seq = await meantBy(number, options);
  const exists = (await archive.entry(seq)) !== null || (await log.ids.get(seq)) !== null;
  return [...new Set([...(exists ? [seq] : []), ...known])].slice(0, limit);
}

async function tell(seqs: readonly Seq[], options: Telling): Promise<readonly Story[]> {
  if (seqs.length === 0) return [];
  const destinations = await options.destinations();
  const stories: Story[] = [];
  for (const seq of seqs) {
    const story = await storyOf(seq, options, destinations);
    if (story !== null) stories.push(story);
  }
  return stories;
}

async function storyOf(seq: Seq, { archive, log, refs }: Telling, destinations: Destinations): Promise<Story | null> {
  const entry = await archive.entry(seq);
  const known = entry === null ? await log.ids.get(seq) : null;
  const subject = entry?.subject ?? known?.subject;
  if (subject === undefined) return null;
  const said = entry === null ? null : decodeStored(entry.payload);
  const receipts = await archive.receiptsOf(seq);
  const ways = await destinations.of({ seq, subject, label: entry?.label ?? "", gone: entry === null }, receipts);
  return {
    seq,
    atMs: entry?.at ?? known?.at ?? 0,
    account: said?.message.account ?? accountOf(subject),
    channel: said?.message.channel ?? subject.slice(subject.indexOf("/") + 1),
    by: said?.message.username ?? known?.name ?? "",
    event: entry?.label ?? "",
    words: shorten(said?.message.text ?? known?.excerpt ?? "", WORDS_CHARS),
    about: said?.about === null || said === null ? null : { is: said.about.is, seq: said.about.seq },
    gone: entry === null,
    refs: await refs(seq),
    destinations: ways,
    state: stateOf(ways),
  };
}

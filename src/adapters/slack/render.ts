import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { renderSlack, SLACK_TEXT_MAX, slackTextLength } from "../../content/slack-render.ts";
import { SLACK_RICH_MAX, slackRichLength, slackRichText } from "../../content/slack-rich.ts";
import type { Json } from "../kit/json.ts";
import { inItalics, nameBefore, withName, wordsOfName } from "../kit/name-before.ts";
import { pack } from "../kit/pack.ts";
import { captionOf, fileBlock, paraOf } from "../kit/words.ts";
import { NOTHING_SENT, type SlackSent } from "./progress.ts";
import { withPeople } from "./text.ts";

/** One message takes so many files. */
export const FILES_MAX = 10;

/** A file of the draft: it goes with a message, or is said in the text, for the reason of `file.missing`. */
export interface SlackRenderedFile {
  readonly file: SharedFile;
  readonly goes: "natively" | "in the text";
}

export interface SlackPostOptions {
  /** Which messages show who speaks before their words: those that cannot show it otherwise. */
  readonly named: "first" | "with files" | "none";
  /** A name before words comes as it was formatted; else it is kept apart from them in any case. */
  readonly exact: boolean;
  /** Ids of members whom the text may mean, by their names in lower case. */
  readonly people: ReadonlyMap<string, string>;
  /** Whether the workspace has an emoji of its own of this name. */
  readonly hasEmoji: (name: string) => boolean;
  /** Those of the draft, in its order. */
  readonly files: readonly SlackRenderedFile[];
  /** What earlier messages have of it. */
  readonly sent: SlackSent;
}

export interface SlackMessagePart {
  /** Its number among the messages of its op, from 1. */
  readonly key: string;
  /** What is sent when this is; null: all. */
  readonly sent: SlackSent | null;
  /** With who speaks, where it shows that itself. Empty: only files. */
  readonly blocks: readonly Block[];
  readonly files: readonly SharedFile[];
}

interface SlackRendered {
  readonly parts: readonly SlackMessagePart[];
  readonly losses: readonly Loss[];
}

/** A piece of the text: one of its blocks, or what is said of a file. */
interface Piece {
  readonly block: Block;
  /** Its number: those of the text come first, and behind them one for each file. */
  readonly place: number;
}

interface Text {
  readonly blocks: readonly Block[];
  readonly upTo: Pick<SlackSent, "block" | "at">;
}

/**
 * What is not yet sent of a post, as messages of Slack: its text, in several when it is long; its files come with the
 * last of them.
 */
export function renderMessages(draft: PostDraft, options: SlackPostOptions): SlackRendered {
  const losses: Loss[] = [];
  const texts = textsOf(draft, options, losses);
  const going = options.files.flatMap(({ file, goes }, at) =>
    goes === "natively" && at >= options.sent.files ? [{ file, at }] : [],
  );
  const groups = Array.from({ length: Math.ceil(going.length / FILES_MAX) }, (_, at) =>
    going.slice(at * FILES_MAX, (at + 1) * FILES_MAX),
  );
  const bare = texts.map((text, at) => ({ text, files: at === texts.length - 1 ? (groups.shift() ?? []) : [] }));
  const all = [...bare, ...groups.map((files) => ({ text: null, files }))];
  let { sent } = options;
  const parts = all.map(({ text, files }, at): SlackMessagePart => {
    const isFirst = sent.parts === 0;
    const last = files.at(-1);
    sent = { ...sent, ...text?.upTo, parts: sent.parts + 1, files: last === undefined ? sent.files : last.at + 1 };
    const words = text?.blocks ?? [];
    return {
      key: String(sent.parts),
      sent: at === all.length - 1 ? null : sent,
      blocks: showsName(options.named, { isFirst, hasWords: words.length > 0, hasFiles: files.length > 0 })
        ? spoken(draft, words, options.exact)
        : inStyle(draft, words),
      files: files.map(({ file }) => file),
    };
  });
  return { parts, losses };
}

interface Place {
  readonly isFirst: boolean;
  readonly hasWords: boolean;
  readonly hasFiles: boolean;
}

function showsName(named: SlackPostOptions["named"], { isFirst, hasWords, hasFiles }: Place): boolean {
  if (named === "none") return false;
  return named === "first" ? isFirst || !hasWords : hasFiles;
}

/** The words of an edited message, one text for each message that they need, without who speaks. */
export function renderTexts(
  draft: PostDraft,
  options: Omit<SlackPostOptions, "sent">,
): { readonly texts: readonly (readonly Block[])[]; readonly losses: readonly Loss[] } {
  const losses: Loss[] = [];
  const texts = textsOf(draft, { ...options, sent: NOTHING_SENT }, losses);
  return { texts: texts.map(({ blocks }) => blocks), losses };
}

/** Before anything was tried. */
export const asItIs = (file: SharedFile): SlackRenderedFile => ({
  file,
  goes: file.id === null ? "in the text" : "natively",
});

function textsOf(draft: PostDraft, options: SlackPostOptions, losses: Loss[]): readonly Text[] {
  const { sent, hasEmoji, named, exact } = options;
  const pieces = piecesOf(draft, options);
  const end = { block: draft.body.blocks.length + options.files.length, at: 0 };
  const isAlone = options.files.some(({ goes }, at) => goes === "natively" && at >= sent.files);
  if (pieces.length === 0) return isAlone || sent.parts > 0 ? [] : nameAlone(draft, options, end);
  const max = Math.min(draft.textMax ?? SLACK_TEXT_MAX, SLACK_TEXT_MAX);
  const isNamedAll = named === "with files" && isAlone;
  const size = (some: readonly Block[]): number => sizeOf(inStyle(draft, some), hasEmoji);
  const sized = (isNamed: boolean): number => max - (isNamed ? nameSize(draft, exact) : 0);
  const packed = pack(
    pieces.map(({ block }) => block),
    {
      textMax: sized(isNamedAll),
      firstMax: sized(isNamedAll || (named === "first" && sent.parts === 0)),
      unit: "codepoints",
      sizeOf: size,
      from: sent.at,
    },
    losses,
  );
  return packed.flatMap(({ of, blocks, at }): readonly Text[] => {
    if (slackRichText(of, hasEmoji) === null) return [];
    const next = pieces[blocks];
    const isText = next !== undefined && next.place < draft.body.blocks.length;
    const upTo = next === undefined ? end : { block: next.place, at: isText ? at : 0 };
    return [{ blocks: of, upTo }];
  });
}

/** Somebody has said nothing that can be seen. */
function nameAlone({ author }: PostDraft, { named }: SlackPostOptions, upTo: Text["upTo"]): readonly Text[] {
  return author !== null && named === "first" ? [{ blocks: [], upTo }] : [];
}

/** What is not yet sent of the text, and behind it what is said of the files. */
function piecesOf({ body, mayPing }: PostDraft, { people, files, sent }: SlackPostOptions): readonly Piece[] {
  const blocks = withPeople(body.blocks, mayPing, people);
  const text = blocks.slice(sent.block).map((block, index): Piece => ({ block, place: sent.block + index }));
  const lines = files.flatMap((file, index): readonly Piece[] => {
    const place = blocks.length + index;
    const line = place < sent.block ? null : lineOf(file);
    return line === null ? [] : [{ block: line, place }];
  });
  return [...text, ...lines];
}

/** What is said of a file beside the text; null: nothing. */
function lineOf({ file, goes }: SlackRenderedFile): Block | null {
  if (goes !== "natively") return fileBlock(file);
  const words = captionOf(file);
  return words === "" ? null : paraOf(words);
}

type Speaking = Pick<PostDraft, "author" | "body">;

/** With what keeps it apart from the words. Empty: nothing of the name can be seen. */
function shownBefore({ author, body }: Speaking, exact: boolean): readonly Inline[] {
  const name = nameBefore(author);
  const words = wordsOfName(name);
  if (exact || words === "" || /\s$/u.test(words)) return name;
  // Names that are to be shown as such have nothing behind them.
  return [...name, textOf(body.style === "action" || /[\p{P}\p{S}]$/u.test(words) ? " " : ": ")];
}

const textOf = (text: string): Inline => ({ t: "text", text });

/** Of a name before a text, and the end of its line. */
const nameSize = (draft: Speaking, exact: boolean): number =>
  slackTextLength([{ t: "para", of: shownBefore(draft, exact) }]) + 1;

/** Words with who says them. */
export function spoken(draft: Speaking, blocks: readonly Block[], exact: boolean): readonly Block[] {
  // Where nothing follows on its line, nothing keeps it apart.
  return withName(shownBefore(draft, exact || blocks[0]?.t !== "para"), inStyle(draft, blocks));
}

/** As what they are said: `/me` is in italics. */
export function inStyle({ body }: Pick<PostDraft, "body">, blocks: readonly Block[]): readonly Block[] {
  return body.style === "action" ? inItalics(blocks) : blocks;
}

/** In code points of its text; what blocks take beside that counts in the measure of the text. */
function sizeOf(blocks: readonly Block[], hasEmoji: (name: string) => boolean): number {
  const rich = slackRichText(blocks, hasEmoji);
  const share = rich === null ? 0 : Math.ceil((slackRichLength(rich) * SLACK_TEXT_MAX) / SLACK_RICH_MAX);
  return Math.max(slackTextLength(blocks), share);
}

/** As it is sent: the text for notifications, and the blocks, of which the first has this id. */
export function writtenAs(
  blocks: readonly Block[],
  blockId: string,
  hasEmoji: (name: string) => boolean,
): { readonly text: string; readonly blocks: readonly Json[] } {
  const rich = slackRichText(blocks, hasEmoji);
  return { text: renderSlack(blocks), blocks: rich === null ? [] : [{ ...rich, block_id: blockId }] };
}

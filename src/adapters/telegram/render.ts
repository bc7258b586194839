import type { Block, SharedFile } from "../../contract/content.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { measure } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { lettersOf } from "../../content/slice.ts";
import { type TelegramText, writeTelegram } from "../../content/telegram-write.ts";
import { wordsOfName } from "../kit/name-before.ts";
import { pack } from "../kit/pack.ts";
import { captionOf, fileInWords, paraOf } from "../kit/words.ts";
import type { TelegramFileKind } from "./api.ts";
import { inStyle, nameOf, spoken } from "./identity.ts";
import { albumOf } from "./kinds.ts";
import type { TelegramReach } from "./progress.ts";
import { type TelegramWriting, unlinked, withPeople, written } from "./text.ts";

/** Code points of a message, and of the words with a file. */
export const TEXT_MAX = 4_096;
export const CAPTION_MAX = 1_024;
/** One album takes so many files. */
const ALBUM_MAX = 10;
/** One message keeps fewer places with formatting than this. */
const ENTITIES_MAX = 100;

/** A file of the draft, and as what it goes; or it is said in the text, for the reason of `file.missing`. */
export interface TelegramRenderedFile {
  readonly file: SharedFile;
  readonly goes: TelegramFileKind | "in the text";
}

export interface TelegramPostOptions {
  readonly idOf: TelegramWriting["idOf"];
  /** Those of the draft, in its order. */
  readonly files: readonly TelegramRenderedFile[];
  /** Bytes of one request. */
  readonly uploadMax: number;
  /** What earlier messages have of it. */
  readonly sent: TelegramReach;
  /** Less room for the first text: it stands with a file. */
  readonly firstMax?: number;
}

export interface TelegramPart {
  readonly isLast: boolean;
  /** What is sent when this is. */
  readonly sent: TelegramReach;
  /** With who speaks; null: only files. */
  readonly said: TelegramText | null;
  /** Several are an album. */
  readonly files: readonly TelegramPartFile[];
}

export interface TelegramPartFile {
  readonly file: SharedFile;
  readonly kind: TelegramFileKind;
  /** Its place among those of the draft. */
  readonly at: number;
}

interface Rendered {
  readonly parts: readonly TelegramPart[];
  readonly losses: readonly Loss[];
}

/** A piece of the text: one of its blocks, or what is said of a file. */
interface Piece {
  readonly block: Block;
  /** Where it begins. */
  readonly at: Place;
  /** The file that does not go, which this says; null: none. */
  readonly file: number | null;
}

type Place = Pick<TelegramReach, "block" | "at">;

/** One message of words. */
interface Text {
  readonly said: TelegramText;
  readonly upTo: Place;
  readonly files: readonly number[];
}

/**
 * What is not yet sent of a post, as messages of Telegram: its text, in several when it is long, and then its files;
 * where it is short enough it stands with the first of them.
 */
export function renderPost(draft: PostDraft, options: TelegramPostOptions): Rendered {
  const losses: Loss[] = [];
  const texts = textsOf(draft, options, losses);
  const groups = groupsOf(options);
  const [alone] = texts;
  // Where more was said before, an edit finds the words in messages of their own.
  const mayBe = options.sent.parts === 0 && groups.length > 0;
  const isCaption = mayBe && alone !== undefined && texts.length === 1 && fitsAsCaption(alone.said, draft);
  const all = isCaption
    ? groups.map((files, at) => ({ text: at === 0 ? alone : null, files }))
    : [...texts.map((text) => ({ text, files: NO_FILES })), ...groups.map((files) => ({ text: null, files }))];
  let { sent } = options;
  const parts = all.map(({ text, files }, at): TelegramPart => {
    const done = [...(text?.files ?? []), ...files.map((file) => file.at)];
    sent = { ...sent, ...text?.upTo, parts: sent.parts + 1, files: new Set([...sent.files, ...done]) };
    // A file that stands alone does not say whose it is.
    return { isLast: at === all.length - 1, sent, said: text?.said ?? nameText(draft), files };
  });
  return { parts, losses };
}

/** The words of an edited message, one text for each message that they need. */
export function renderTexts(
  draft: PostDraft,
  options: TelegramPostOptions,
): { readonly texts: readonly TelegramText[]; readonly losses: readonly Loss[] } {
  const losses: Loss[] = [];
  const texts = textsOf(draft, options, losses);
  return { texts: texts.map(({ said }) => said), losses };
}

/** Who speaks, and nothing else; null: nobody who has a name. */
export function nameText(draft: Pick<PostDraft, "author" | "body">): TelegramText | null {
  const blocks = spoken(draft, []);
  return blocks.length === 0 ? null : writeTelegram(blocks);
}

const NO_FILES: readonly TelegramPartFile[] = [];

const fitsAsCaption = (said: TelegramText, { textMax = CAPTION_MAX }: PostDraft): boolean =>
  sizeOf(said) <= Math.min(textMax, CAPTION_MAX);

/** Albums of what may stand together, in the order of the draft; and what stands alone. */
function groupsOf({ files, sent, uploadMax }: TelegramPostOptions): readonly (readonly TelegramPartFile[])[] {
  const groups: TelegramPartFile[][] = [];
  let bytes = 0;
  for (const [at, { file, goes }] of files.entries()) {
    if (goes === "in the text" || sent.files.has(at)) continue;
    const last = groups.at(-1);
    const album = albumOf(goes);
    // Of an unknown size it may be as much as a request takes.
    const size = file.bytes ?? Infinity;
    bytes += size;
    const isOfIt = album !== null && last?.[0] !== undefined && albumOf(last[0].kind) === album;
    if (isOfIt && last.length < ALBUM_MAX && bytes <= uploadMax) last.push({ file, kind: goes, at });
    else {
      groups.push([{ file, kind: goes, at }]);
      bytes = size;
    }
  }
  return groups;
}

function textsOf(draft: PostDraft, options: TelegramPostOptions, losses: Loss[]): readonly Text[] {
  const { sent, files } = options;
  const { mayPing } = draft;
  const pieces = piecesOf(draft, options);
  const all = pieces.map(({ block }) => block);
  const end = { block: draft.body.blocks.length + files.length, at: 0 };
  const max = Math.min(draft.textMax ?? TEXT_MAX, TEXT_MAX);
  const name = sent.parts === 0 ? nameSize(draft, all[0]) : 0;
  const firstMax = Math.min(options.firstMax ?? max, max) - name;
  const said = (some: readonly Block[]): TelegramText => written(inStyle(draft, some), mayPing);
  const isCut = all.length > 1 || sizeOf(said(all)) > firstMax;
  const size = (some: readonly Block[]): number => {
    const text = said(some);
    return isCut && text.entities.length >= ENTITIES_MAX ? Infinity : sizeOf(text);
  };
  const from = sent.block < draft.body.blocks.length ? sent.at : 0;
  // Where what comes first is blank, who speaks comes before what is seen.
  const isBlank = all[0] !== undefined && !isSeen(lettersOf(all[0]).slice(from, from + max));
  const packed = pack(
    all,
    { textMax: max - (isBlank ? name : 0), firstMax, unit: "codepoints", sizeOf: size, from },
    losses,
  );
  let before = 0;
  const texts: Text[] = [];
  for (const { of, blocks, at } of packed) {
    const named = pieces.slice(before, blocks).flatMap(({ file }) => (file === null ? [] : [file]));
    before = blocks;
    const next = pieces[blocks];
    // What is said late of a file is no place in the text.
    const upTo = next === undefined || next.at.block < sent.block ? end : placeIn(next, at);
    if (!isSeen(plainText(of))) continue;
    const shown = sent.parts === 0 && texts.length === 0 ? spoken(draft, of) : inStyle(draft, of);
    texts.push({ said: written(shown, mayPing), upTo, files: named });
  }
  const isAlone = files.some(({ goes }, at) => goes !== "in the text" && !sent.files.has(at));
  return texts.length === 0 && !isAlone && sent.parts === 0 ? nameAlone(draft, end) : texts;
}

const placeIn = ({ at: { block, at } }: Piece, further: number): Place => ({ block, at: at + further });

/** Somebody has said nothing that can be seen. */
function nameAlone(draft: PostDraft, upTo: Place): readonly Text[] {
  const said = nameText(draft);
  return said === null ? [] : [{ said, upTo, files: [] }];
}

/** What is not yet sent of the text, and behind it what is said of the files: as it is in the draft. */
function piecesOf({ body, mayPing }: PostDraft, { files, sent, idOf }: TelegramPostOptions): readonly Piece[] {
  const blocks = withPeople(body.blocks, { mayPing, idOf });
  const text = blocks.slice(sent.block).map((block, index): Piece => {
    return { block, at: { block: sent.block + index, at: 0 }, file: null };
  });
  const lines = files.flatMap(({ file, goes }, index): readonly Piece[] => {
    const place = blocks.length + index;
    if (sent.files.has(index)) return [];
    if (goes !== "in the text") {
      const words = place < sent.block ? "" : captionOf(file);
      return words === "" ? [] : [lineAt(words, place, null, sent)];
    }
    // Its caption was said when it still was to go.
    return [lineAt(fileInWords(place < sent.block ? { ...file, comment: "" } : file), place, index, sent)];
  });
  return [...text, ...lines];
}

function lineAt(words: string, place: number, file: number | null, sent: TelegramReach): Piece {
  const at = place === sent.block ? sent.at : 0;
  return { block: paraOf(unlinked(words).slice(at)), at: { block: place, at }, file };
}

/** Of a name before a text, and the end of its line where it has one of its own. */
function nameSize({ author }: Pick<PostDraft, "author">, first: Block | undefined): number {
  const name = wordsOfName(nameOf(author));
  if (name === "") return 0;
  return measure(name, "codepoints") + (first?.t === "para" ? 0 : 1);
}

const sizeOf = ({ text }: TelegramText): number => measure(text, "codepoints");

/** Servers refuse a text of which nothing is to be seen. */
const isSeen = (text: string): boolean => /[^\p{Z}\p{Cc}\p{Cf}]/u.test(text);

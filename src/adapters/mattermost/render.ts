import { createHash } from "node:crypto";
import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import { END, type OpId, type Progress } from "../../contract/ids.ts";
import type { PostDraft } from "../../contract/ops.ts";
import type { Loss } from "../../contract/outcome.ts";
import { measure } from "../../content/length.ts";
import { withoutNames } from "../../content/mattermost-protect.ts";
import { renderMattermost } from "../../content/mattermost-render.ts";
import { pack } from "../kit/pack.ts";
import { inItalics, nameBefore, withName, writtenName } from "../kit/name-before.ts";
import { captionOf, fileBlock, paraOf } from "../kit/words.ts";
import { progressAt } from "./ids.ts";
import { beginsBlock, namesIn, withPeople } from "./text.ts";

/** Servers take so many files with one post. */
const FILES_MAX = 10;

/** A file of the draft, and what became of it. */
export interface RenderedFile {
  readonly file: SharedFile;
  /** On the server; null: it is said in words, for the reason of `file.missing`. */
  readonly id: string | null;
}

export interface RenderOptions {
  /** Code points of one post. */
  readonly textMax: number;
  /** The name comes before the text: the post itself does not show it. */
  readonly prefix: boolean;
  /** User names of members whom the text may mean, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly files: readonly RenderedFile[];
}

export interface PostPart {
  readonly end: Progress;
  readonly message: string;
  readonly fileIds: readonly string[];
}

interface RenderedPost {
  readonly parts: readonly PostPart[];
  readonly losses: readonly Loss[];
}

/** A post as posts of Mattermost: its text, in several when it is very long; its files come with the last of them. */
export function renderPost(draft: PostDraft, options: RenderOptions): RenderedPost {
  const losses: Loss[] = [];
  // Databases of servers take neither broken UTF-16 nor the character 0.
  const texts = textsOf(draft, options, losses).map((text) => text.toWellFormed().replaceAll("\0", "\ufffd"));
  const ids = options.files.flatMap(({ id }) => (id === null ? [] : [id]));
  const groups = Array.from({ length: Math.ceil(ids.length / FILES_MAX) }, (_, at) =>
    ids.slice(at * FILES_MAX, (at + 1) * FILES_MAX),
  );
  const last = texts.at(-1);
  const bare: readonly Omit<PostPart, "end">[] = [
    ...texts.slice(0, -1).map((message) => ({ message, fileIds: [] })),
    ...(last === undefined ? [] : [{ message: last, fileIds: groups.shift() ?? [] }]),
    ...groups.map((fileIds) => ({ message: "", fileIds })),
  ];
  const parts = bare.map(({ message, fileIds }, at) => {
    const end = at === bare.length - 1 ? END : progressAt(String(at + 1));
    return { end, message, fileIds };
  });
  return { parts, losses };
}

/** What of a post is left to send. */
export function partsAfter(parts: readonly PostPart[], resume: Progress | null): readonly PostPart[] {
  return resume === END ? [] : parts.slice(Number(resume ?? 0) || 0);
}

function textsOf(draft: PostDraft, options: RenderOptions, losses: Loss[]): readonly string[] {
  const { textMax, files } = options;
  const lines = files.flatMap(fileLines);
  const isSaid = draft.body.blocks.length > 0 || lines.length > 0 || (options.prefix && draft.author !== null);
  if (!isSaid) return files.some(({ id }) => id !== null) ? [] : [""];
  const whole = untouched(draft, options, lines);
  if (whole !== null && measure(whole, "codepoints") <= textMax) return [whole];
  const blocks = [...spoken(draft, options), ...joined(lines)];
  const text = renderMattermost(blocks);
  if (measure(text, "codepoints") <= textMax) return [text];
  const sizeOf = (some: readonly Block[]): number => measure(renderMattermost(some), "codepoints");
  return pack(blocks, { textMax, firstMax: textMax, unit: "codepoints", sizeOf }, losses)
    .map(({ of }) => renderMattermost(of))
    .filter((part) => part.trim() !== "");
}

/** A text that is in the server's own format stays as it was written. */
function untouched(
  { author, body, mayPing }: PostDraft,
  options: RenderOptions,
  lines: readonly FileLine[],
): string | null {
  if (body.source.format !== "mattermost" || body.style !== "normal") return null;
  const name = writtenName(options.prefix ? nameBefore(author) : [], renderMattermost);
  if (name === null) return null;
  const isKnown = (name: string): boolean => {
    const meant = [name, name.replace(/[._-]+$/, "")].map((one) => one.toLowerCase());
    const isEverybody = mayPing.everyone && meant.some((one) => /^(?:all|channel|here|everyone)$/.test(one));
    return isEverybody || (mayPing.users && meant.some((one) => options.names.has(one)));
  };
  const text = withoutNames(body.source.text, isKnown);
  const said = name !== "" && beginsBlock(text) ? `${name.trimEnd()}\n${text}` : name + text;
  return [said, ...lines.map((line) => renderMattermost([line]))].filter((part) => part !== "").join("\n");
}

/** The text with who says it, and as what. */
function spoken({ author, body, mayPing }: PostDraft, { prefix, names }: RenderOptions): readonly Block[] {
  const blocks = withPeople(body.blocks, mayPing, names);
  const words = body.style === "action" ? inItalics(blocks) : blocks;
  return prefix ? withName(nameBefore(author), words) : words;
}

type FileLine = ReturnType<typeof fileBlock>;

/** The caption of a file; one that is not there is a link, or is named at least. */
function fileLines({ file, id }: RenderedFile): readonly FileLine[] {
  if (id === null) return [fileBlock(file)];
  const words = captionOf(file);
  return words === "" ? [] : [paraOf(words)];
}

/** As the lines of one paragraph. */
function joined(lines: readonly FileLine[]): readonly Block[] {
  return lines.length === 0 ? [] : [{ t: "para", of: lines.flatMap(({ of }, at) => (at === 0 ? of : [LINE, ...of])) }];
}

const LINE: Inline = { t: "text", text: "\n" };

/** Whom the text of a draft may mean. */
export const namesOf = ({ body, mayPing }: PostDraft): readonly string[] => namesIn(body.blocks, mayPing);

/** The same for each try of a part: the server answers a repeated post with the first. */
export function pendingIdOf(user: string, op: OpId, upTo: Progress): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([op, upTo]))
    .digest("hex");
  return `${user}:${digest.slice(0, 32)}`;
}

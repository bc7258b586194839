import type { PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { Block, Body, Inline } from "../contract/content.ts";
import { hiddenText } from "../content/hidden.ts";
import type { FileChanges } from "../contract/ops.ts";
import { excerpt } from "../content/length.ts";
import { plainText } from "../content/plain.ts";
import { shownName } from "../content/shown-name.ts";
import { namesOf, saidWith } from "./caption.ts";
import type { About } from "./codec.ts";
import { diffLine } from "./edit-diff.ts";
import { noPing } from "./nick-format.ts";

/** What a destination cannot do, said in words. Everything is pure; what is lost on the way is named by plan.ts. */

/** How a destination says things in words. */
export interface Wording extends Pick<PresentationSettings, "quoteDisable" | "quoteFormat" | "quoteLengthLimit"> {
  readonly replyWords: Capabilities["replyWords"];
  /** Names are written so that their owners are not notified. */
  readonly quiet: boolean;
}

/** A body that says whom and what it answers; null when the settings say not to. */
export function withReply(
  body: Body,
  { name, excerpt: said }: Pick<About, "name" | "excerpt">,
  words: Wording,
): Body | null {
  const shown = nameLine(name);
  if (words.quoteDisable || shown === "") return null;
  const who = words.quiet ? noPing(shown) : shown;
  // Whom these words mention was told when they were said.
  const quote = excerpt(said, words.quoteLengthLimit).replaceAll(MENTION_SIGN, "@\u200b");
  // Third-person speech has no place before it where somebody could be addressed.
  if (body.style === "action") return composed(body, behind(body.blocks, ` (to ${who})`));
  if (words.quoteFormat !== "") return composed(body, formatted(words.quoteFormat, body.blocks, who, quote));
  if (words.replyWords === "address") return composed(body, before(body.blocks, `${who}: `));
  const line = quote === "" ? who : `${who}: ${quote}`;
  return composed(body, [{ t: "quote", of: [para(line)] }, ...body.blocks]);
}

/** Where somebody, or everybody, may be mentioned; within words and addresses the sign means something else. */
const MENTION_SIGN = /(?<![\p{L}\p{N}_./:#-])@(?=\S)/gu;

/** QuoteFormat: what the placeholders stand for is used as it is. Without `{MESSAGE}` the message comes last. */
function formatted(format: string, blocks: readonly Block[], who: string, quote: string): readonly Block[] {
  const fill = (part: string): string =>
    part.replaceAll(/\{QUOTE(NICK|MESSAGE)\}/g, (_all, of: string) => (of === "NICK" ? who : quote));
  const at = format.indexOf("{MESSAGE}");
  if (at === -1) return before(blocks, fill(format));
  return behind(before(blocks, fill(format.slice(0, at))), fill(format.slice(at + "{MESSAGE}".length)));
}

/**
 * A body that stands for an edit: what changed, or the whole new text with a star. `old`: what it said before,
 * `suffix`: the EditSuffix that is no part of what was written. Null: it changes no text.
 */
export function asEdit(body: Body, how: "diff" | "whole", old: string, suffix: string): Body | null {
  const without = (text: string): string =>
    suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  const shown = without(plainText(body.blocks));
  const [now, hidden] = [shown, without(hiddenText(body.blocks))].map((text) => saidWith(text, body.files));
  // What is known of the old text has its spoilers hidden.
  if (now === undefined || now === "" || now === old || hidden === old) return null;
  // Of a message without words its files were named.
  const was = old === namesOf(body.files) ? "" : old;
  // A line about what changed would show them.
  const line = how === "diff" && hidden === now ? diffLine(was, now, now.length + STAR.length) : null;
  if (line === null) {
    const captions = now.slice(shown.length).trim();
    const blocks = captions === "" ? body.blocks : [...body.blocks, ...captions.split("\n").map(para)];
    return { ...composed(body, before(blocks, STAR)), files: [] };
  }
  return { ...spoken(line), files: [] };
}

/** An edit in words, with the files that it adds and the names of those that it removes. Null: it changes nothing. */
export function withChanges(said: Body | null, { files }: Body, changed: FileChanges | undefined): Body | null {
  if (changed === undefined) return said;
  const gone = changed.removed.map(({ name }) => name);
  const body = said ?? { ...spoken(""), blocks: [] };
  const note = gone.length === 0 ? [] : [para(`${STAR}removed ${gone.join(", ")}`)];
  return { ...composed(body, [...body.blocks, ...note]), files: changed.added.flatMap((at) => files[at] ?? []) };
}

const STAR = "* ";
/** Characters of a message that a line about it quotes. */
const LINE_QUOTE = 60;
/** Most characters of a name in words. */
const NAME_CHARS = 64;

/** `by`: who took it back. */
export function deletionLine({ name, excerpt: said }: About, by: string): Body {
  const writer = nameLine(name);
  const what = nameLine(by) === writer ? `${noPing(writer)} deleted` : `a message of ${noPing(writer)} was deleted`;
  return spoken(`${STAR}${what}${quoted(said)}`);
}

/**
 * Names can be anything somewhere; here they are one short line, so that nothing in one looks like something else that
 * was said.
 */
export const nameLine = (name: string): string => excerpt(shownName(name), NAME_CHARS);

/** The beginning of what a message says, after words about it; nothing where it says nothing. */
export function quoted(text: string): string {
  const line = excerpt(text, LINE_QUOTE);
  return line === "" ? "" : `: "${line}"`;
}

/** A plain line. */
export function spoken(text: string): Body {
  return { style: "normal", source: { format: "plain", text }, blocks: [para(text)], files: [] };
}

const para = (text: string): Block => ({ t: "para", of: [{ t: "text", text }] });

/**
 * The body with other blocks. Its source is no longer what anybody wrote: it is plain where all is, and otherwise in a
 * format that no network speaks, so that everybody renders the blocks.
 */
export function composed(body: Body, blocks: readonly Block[]): Body {
  const format = body.source.format === "plain" ? "plain" : "composed";
  return { ...body, source: { format, text: plainText(blocks) }, blocks };
}

function before(blocks: readonly Block[], text: string): readonly Block[] {
  if (text === "") return blocks;
  const [first, ...rest] = blocks;
  if (first?.t !== "para") return [para(text.trimEnd()), ...blocks];
  return [{ t: "para", of: [words(text), ...first.of] }, ...rest];
}

function behind(blocks: readonly Block[], text: string): readonly Block[] {
  if (text === "") return blocks;
  const last = blocks.at(-1);
  if (last?.t !== "para") return [...blocks, para(text.trimStart())];
  return [...blocks.slice(0, -1), { t: "para", of: [...last.of, words(text)] }];
}

const words = (text: string): Inline => ({ t: "text", text });

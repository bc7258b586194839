import type { Block, Inline, SharedFile } from "../../contract/content.ts";
import type { UserRef } from "../../contract/ids.ts";
import type { MayPing } from "../../contract/ops.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { linkMentions } from "../../content/mentions.ts";
import { overInlines, withoutUsers } from "../../content/tree.ts";

/** On one line, as names are. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

type Para = Extract<Block, { t: "para" }>;

export const paraOf = (text: string): Para => ({ t: "para", of: [{ t: "text", text }] });

/** What is said of a file; empty: nothing. */
export const captionOf = ({ comment }: Pick<SharedFile, "comment">): string => oneLine(comment).trim();

/** A file that cannot go itself is a link, or is named at least. */
export function fileInWords(file: SharedFile): string {
  const { name, url, missing, spoiler } = file;
  const [title, words] = spoiler === undefined ? [oneLine(name).trim(), captionOf(file)] : ["", hiddenTitle(file)];
  if (url !== null) return `${words || title || "file"}: ${oneLine(url)}`;
  const why = missing === null ? "" : ` (${oneLine(missing)})`;
  return `${words === "" ? "" : `${words}: `}${title || "a file"} was shared, but could not be copied here${why}`;
}

/** The same as a block: the address of a hidden file is behind its words, where previews are not made of it. */
export function fileBlock(file: SharedFile): Para {
  const { url, spoiler } = file;
  if (url === null || spoiler === undefined) return paraOf(fileInWords(file));
  return { t: "para", of: [{ t: "link", href: url, of: [{ t: "text", text: labelOf(file) }] }] };
}

/** Without signs that keep some networks from hiding an address behind words. */
const labelOf = (file: SharedFile): string =>
  hiddenWords(file)
    .replaceAll(/[^\p{L}\p{M}\p{N}\s.,:;!?'-]+/gu, " ")
    .replaceAll(/\s+/gu, " ");

const hiddenTitle = (file: SharedFile): string => `[${hiddenWords(file)}]`;

/** How a network calls everybody: all who may be called, those in the channel, and those who are there now. */
export interface CallsToAll {
  readonly all: UserRef;
  readonly channel: UserRef;
  readonly here: UserRef;
}

/** Any network's words for everybody, in lower case. */
const CALLS: ReadonlyMap<string, keyof CallsToAll> = new Map([
  ["all", "all"],
  ["everyone", "all"],
  ["room", "all"],
  ["channel", "channel"],
  ["here", "here"],
]);

/** Whether a name, in lower case, is nobody's, because it means everybody. */
export const isCallToAll = (name: string): boolean => CALLS.has(name);

/** A text with its calls to everybody as mentions. */
export function withCallsToAll(text: string, calls: CallsToAll): readonly Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const { index, 0: sign, 1: name = "" } of text.matchAll(CALL)) {
    const user = calls[CALLS.get(name.toLowerCase()) ?? "all"];
    if (index > from) found.push({ t: "text", text: text.slice(from, index) });
    found.push({ t: "mention", user, text: user });
    from = index + sign.length;
  }
  if (from < text.length || found.length === 0) found.push({ t: "text", text: text.slice(from) });
  return found;
}

const CALL = /(?<![\p{L}\p{N}_.@/:#-])@(all|everyone|room|channel|here)(?![\p{L}\p{N}_])/giu;

interface Called {
  /** Ids of those whom a text may mean, by their names in lower case. */
  readonly people: ReadonlyMap<string, string>;
  readonly refOf: (id: string) => UserRef;
  readonly calls: CallsToAll;
}

/** The text with the people of the room whom it means, with everybody where it may call them, and with nobody else. */
export function withThoseCalled(
  blocks: readonly Block[],
  mayPing: MayPing,
  { people, refOf, calls }: Called,
): readonly Block[] {
  const find = (name: string): UserRef | null => {
    const id = people.get(name.toLowerCase());
    return id === undefined ? null : refOf(id);
  };
  const bare = blocks.map(withoutUsers);
  const linked = mayPing.users && people.size > 0 ? linkMentions(bare, find) : bare;
  if (!mayPing.everyone) return linked;
  return linked.map((block) => overInlines(block, (of) => callingAll(of, calls)));
}

/** The words of a link call nobody. */
function callingAll(of: readonly Inline[], calls: CallsToAll): readonly Inline[] {
  return of.flatMap((inline) => {
    if (inline.t === "text") return withCallsToAll(inline.text, calls);
    return "of" in inline && inline.t !== "link" ? [{ ...inline, of: callingAll(inline.of, calls) }] : [inline];
  });
}

import type { Block, Inline } from "../contract/content.ts";
import { isObject, listOf } from "../lib/shapes.ts";
import { emojiNamed } from "./emoji-names.ts";
import { parseMattermost } from "./mattermost-parse.ts";
import { isLinkable } from "./links.ts";
import { plainText } from "./plain.ts";
import { parseSlack } from "./slack-parse.ts";
import { richBlocks, richWords, somethingOf, wordIn } from "./slack-rich-read.ts";
import { decodeSlack, isWithinWord, linkInline, type SlackNames, textOf } from "./slack-tokens.ts";

/** What a message of Slack has to say, as it came: nobody has checked the JSON. */
export interface SlackSaid {
  /** Mrkdwn, as the network stores it. */
  readonly text: string;
  readonly blocks: readonly unknown[];
  /** Those that are to be said. */
  readonly attachments: readonly unknown[];
}

/** Slack has 50 blocks and 100 attachments at most. */
const PARTS_MAX = 100;
const DEPTH_MAX = 8;

/** As a tree. Blocks count before the text, which repeats them where no blocks are shown. */
export function slackTree({ text, blocks, attachments }: SlackSaid, known: SlackNames): readonly Block[] {
  const names = withLabels(text, known);
  const shown = partsOf(blocks.slice(0, PARTS_MAX), names, 0);
  const said = plainText(shown).trim() === "" ? parseSlack(text, names) : shown;
  const all = [...said, ...attachments.slice(0, PARTS_MAX).flatMap((one) => attachmentOf(one, names))];
  return all.length === 0 ? saying(blocks.filter(isObject).map(strangeWords).join("\n")) : all;
}

/** Blocks of kinds that nobody knows, and that have no words. */
function strangeWords(block: Json): string {
  const type = wordIn(block, "type");
  return type === "" || READERS.has(type) || SILENT.has(type) ? "" : somethingOf(type);
}

/** They hold other parts, or have nothing for people until somebody answers. */
const SILENT: ReadonlySet<string> = new Set(["section", "actions", "input", "context_actions"]);

/** Groups are named in the text, where blocks have only their ids. */
function withLabels(text: string, names: SlackNames): SlackNames {
  if (!text.includes("<!subteam^")) return names;
  const labels = new Map(
    Array.from(text.matchAll(/<!subteam\^(S[A-Z0-9]{1,40})\|([^<>\n]{1,200})>/g), ([, id = "", label = ""]) => [
      id,
      decodeSlack(label),
    ]),
  );
  return { ...names, group: (id) => names.group(id) ?? labels.get(id) ?? null };
}

type Json = Readonly<Record<string, unknown>>;
type Reader = (part: Json, names: SlackNames, depth: number) => readonly Block[];

function partsOf(parts: unknown, names: SlackNames, depth: number): readonly Block[] {
  if (depth > DEPTH_MAX) return [];
  if (typeof parts === "string") return saying(decodeSlack(parts));
  if (Array.isArray(parts)) return listOf(parts).flatMap((part) => partsOf(part, names, depth + 1));
  if (!isObject(parts)) return [];
  const read = READERS.get(wordIn(parts, "type"));
  if (read !== undefined) return read(parts, names, depth);
  return SAYING.flatMap((key) => partsOf(parts[key], names, depth + 1));
}

/** Where blocks and their elements have words, in the order in which people see them. */
const SAYING = [
  ..."pretext title rich_text_title subtitle label text fields body description details output caption".split(" "),
  ..."alt_text placeholder accessory elements child_blocks tasks sources actions hint".split(" "),
];

const paraOf = (of: readonly Inline[]): readonly Block[] =>
  of.every((inline) => "text" in inline && inline.text.trim() === "") ? [] : [{ t: "para", of }];

const saying = (words: string): readonly Block[] => paraOf([textOf(words)]);

/** Plain text has emoji by name, and no other marks. */
function plainWords(text: string): string {
  const words = decodeSlack(text);
  return words.replaceAll(/:([\w+'-]{1,100}):/g, (own, name: string, at: number) =>
    isWithinWord(words, at, at + own.length) ? own : (emojiNamed(name) ?? own),
  );
}

const mrkdwn: Reader = (part, names) => parseSlack(wordIn(part, "text"), names);
const plain: Reader = (part) => saying(plainWords(wordIn(part, "text")));

/** The words of a text object, or of a string. */
function wordsIn(part: Json, key: string): string {
  const value = part[key];
  return isObject(value) ? plainWords(wordIn(value, "text")) : plainWords(wordIn(part, key));
}

/** Words that lead somewhere, or the words alone. */
const leading = (words: string, href: string): readonly Block[] =>
  paraOf([href === "" ? textOf(words) : linkInline(href, words)]);

const image: Reader = (part) => leading(wordsIn(part, "title") || wordsIn(part, "alt_text"), wordIn(part, "image_url"));

/** One that leads nowhere can be pressed in Slack alone. */
const button: Reader = (part) => {
  const [words, url] = [wordsIn(part, "text"), wordIn(part, "url")];
  return words === "" ? [] : leading(url === "" ? `(button: ${words})` : words, url);
};

/** Its cells with bars between them. */
const table: Reader = (part, names, depth) => {
  const rows = listOf(part["rows"]).map((row) => {
    const cells = listOf(row).map((cell): Block => ({ t: "para", of: joined(partsOf(cell, names, depth + 1), " ") }));
    return paraOf(joined(cells, " | "));
  });
  return [...saying(wordsIn(part, "caption")), ...rows.flat()];
};

/** Blocks on one line. */
function joined(blocks: readonly Block[], between: string): readonly Inline[] {
  const of: Inline[] = [];
  for (const [at, block] of blocks.entries()) {
    if (at > 0) of.push(textOf(between));
    for (const inline of block.t === "para" ? block.of : [textOf(plainText([block]))]) of.push(inline);
  }
  return of;
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["rich_text", ({ elements }, names) => richBlocks(listOf(elements), names)],
  ["rich_text_section", ({ elements }, names) => paraOf(richWords(listOf(elements), names))],
  ["mrkdwn", mrkdwn],
  ["plain_text", plain],
  ["raw_text", (part) => saying(wordIn(part, "text"))],
  ["raw_number", (part) => saying(wordIn(part, "text") || String(Number(part["value"])))],
  ["markdown", (part) => parseMattermost(wordIn(part, "text"))],
  ["header", (part) => [{ t: "heading", level: 2, of: [textOf(wordsIn(part, "text"))] }]],
  ["context", ({ elements }, names, depth) => paraOf(joined(partsOf(elements, names, depth + 1), " "))],
  // A line without words. The file of a message is told as its file.
  ["divider", () => []],
  ["file", () => []],
  ["image", image],
  ["button", button],
  ["workflow_button", button],
  ["url", (part) => leading(wordsIn(part, "text"), wordIn(part, "url"))],
  [
    "video",
    (part) => [
      ...leading(
        wordsIn(part, "title") || wordsIn(part, "alt_text"),
        wordIn(part, "title_url") || wordIn(part, "video_url"),
      ),
      ...saying(wordsIn(part, "description")),
    ],
  ],
  ["table", table],
  ["data_table", table],
  ["call", callOf],
]);

function callOf({ call }: Json): readonly Block[] {
  const own = isObject(call) && isObject(call["v1"]) ? call["v1"] : {};
  return leading(`Call: ${wordIn(own, "name") || "a call"}`, wordIn(own, "join_url"));
}

/** An attachment of a program. */
function attachmentOf(value: unknown, names: SlackNames): readonly Block[] {
  if (!isObject(value)) return [];
  if (value["is_share"] === true || value["is_msg_unfurl"] === true) return forwardOf(value, names);
  const word = (key: string): string => wordIn(value, key);
  const text = (key: string): readonly Block[] => parseSlack(word(key), names);
  const title = word("title") === "" ? [] : leading(decodeSlack(word("title")), word("title_link"));
  const parts = [
    ...text("pretext"),
    ...partsOf(value["blocks"], names, 0),
    ...saying(decodeSlack(word("author_name"))),
    ...title.map((block): Block => (block.t === "para" ? { t: "para", of: [{ t: "bold", of: block.of }] } : block)),
    ...text("text"),
    ...listOf(value["fields"]).flatMap((field) => fieldOf(field, names)),
    ...leading("", word("image_url")),
    ...listOf(value["actions"]).flatMap((action) => (isObject(action) ? button(action, names, 0) : [])),
    ...saying(decodeSlack(word("footer"))),
  ];
  return plainText(parts).trim() === "" ? text("fallback") : parts;
}

/** In the words "Posted in #random", which Slack shows below what is forwarded. */
const placeIn = (footer: string): string => /#([^\s#<>|]{1,80})/.exec(footer)?.[1] ?? "";

/** What somebody has forwarded: whose it is, where it stands, and what it says. */
function forwardOf(value: Json, names: SlackNames): readonly Block[] {
  const word = (key: string): string => decodeSlack(wordIn(value, key)).replaceAll(/\s+/g, " ").trim();
  const url = word("from_url") || word("original_url");
  const name = word("author_subname") || word("author_name");
  const place = (
    names.channel(wordIn(value, "channel_id")) ??
    (word("channel_name") || placeIn(word("footer")))
  ).replace(/^#/, "");
  const from = `${name === "" ? "" : ` from ${name}`}${place === "" ? "" : ` in #${place}`}:`;
  const head: Block = {
    t: "para",
    of: [isLinkable(url) ? linkInline(url, "forwarded") : textOf("forwarded"), textOf(from)],
  };
  const parts = listOf(value["message_blocks"]).flatMap((one) =>
    isObject(one) && isObject(one["message"]) ? partsOf(one["message"]["blocks"], names, 0) : [],
  );
  const said = plainText(parts).trim() === "" ? parseSlack(wordIn(value, "text"), names) : parts;
  const files = listOf(value["files"]).filter(isObject);
  const shown = [
    ...said,
    ...files.flatMap((file) =>
      leading(wordsIn(file, "title") || wordsIn(file, "name") || "file", wordIn(file, "permalink")),
    ),
    ...leading("", wordIn(value, "image_url")),
  ];
  return plainText(shown).trim() === "" ? [head] : [head, { t: "quote", of: shown }];
}

function fieldOf(value: unknown, names: SlackNames): readonly Block[] {
  if (!isObject(value)) return [];
  const [title, words] = [decodeSlack(wordIn(value, "title")), parseSlack(wordIn(value, "value"), names)];
  const [first, ...rest] = words;
  if (title === "") return words;
  if (first?.t !== "para") return [...saying(`${title}:`), ...words];
  return [{ t: "para", of: [textOf(`${title}: `), ...first.of] }, ...rest];
}

import { newSecret } from "./clock.ts";
import { isRecord, lengthOf, no, textOf, type WireBlock, wrong } from "./wire.ts";

const BLOCKS = 50;
/** Characters of all blocks together, as far as that is known. */
const ALL_TEXT = 13_200;
const ATTACHMENTS = 100;

type Fault = (path: string, words: string) => void;

/** Reads blocks as a caller gives them. Throws refusals that say where they are wrong. */
export function readBlocks(value: unknown): WireBlock[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every(isRecord)) throw no("invalid_blocks_format");
  const faults: string[] = [];
  const fault: Fault = (path, words) => faults.push(`[ERROR] ${words} [json-pointer:${path}]`);
  if (value.length > BLOCKS) fault("/blocks", `no more than ${BLOCKS} items allowed`);
  for (const [at, block] of value.entries()) checkBlock(block, `/blocks/${at}`, fault);
  const ids = value.flatMap((block) => (block["block_id"] === undefined ? [] : [textOf(block["block_id"])]));
  if (new Set(ids).size < ids.length) fault("/blocks", "`block_id` already exists");
  if (faults.length > 0) throw wrong("invalid_blocks", faults);
  if (sizeOf(value) > ALL_TEXT) throw no("msg_blocks_too_long");
  return value.map((block) => ({ block_id: newSecret(5), ...block }) as unknown as WireBlock);
}

export function readAttachments(value: unknown): Record<string, unknown>[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every(isRecord)) throw no("invalid_attachments");
  if (value.length > ATTACHMENTS) throw no("too_many_attachments");
  return value.map((one, at) => ({ id: at + 1, ...one }));
}

/** Text, and something for each block around it. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sizeOf(one), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + (typeof one === "string" && name === "text" ? lengthOf(one) : sizeOf(one)),
    0,
  );
}

function checkBlock(block: Record<string, unknown>, path: string, fault: Fault): void {
  const id = block["block_id"];
  if (id !== undefined && (typeof id !== "string" || id.length > 255)) {
    fault(`${path}/block_id`, "must be less than 256 characters");
  }
  const check = CHECKS[textOf(block["type"])];
  if (check === undefined) fault(`${path}/type`, "unsupported type: ".concat(textOf(block["type"])));
  else check(block, path, fault);
}

const CHECKS: Readonly<Record<string, (block: Record<string, unknown>, path: string, fault: Fault) => void>> = {
  divider: () => undefined,
  header: ({ text }, path, fault) => checkText(text, `${path}/text`, 150, ["plain_text"], fault),
  section: ({ text, fields }, path, fault) => {
    if (text === undefined && fields === undefined) fault(path, "missing required field: text");
    if (text !== undefined) checkText(text, `${path}/text`, 3000, ["plain_text", "mrkdwn"], fault);
    if (fields === undefined) return;
    if (!Array.isArray(fields)) return fault(`${path}/fields`, "must be an array");
    if (fields.length > 10) fault(`${path}/fields`, "no more than 10 items allowed");
    for (const [at, one] of fields.entries()) {
      checkText(one, `${path}/fields/${at}`, 2000, ["plain_text", "mrkdwn"], fault);
    }
  },
  markdown: ({ text }, path, fault) => checkLength(text, `${path}/text`, 12_000, fault),
  image: (block, path, fault) => checkImage(block, path, fault),
  context: ({ elements }, path, fault) => {
    if (!Array.isArray(elements) || elements.length === 0) return fault(`${path}/elements`, "must be an array");
    if (elements.length > 10) fault(`${path}/elements`, "no more than 10 items allowed");
    for (const [at, one] of elements.entries()) {
      const where = `${path}/elements/${at}`;
      if (isRecord(one) && one["type"] === "image") checkImage(one, where, fault);
      else checkText(one, where, 3000, ["plain_text", "mrkdwn"], fault);
    }
  },
  rich_text: ({ elements }, path, fault) => {
    if (!Array.isArray(elements)) return fault(`${path}/elements`, "must be an array");
    for (const [at, one] of elements.entries()) checkRich(one, `${path}/elements/${at}`, fault);
  },
};

function checkLength(text: unknown, path: string, most: number, fault: Fault): void {
  if (typeof text !== "string") fault(path, "must be a string");
  else if (text === "") fault(path, "must be more than 0 characters");
  else if (lengthOf(text) > most) fault(path, `must be less than ${most + 1} characters`);
}

function checkText(value: unknown, path: string, most: number, types: readonly string[], fault: Fault): void {
  if (!isRecord(value)) return fault(path, "must provide an object");
  if (!types.includes(textOf(value["type"]))) return fault(`${path}/type`, "must be a valid enum value");
  checkLength(value["text"], `${path}/text`, most, fault);
}

function checkImage(block: Record<string, unknown>, path: string, fault: Fault): void {
  if (block["image_url"] === undefined && block["slack_file"] === undefined) {
    fault(path, "missing required field: image_url");
  }
  const url = block["image_url"];
  if (url !== undefined && !/^https?:\/\/\S+$/.test(textOf(url))) fault(`${path}/image_url`, "invalid url");
  if (textOf(url).length > 3000) fault(`${path}/image_url`, "must be less than 3001 characters");
  checkLength(block["alt_text"], `${path}/alt_text`, 2000, fault);
}

const RICH: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  link: ["url"],
  emoji: ["name"],
  user: ["user_id"],
  usergroup: ["usergroup_id"],
  channel: ["channel_id"],
  team: ["team_id"],
  broadcast: ["range"],
  color: ["value"],
  date: ["timestamp", "format"],
};

const STYLES = new Set(["bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"]);

function checkRich(value: unknown, path: string, fault: Fault): void {
  if (!isRecord(value)) return fault(path, "must provide an object");
  const { type, elements, style } = value;
  if (!Array.isArray(elements)) return fault(`${path}/elements`, "must be an array");
  if (type === "rich_text_list") {
    if (style !== "bullet" && style !== "ordered") fault(`${path}/style`, "must be a valid enum value");
    for (const [at, one] of elements.entries()) {
      const where = `${path}/elements/${at}`;
      if (isRecord(one) && one["type"] === "rich_text_section") checkRich(one, where, fault);
      else fault(`${where}/type`, "must be a valid enum value");
    }
    return;
  }
  const known = ["rich_text_section", "rich_text_quote", "rich_text_preformatted"];
  if (!known.includes(textOf(type))) return fault(`${path}/type`, `unsupported type: ${textOf(type)}`);
  for (const [at, one] of elements.entries()) {
    checkPiece(one, type === "rich_text_preformatted", `${path}/elements/${at}`, fault);
  }
}

function checkPiece(value: unknown, literal: boolean, path: string, fault: Fault): void {
  if (!isRecord(value)) return fault(path, "must provide an object");
  const type = textOf(value["type"]);
  const fields = RICH[type];
  if (fields === undefined || (literal && type !== "text" && type !== "link")) {
    return fault(`${path}/type`, `unsupported type: ${type}`);
  }
  for (const name of fields) if (value[name] === undefined) fault(path, `missing required field: ${name}`);
  // An empty text is refused; many a builder makes one.
  if (type === "text" && value["text"] === "") fault(`${path}/text`, "must be more than 0 characters");
  const style = value["style"];
  if (style === undefined) return;
  if (!isRecord(style)) return fault(`${path}/style`, "must provide an object");
  for (const name of Object.keys(style)) {
    if (!STYLES.has(name)) fault(`${path}/style`, `invalid additional property: ${name}`);
  }
}

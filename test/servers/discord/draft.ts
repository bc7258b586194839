import {
  AttachmentFlags,
  type APIAllowedMentions,
  type APIEmbed,
  type APIMessage,
  MessageReferenceType,
} from "discord-api-types/v10";
import type { Body } from "./requests.ts";
import { badField, type FieldErrors, invalid, no, textOf, type Upload } from "./wire.ts";

const CONTENT_MAX = 2000;
const EMBEDS_MAX = 10;
const EMBED_TEXT_MAX = 6000;
const FILES_MAX = 10;
const NONCE_MAX = 25;

/** Flags that one may set: no embeds, silent, a voice message, components only. */
const FLAGS = 4 | 4096 | 8192 | 32_768;

/** What somebody wants to have in a message; of an edit, what is to change. */
export interface Draft {
  readonly content?: string;
  readonly embeds?: APIEmbed[];
  readonly allowed?: APIAllowedMentions;
  readonly nonce?: string | number;
  readonly enforceNonce?: boolean;
  readonly reference?: Reference;
  readonly flags?: number;
  readonly files?: readonly Upload[];
  /** Of the files that are there, the ids of those that stay. */
  readonly keep?: readonly string[];
  /** What the server carries and does not look into. */
  readonly more?: Partial<APIMessage>;
}

interface Reference {
  readonly type: MessageReferenceType;
  readonly message: string;
  readonly channel: string | undefined;
  readonly mustExist: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a body, and refuses what the network refuses. */
export function draftOf({ json, files }: Body): Draft {
  const errors: Record<string, { code: string; message: string }> = {};
  const content = json["content"];
  if (content !== undefined && content !== null && typeof content !== "string") {
    errors["content"] = { code: "STRING_TYPE_CONVERT", message: "Could not interpret the value as string." };
  }
  const text = textOf(content).trim();
  if (text.length > CONTENT_MAX) errors["content"] = tooLong(CONTENT_MAX);
  const embeds = json["embeds"];
  Object.assign(errors, embedErrors(embeds), nonceErrors(json["nonce"]));
  const flags = json["flags"];
  if (flags !== undefined && flags !== null && (typeof flags !== "number" || (flags & ~FLAGS) !== 0)) {
    errors["flags"] = { code: "BITFIELD_INVALID", message: "Invalid flags." };
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const allowed = allowedOf(json["allowed_mentions"]);
  const reference = referenceOf(json["message_reference"]);
  const more = Object.fromEntries(
    ["components", "poll", "tts", "sticker_items"].flatMap((name) =>
      json[name] === undefined || json[name] === null ? [] : [[name, json[name]]],
    ),
  );
  const nonce = json["nonce"];
  return {
    ...(content !== undefined && { content: text }),
    ...(Array.isArray(embeds) ? { embeds: embeds as APIEmbed[] } : embeds === null && { embeds: [] }),
    ...(allowed !== undefined && { allowed }),
    ...(reference !== undefined && { reference }),
    ...((typeof nonce === "string" || typeof nonce === "number") && { nonce }),
    ...(json["enforce_nonce"] === true && { enforceNonce: true }),
    ...(typeof flags === "number" && { flags }),
    ...filesOf(json["attachments"], files),
    more,
  };
}

/** The files of the form, with what `attachments` says of them; and which of the old ones stay. */
function filesOf(said: unknown, files: Body["files"]): Pick<Draft, "files" | "keep"> {
  if (files.size > FILES_MAX) throw no("maxAttachments");
  if (said === undefined || said === null) return { files: [...files.values()] };
  if (!Array.isArray(said))
    throw badField("attachments", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
  const uploads: Upload[] = [];
  const keep: string[] = [];
  for (const [at, one] of (said as Fields[]).entries()) {
    const id = typeof one["id"] === "number" ? String(one["id"]) : textOf(one["id"]);
    const upload = files.get(id);
    if (upload !== undefined) {
      const description = one["description"];
      if (typeof description === "string" && description.length > 1024) {
        throw badField(`attachments.${at}.description`, "BASE_TYPE_MAX_LENGTH", tooLong(1024).message);
      }
      const name = textOf(one["filename"]);
      uploads.push({
        ...upload,
        ...(name !== "" && { name }),
        ...(typeof description === "string" && { description }),
        ...(one["is_spoiler"] === true && { more: { ...upload.more, flags: AttachmentFlags.IsSpoiler } }),
      });
    } else if (/^\d{15,}$/.test(id)) keep.push(id);
    else throw badField(`attachments.${at}.id`, "ATTACHMENT_NOT_FOUND", "Attachment data not found");
  }
  if (uploads.length + keep.length > FILES_MAX) throw no("maxAttachments");
  return { files: uploads, keep };
}

function embedErrors(embeds: unknown): FieldErrors {
  if (embeds === undefined || embeds === null) return {};
  if (!Array.isArray(embeds)) {
    return { embeds: { code: "LIST_TYPE_CONVERT", message: "Only iterables may be used in a ListType" } };
  }
  if (embeds.length > EMBEDS_MAX) return { embeds: tooLong(EMBEDS_MAX) };
  const errors: Record<string, { code: string; message: string }> = {};
  let all = 0;
  const check = (name: string, value: unknown, most: number): void => {
    const { length } = textOf(value);
    all += length;
    if (length > most) errors[name] = tooLong(most);
  };
  for (const [at, embed] of (embeds as Fields[]).entries()) {
    check(`embeds.${at}.title`, embed["title"], 256);
    check(`embeds.${at}.description`, embed["description"], 4096);
    check(`embeds.${at}.footer.text`, (embed["footer"] as Fields | undefined)?.["text"], 2048);
    check(`embeds.${at}.author.name`, (embed["author"] as Fields | undefined)?.["name"], 256);
    const fields = (embed["fields"] ?? []) as Fields[];
    if (fields.length > 25) errors[`embeds.${at}.fields`] = tooLong(25);
    for (const [number, field] of fields.entries()) {
      check(`embeds.${at}.fields.${number}.name`, field["name"], 256);
      check(`embeds.${at}.fields.${number}.value`, field["value"], 1024);
    }
  }
  if (all > EMBED_TEXT_MAX) {
    errors["embeds"] = { code: "MAX_EMBED_SIZE_EXCEEDED", message: "Embed size exceeds maximum size of 6000" };
  }
  return errors;
}

function nonceErrors(nonce: unknown): FieldErrors {
  if (typeof nonce === "string" && nonce.length > NONCE_MAX) return { nonce: tooLong(NONCE_MAX) };
  const good = nonce === undefined || nonce === null || typeof nonce === "string" || Number.isInteger(nonce);
  return good ? {} : { nonce: { code: "NONCE_TYPE_INVALID", message: "Nonce must be a string or an integer." } };
}

function allowedOf(value: unknown): APIAllowedMentions | undefined {
  if (value === undefined || value === null) return undefined;
  const allowed = value as APIAllowedMentions;
  const { parse = [], users = [], roles = [] } = allowed;
  const known = ["users", "roles", "everyone"];
  if (parse.some((name) => !known.includes(name))) {
    throw badField("allowed_mentions.parse.0", "BASE_TYPE_CHOICES", `Value must be one of ('${known.join("', '")}').`);
  }
  for (const [name, ids] of Object.entries({ users, roles })) {
    if (ids.length > 100) throw badField(`allowed_mentions.${name}`, "BASE_TYPE_MAX_LENGTH", tooLong(100).message);
    if (ids.length > 0 && (parse as string[]).includes(name)) {
      const message = `parse:["${name}"] and ${name}: [ids...] are mutually exclusive.`;
      throw badField("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message);
    }
  }
  return allowed;
}

function referenceOf(value: unknown): Reference | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = value as Fields;
  const message = textOf(fields["message_id"]);
  if (message === "") throw badField("message_reference.message_id", "BASE_TYPE_REQUIRED", "This field is required");
  const channel = fields["channel_id"];
  return {
    type: fields["type"] === 1 ? MessageReferenceType.Forward : MessageReferenceType.Default,
    message,
    channel: typeof channel === "string" ? channel : undefined,
    mustExist: fields["fail_if_not_exists"] !== false,
  };
}

export const tooLong = (most: number) => ({
  code: "BASE_TYPE_MAX_LENGTH",
  message: `Must be ${most} or fewer in length.`,
});

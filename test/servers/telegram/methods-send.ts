import { randomInt } from "node:crypto";
import type { Poll } from "@grammyjs/types";
import { normal, readEntities } from "./entities.ts";
import type { FileRow } from "./files.ts";
import { type Extra, mediaOf } from "./media.ts";
import type { Methods, Parts } from "./parts.ts";
import { checkRate, type Place, placeOf, postAs } from "./place.ts";
import type { Args, Call } from "./requests.ts";
import type { Sending } from "./rights.ts";
import { bad, type Content, isRecord, lengthOf, type MediaKind, Refusal, type WireMessage } from "./wire.ts";
import type { World } from "./world.ts";

const ACTIONS: ReadonlySet<string> = new Set(
  "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker find_location record_video_note upload_video_note".split(
    " ",
  ),
);
const TEXT_MAX = 4096;
const CAPTION_MAX = 1024;
/** Of an album. */
const ITEMS_MAX = 10;

/** The text of a request, and what it says where there is too much or nothing. */
export function textIn(world: World, args: Args, tooLong = "message is too long"): Content {
  noParseMode(args);
  const given = args.text("text");
  if (given.length > 32_768) throw bad("text is too long");
  const { text, entities } = normal(given, readEntities(args.json("entities"), world.users));
  if (text === "") throw bad("message text is empty");
  if (lengthOf(text) > TEXT_MAX) throw bad(tooLong);
  const preview = args.json("link_preview_options");
  const isOff = isRecord(preview) && preview["is_disabled"] === true;
  return {
    text,
    ...(entities.length > 0 && { entities: [...entities] }),
    ...(isOff && { link_preview_options: { is_disabled: true } }),
  } satisfies Content;
}

export function captionIn(world: World, args: Args, tooLong = "message caption is too long"): Content {
  noParseMode(args);
  const entities = readEntities(args.json("caption_entities"), world.users);
  const { text, entities: kept } = normal(args.text("caption"), entities);
  if (lengthOf(text) > CAPTION_MAX) throw bad(tooLong);
  if (text === "") return {};
  return { caption: text, ...(kept.length > 0 && { caption_entities: [...kept] }) } satisfies Content;
}

/** This server reads entities only. */
function noParseMode(args: Args): void {
  if (args.has("parse_mode")) throw bad("unsupported parse_mode");
}

const spoilerIn = (args: Args): Pick<Content, "has_media_spoiler"> =>
  args.flag("has_spoiler") ? { has_media_spoiler: true } : {};

export const extraOf = (args: Args): Extra => ({
  ...(args.has("duration") && { duration: args.int("duration") }),
  ...(args.has("title") && { title: args.text("title") }),
  ...(args.has("performer") && { performer: args.text("performer") }),
  ...(args.has("emoji") && { emoji: args.text("emoji") }),
});

export function sendMethods(parts: Parts): Methods {
  const { world } = parts;
  const say = (call: Call, what: Sending, content: Content): WireMessage => {
    const place = placeOf(parts, call, what);
    checkRate(parts, place.chat, call.bot, "post");
    return postAs(parts, call.bot, place, content).wire;
  };
  const media =
    (kind: MediaKind, captioned = true) =>
    (call: Call): WireMessage => {
      const caption = captioned ? captionIn(world, call.args) : {};
      const place = placeOf(parts, call, kind);
      const file = parts.files.given(kind, call.args, kind);
      checkRate(parts, place.chat, call.bot, "post");
      const content = { ...mediaOf(parts.files, file, extraOf(call.args)), ...caption, ...spoilerIn(call.args) };
      return postAs(parts, call.bot, place, content).wire;
    };
  return {
    sendMessage: (call) => say(call, "text", textIn(world, call.args)),
    sendPhoto: media("photo"),
    sendDocument: media("document"),
    sendVideo: media("video"),
    sendAnimation: media("animation"),
    sendAudio: media("audio"),
    sendVoice: media("voice"),
    sendVideoNote: media("video_note", false),
    sendSticker: media("sticker", false),
    sendMediaGroup: (call) => album(parts, call),
    sendLocation: (call) => say(call, "other", { location: pointOf(call.args) }),
    sendVenue: (call) => {
      const [title, address] = [call.args.text("title"), call.args.text("address")];
      if (title === "") throw bad("title must be non-empty");
      if (address === "") throw bad("address must be non-empty");
      const location = pointOf(call.args);
      return say(call, "other", { location, venue: { location, title, address } });
    },
    sendContact: (call) => {
      const [phone, first] = [call.args.text("phone_number"), call.args.text("first_name")];
      if (phone === "") throw bad("phone number is empty");
      if (first === "") throw bad("first name must be non-empty");
      return say(call, "other", { contact: { phone_number: phone, first_name: first } });
    },
    sendPoll: (call) => say(call, "poll", { poll: pollOf(call.args) }),
    sendDice: (call) => {
      const emoji = call.args.text("emoji") || "🎲";
      return say(call, "other", { dice: { emoji, value: randomInt(1, 7) } });
    },
    sendChatAction: (call) => {
      const { chat } = placeOf(parts, call, "text");
      const action = call.args.text("action");
      if (!ACTIONS.has(action)) throw bad("wrong parameter action in request");
      if (chat.wire.type === "channel") throw bad("chat actions are not available in channels");
      const typists = parts.world.typists.get(chat.id) ?? new Map<number, number>();
      if (action === "typing") parts.world.typists.set(chat.id, typists.set(call.bot.user.id, Date.now()));
      return true;
    },
  };
}

function pointOf(args: Args): { latitude: number; longitude: number } {
  const [latitude, longitude] = [args.number("latitude"), args.number("longitude")];
  if (!args.has("latitude") || Math.abs(latitude) > 90) throw bad("latitude is invalid");
  if (!args.has("longitude") || Math.abs(longitude) > 180) throw bad("longitude is invalid");
  return { latitude, longitude };
}

function pollOf(args: Args): Poll {
  const question = args.text("question").trim();
  const options = (args.list("options") ?? []).map((one) => (isRecord(one) ? String(one["text"]) : String(one)));
  if (question === "") throw bad("poll question must be non-empty");
  if (options.length === 0) throw bad("poll must have at least 1 option");
  if (options.length > 12) throw bad("poll can't have more than 12 options");
  return makePoll(question, options);
}

export const makePoll = (question: string, options: readonly string[]): Poll => ({
  id: String(5_000_000_000_000_000 + randomInt(1_000_000_000)),
  question,
  options: options.map((text, index) => ({ persistent_id: String(index), text, voter_count: 0 })),
  total_voter_count: 0,
  is_closed: false,
  is_anonymous: true,
  type: "regular",
  allows_multiple_answers: false,
  allows_revoting: true,
  members_only: false,
});

const IN_ALBUMS = ["photo", "video", "document", "audio"] as const;

/** All of an album, or nothing of it. */
function album(parts: Parts, call: Call): WireMessage[] {
  const { bot, args } = call;
  const items = (args.list("media") ?? []).map((one) => {
    if (!isRecord(one)) throw bad("can't parse InputMedia: expected an Object");
    const kind = IN_ALBUMS.find((known) => known === one["type"]);
    if (kind === undefined) throw bad(`can't parse InputMedia: ${notInAlbums(String(one["type"]))}`);
    return { kind, args: args.within(one) };
  });
  if (items.length === 0) throw bad("there are no messages to send");
  if (items.length > ITEMS_MAX) throw bad("too many messages to send as an album");
  for (const alone of ["document", "audio"] as const) {
    const count = items.filter(({ kind }) => kind === alone).length;
    if (count > 0 && count < items.length) throw bad(`${alone} can't be mixed with other media types`);
  }
  const first = items[0]?.kind ?? "photo";
  const place: Place = placeOf(parts, call, first);
  const contents = items.map(({ kind, args }, index) => {
    const file = itemOf(parts, kind, args, index + 1);
    return { ...mediaOf(parts.files, file, extraOf(args)), ...captionIn(parts.world, args), ...spoilerIn(args) };
  });
  checkRate(parts, place.chat, bot, "post", items.length);
  const group = items.length > 1 ? { media_group_id: newGroup() } : {};
  return contents.map((content) => postAs(parts, bot, place, { ...content, ...group }).wire);
}

const notInAlbums = (type: string): string =>
  type === "animation" ? 'type "animation" can\'t be used in sendMediaGroup' : `type "${type}" is unsupported`;

/** What is only found out when the file is processed names the item. */
function itemOf(parts: Parts, kind: MediaKind, args: Args, place: number): FileRow {
  try {
    return parts.files.given(kind, args, "media");
  } catch (error) {
    const [, code] = /^Bad Request: ([A-Z_]+)$/.exec(error instanceof Refusal ? error.message : "") ?? [];
    if (code === undefined) throw error;
    throw bad(`failed to send message #${place} with the error message "${code}"`);
  }
}

export const newGroup = (): string => String(13_000_000_000_000_000 + randomInt(1_000_000_000));

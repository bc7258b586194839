import { isObject, type Json, objectIn } from "../kit/json.ts";
import { objectsIn } from "./model.ts";

/** Messages have up to 50 of them. */
const MEDIA_MAX = 50;
/** Messages nest no deeper than 16. */
const DEPTH_MAX = 32;

/** By the type of the block, the field that is a file of that kind in a message. */
const KINDS: ReadonlyMap<unknown, string> = new Map([
  ["photo", "photo"],
  ["video", "video"],
  ["animation", "animation"],
  ["audio", "audio"],
  ["document", "document"],
  ["voice_note", "voice"],
]);

/** What stands in the blocks of a message, with a poll or with its answers: each like a message of its own. */
export function innerMedia(raw: Json): readonly Json[] {
  const poll = objectIn(raw, "poll");
  const ofPoll = [poll, ...objectsIn(poll, "options")].map(({ media }) => media).filter(isObject);
  return [...mediaOf(objectIn(raw, "rich_message"), 0), ...ofPoll].slice(0, MEDIA_MAX);
}

function mediaOf(from: Json, depth: number): readonly Json[] {
  if (depth > DEPTH_MAX) return [];
  const media: Json[] = [];
  for (const item of objectsIn(from, "items")) media.push(...mediaOf(item, depth + 1));
  for (const block of objectsIn(from, "blocks")) media.push(...mediumOf(block), ...mediaOf(block, depth + 1));
  return media;
}

function mediumOf(block: Json): readonly Json[] {
  const type = block["type"];
  const kind = KINDS.get(type);
  if (kind === undefined || typeof type !== "string") return [];
  // Hidden as a message hides it.
  return [{ [kind]: block[type], ...(block["has_spoiler"] === true && { has_media_spoiler: true }) }];
}

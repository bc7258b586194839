import { protectDiscord } from "../../content/discord-protect.ts";
import { cut } from "../../content/length.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { embedText, embedWords } from "./embeds.ts";
import { componentFiles, componentWords } from "./components.ts";
import { discordAttachmentIn, type DiscordAttachment, type DiscordMessage } from "./model.ts";
import type { DiscordSite } from "./site.ts";

/** `MessageFlags`. */
const VOICE = 8_192;
const COMPONENTS_V2 = 32_768;

/** What no person writes: people have 4000 characters, but programs far more in what they attach. */
const WORDS_MAX = 65_536;

/** `StickerFormatType` of those that are pictures, with the ends of their names; one of Lottie is a program. */
const PICTURES: ReadonlyMap<number | null, string> = new Map([
  [1, "png"],
  [2, "png"],
  [4, "gif"],
]);

/** All files of a message: its own, those of what it forwards, and those that its components show. */
export function attachmentsOf(
  message: Pick<DiscordMessage, "attachments" | "snapshots" | "components">,
): readonly DiscordAttachment[] {
  const all = [...message.attachments, ...componentFiles(message.components)];
  for (const snapshot of message.snapshots) {
    all.push(...listIn(snapshot, "attachments").flatMap((file) => discordAttachmentIn(file) ?? []));
    all.push(...componentFiles(listIn(snapshot, "components")));
  }
  const ofId = new Map<string, DiscordAttachment>();
  for (const file of all) {
    const known = ofId.get(file.id) ?? file;
    // What shows a file may describe it, rather than the file itself.
    ofId.set(file.id, known.description === "" ? { ...known, description: file.description } : known);
  }
  return [...ofId.values()];
}

/** A sticker that is a picture. */
export interface StickerPicture {
  readonly name: string;
  readonly mime: string;
  readonly url: string;
}

export function stickerPictures(
  { stickers, snapshots }: Pick<DiscordMessage, "stickers" | "snapshots">,
  { media, cdn }: Pick<DiscordSite, "media" | "cdn">,
): readonly StickerPicture[] {
  const all = [...stickers, ...snapshots.flatMap((one) => objectsIn(one, "sticker_items"))];
  return all.flatMap((sticker) => {
    const id = textIn(sticker, "id") ?? "";
    const end = PICTURES.get(numberIn(sticker, "format_type"));
    if (end === undefined || !/^\d{1,20}$/.test(id)) return [];
    const at = end === "gif" ? media : cdn;
    const name = (textIn(sticker, "name") ?? "").replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim() || "sticker";
    return [{ name: `${name}.${end}`, mime: `image/${end}`, url: `${at}/stickers/${id}.${end}` }];
  });
}

/**
 * All that a message says, as Discord's text, mentions not yet named: what people wrote, and what else they see, in
 * words. Empty for files alone.
 */
export function wordsOf(message: DiscordMessage, showEmbeds: boolean): string {
  const { content, poll, stickers, components, snapshots, attachments, embeds, flags, activity } = message;
  const isMadeOfComponents = (flags & COMPONENTS_V2) !== 0;
  const parts = [
    content,
    poll === null ? "" : pollWords(poll),
    ...stickers.map(stickerWords),
    isMadeOfComponents ? componentWords(components) : "",
    activity === null ? "" : activityWords(activity, message.appName),
    ...snapshots.map((snapshot) => forwardWords(snapshot)),
    (flags & VOICE) === 0 ? "" : voiceWords(attachments),
  ];
  const said = joined(parts);
  const buttons = isMadeOfComponents ? "" : componentWords(components);
  if (showEmbeds) return bounded(joined([`${said}${embeds.map(embedText).join("")}`.trim(), buttons]));
  // What programs say in embeds alone, beside files or not; a preview only repeats what a link leads to.
  return bounded(joined([said === "" ? embeds.map(embedWords).filter(Boolean).join("\n\n") : said, buttons]));
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part.trim() !== "").join("\n");

/** `ACTIVITY_TYPES`: an invitation to do something together. `name`: of the game; empty: not told. */
function activityWords(activity: Json, name: string): string {
  const isSpotify = (textIn(activity, "party_id") ?? "").startsWith("spotify:");
  const what = protectDiscord(name === "" ? (isSpotify ? "Spotify" : "an activity") : name);
  const kind = ACTIVITIES.get(numberIn(activity, "type")) ?? "invitation to join";
  return `(${kind} ${what})`;
}

const ACTIVITIES: ReadonlyMap<number | null, string> = new Map([
  [2, "invitation to watch"],
  [3, "invitation to listen along on"],
  [5, "request to join"],
]);

function stickerWords(sticker: Json): string {
  const name = textIn(sticker, "name") ?? "";
  return name === "" ? "(sticker)" : `(sticker: ${protectDiscord(name)})`;
}

function pollWords(poll: Json): string {
  const question = textIn(objectIn(poll, "question"), "text") ?? "";
  const answers = objectsIn(poll, "answers").map((answer, at) => {
    const media = objectIn(answer, "poll_media");
    const emoji = emojiWords(objectIn(media, "emoji"));
    const text = [emoji, protectDiscord(textIn(media, "text") ?? "")].filter((part) => part !== "").join(" ");
    return `${at + 1}. ${text}`;
  });
  const several = poll["allow_multiselect"] === true ? " (several answers may be chosen)" : "";
  return [`Poll: ${protectDiscord(question)}${several}`, ...answers].join("\n");
}

function emojiWords(emoji: Json): string {
  const name = textIn(emoji, "name") ?? "";
  return textIn(emoji, "id") === null || name === "" ? name : `:${name}:`;
}

/** How a poll has ended, as the network tells it: fields of an embed with names of their own. */
export function pollResultWords(embeds: readonly Json[]): string {
  const fields = new Map(
    embeds
      .flatMap((embed) => objectsIn(embed, "fields"))
      .map((field) => [textIn(field, "name") ?? "", textIn(field, "value") ?? ""] as const),
  );
  const question = protectDiscord(fields.get("poll_question_text") ?? "");
  const answer = protectDiscord(fields.get("victor_answer_text") ?? fields.get("victor_answer_emoji_name") ?? "");
  const [votes = "0", total = "0"] = [fields.get("victor_answer_votes"), fields.get("total_votes")];
  const ended = `The poll “${question}” has ended`;
  if (total === "0") return `${ended} without votes`;
  return answer === ""
    ? `${ended} in a tie, with ${total} votes`
    : `${ended}: “${answer}” has ${votes} of ${total} votes`;
}

function voiceWords(attachments: readonly DiscordAttachment[]): string {
  const [seconds = null] = attachments.map((file) => file.seconds);
  if (seconds === null) return "(voice message)";
  const whole = Math.max(0, Math.round(seconds));
  return `(voice message, ${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")})`;
}

/** What was said elsewhere, as it was when it was forwarded; nobody says by whom. */
function forwardWords(snapshot: Json): string {
  const shown = componentWords(listIn(snapshot, "components"));
  const isMadeOfComponents = ((numberIn(snapshot, "flags") ?? 0) & COMPONENTS_V2) !== 0;
  const text = joined([
    textIn(snapshot, "content") ?? "",
    ...objectsIn(snapshot, "sticker_items").map(stickerWords),
    isMadeOfComponents ? shown : "",
    isObject(snapshot["poll"]) ? pollWords(snapshot["poll"]) : "",
  ]);
  const embeds = objectsIn(snapshot, "embeds").map(embedWords).filter(Boolean).join("\n\n");
  const words = joined([text === "" ? embeds : text, isMadeOfComponents ? "" : shown]);
  return words === "" ? "forwarded:" : `forwarded:\n${words.replaceAll(/^/gm, "> ")}`;
}

/** What the network itself says of somebody, to follow the name; null: nothing that people read. */
export function systemWords({ type, content, mentions }: DiscordMessage): string | null {
  const said = protectDiscord(content.replaceAll(/\s+/gu, " ").trim());
  const [first] = mentions.map(({ user }) => `<@${user.id}>`);
  switch (type) {
    case 1:
      return `added ${first ?? "somebody"} to the thread`;
    case 2:
      return `removed ${first ?? "somebody"} from the thread`;
    case 4:
      return said === "" ? "changed the name of the channel" : `changed the name of the channel to ${said}`;
    case 6:
      return "pinned a message";
    case 8:
      return "boosted the server";
    case 9:
    case 10:
    case 11:
      return `boosted the server, which has reached level ${type - 8}`;
    case 12:
      return `added ${said === "" ? "another channel" : said} to this channel: its announcements come here`;
    case 18:
      return said === "" ? "started a thread" : `started a thread: ${said}`;
    case 24:
      return "wrote what AutoMod has found to be against the rules";
    case 25:
      return "has a role subscription now";
    case 27:
      return `started the stage ${said}`.trim();
    case 28:
      return `ended the stage ${said}`.trim();
    case 29:
      return "is now a speaker";
    case 31:
      return said === "" ? "changed the stage's topic" : `changed the stage's topic to ${said}`;
    case 32:
      return "upgraded an app for this server";
    case 36:
      return "stopped invites or direct messages for a while";
    case 37:
      return "let invites and direct messages go on";
    case 38:
      return "reported a raid";
    case 39:
      return "reported that it was no raid";
    case 44:
      return "made a purchase in the server's shop";
    default:
      return said === "" ? null : said;
  }
}

const objectsIn = (from: Json, key: string): readonly Json[] => listIn(from, key).filter(isObject);

function bounded(text: string): string {
  const words = cut(text, WORDS_MAX, "codepoints");
  return words.length === text.length ? text : `${words}… (the rest is too long)`;
}

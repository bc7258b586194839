import { protectDiscord } from "../../content/discord-protect.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { discordAttachmentIn, type DiscordAttachment } from "./model.ts";

const DEPTH_MAX = 6;

/** `ComponentType`. */
const KIND = { button: 2, text: 10 } as const;

/** What components show: texts, buttons that are links, pictures from elsewhere. */
export function componentWords(components: readonly unknown[]): string {
  const lines: string[] = [];
  for (const one of flat(components, 0)) lines.push(...linesOf(one));
  return lines.join("\n");
}

/** The files of the message that its components show. */
export function componentFiles(components: readonly unknown[]): readonly DiscordAttachment[] {
  return flat(components, 0).flatMap((one) => fileOf(one) ?? []);
}

/** All components, in their order. */
function flat(components: readonly unknown[], depth: number): readonly Json[] {
  const all: Json[] = [];
  for (const one of depth > DEPTH_MAX ? [] : components) {
    if (!isObject(one)) continue;
    const inner = [...listIn(one, "components"), ...listIn(one, "items"), one["accessory"]];
    all.push(one, ...flat(inner, depth + 1));
  }
  return all;
}

function linesOf(one: Json): readonly string[] {
  const type = numberIn(one, "type");
  if (type === KIND.text) return [textIn(one, "content") ?? ""];
  if (type === KIND.button) return buttonWords(one);
  const media = objectIn(one, "media");
  const [url, alt] = [textIn(media, "url") ?? "", textIn(one, "description") ?? ""];
  if (textIn(media, "attachment_id") !== null || url === "") return [];
  return [alt === "" ? url : `${url} (${protectDiscord(alt.replaceAll(/\s+/gu, " ").trim())})`];
}

function buttonWords(button: Json): readonly string[] {
  const [label, url] = [textIn(button, "label") ?? "", textIn(button, "url") ?? ""];
  if (url === "") return [];
  return [label === "" ? url : `[${protectDiscord(label)}](${url})`];
}

function fileOf(one: Json): DiscordAttachment | null {
  const media = { ...objectIn(one, "media"), ...objectIn(one, "file") };
  const [id, url] = [textIn(media, "attachment_id") ?? "", textIn(media, "url") ?? ""];
  if (id === "") return null;
  return discordAttachmentIn({
    ...media,
    id,
    filename: textIn(one, "name") ?? nameIn(url),
    size: numberIn(one, "size"),
    description: textIn(one, "description"),
    spoiler: one["spoiler"] === true || media["spoiler"] === true,
  });
}

function nameIn(url: string): string {
  if (!URL.canParse(url)) return "file";
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "file";
  } catch {
    return last;
  }
}

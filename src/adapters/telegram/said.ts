import { type Json, numberIn } from "../kit/json.ts";
import type { TelegramSaid } from "./model.ts";

/** Words without any format. */
export const bare = (text: string): TelegramSaid => ({ text, entities: [] });

/** All of it in one format, such as `italic` or `blockquote`. */
export function inFormat(type: string, { text, entities }: TelegramSaid): TelegramSaid {
  return text === "" ? bare("") : { text, entities: [{ type, offset: 0, length: text.length }, ...entities] };
}

/** One after the other, without those that are empty. */
export function joinedSaid(parts: readonly TelegramSaid[]): TelegramSaid {
  const entities: Json[] = [];
  let text = "";
  for (const part of parts) {
    if (part.text === "") continue;
    if (text !== "") text += "\n";
    for (const entity of part.entities) {
      const offset = numberIn(entity, "offset");
      if (offset !== null) entities.push({ ...entity, offset: offset + text.length });
    }
    text += part.text;
  }
  return { text, entities };
}

import { isObject, type Json, listIn, objectIn, textIn } from "../kit/json.ts";

/** `ShowEmbeds`: one line, as the reference words it. */
export function embedText(embed: Json): string {
  const parts = [...["title", "description", "url"].map((key) => textIn(embed, key) ?? ""), ...fieldsOf(embed)];
  const words = parts.filter((part) => part !== "").join(" - ");
  return words === "" ? "" : ` embed: ${words}\n`;
}

/** What a program says in an embed, as text of Discord. */
export function embedWords(embed: Json): string {
  const [title, url] = [textIn(embed, "title") ?? "", textIn(embed, "url") ?? ""];
  const heading = title === "" ? url : url === "" ? `**${title}**` : `**[${title}](${url})**`;
  const [author, footer] = [objectIn(embed, "author"), objectIn(embed, "footer")];
  const image = textIn(objectIn(embed, "image"), "url") ?? "";
  const lines = [
    textIn(author, "name") ?? "",
    heading,
    textIn(embed, "description") ?? "",
    ...fieldsOf(embed),
    image,
    textIn(footer, "text") ?? "",
  ];
  return lines.filter((line) => line.trim() !== "").join("\n");
}

function fieldsOf(embed: Json): readonly string[] {
  return listIn(embed, "fields")
    .filter(isObject)
    .map((field) =>
      [textIn(field, "name") ?? "", textIn(field, "value") ?? ""].filter((part) => part !== "").join(": "),
    );
}

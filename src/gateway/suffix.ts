import type { Source } from "../contract/content.ts";

/** A text with a few plain words after it, written so that its format still reads the text as it was. */
export function withSuffix({ format, text }: Source, suffix: string): Source {
  if (suffix === "") return { format, text };
  if (format !== "html") {
    // Behind the line that closes a block of code there must be nothing else.
    const closes = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})[ \t]*$/.test(text);
    return { format, text: closes ? `${text}\n${suffix.trimStart()}` : text + suffix };
  }
  const escaped = suffix.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const end = /<\/p>\s*$/i.exec(text)?.index ?? text.length;
  return { format, text: text.slice(0, end) + escaped + text.slice(end) };
}

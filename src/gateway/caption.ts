import type { SharedFile } from "../contract/content.ts";
import type { FileItem, Message } from "../contract/message.ts";
import { hiddenWords } from "../content/hidden-file.ts";

/** The message without a caption that its text says already. */
export function withoutEcho(message: Message): Message {
  const { Extra, text } = message;
  const said = text.trim();
  const isEcho = ({ Comment }: FileItem): boolean => Comment !== "" && Comment.trim() === said;
  if (Extra === null || !Extra.file.some(isEcho)) return message;
  return { ...message, Extra: { file: Extra.file.map((item) => (isEcho(item) ? uncaptioned(item) : item)) } };
}

const uncaptioned = (item: FileItem): FileItem => ({ ...item, Comment: "" });

type Captioned = Pick<SharedFile, "name" | "comment" | "spoiler">;

/** What a message says: its text, and the captions of its open files that the text does not say already. */
export function saidWith(text: string, files: readonly Captioned[]): string {
  const captions = files.flatMap(({ comment, spoiler }) => {
    const caption = comment.trim();
    return spoiler !== undefined || caption === "" || caption === text.trim() ? [] : [caption];
  });
  return [text, ...captions].filter((line) => line !== "").join("\n");
}

/** What is said of files where a message says nothing else. */
export const namesOf = (files: readonly Captioned[]): string =>
  files.map((file) => `[${file.spoiler === undefined ? file.name : hiddenWords(file)}]`).join(" ");

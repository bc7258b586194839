import type { FileItem, Message } from "../contract/message.ts";

/** The message without a caption that its text says already. */
export function withoutEcho(message: Message): Message {
  const { Extra, text } = message;
  const said = text.trim();
  const isEcho = ({ Comment }: FileItem): boolean => Comment !== "" && Comment.trim() === said;
  if (Extra === null || !Extra.file.some(isEcho)) return message;
  return { ...message, Extra: { file: Extra.file.map((item) => (isEcho(item) ? uncaptioned(item) : item)) } };
}

const uncaptioned = (item: FileItem): FileItem => ({ ...item, Comment: "" });

import type { Extra, FileItem } from "../../contract/message.ts";
import type { PostedFile } from "./schema.ts";

/** A file of a post after checking. While the post waits it is held as bytes, which are less than their base64. */
export interface FileDraft extends Omit<FileItem, "Data"> {
  /** Null when only the address is known. */
  readonly content: Buffer | null;
}

/** The file, or what is wrong with it. The only place where base64 of a client is read. */
export function readFile(file: PostedFile): FileDraft | string {
  const given = (file.Data ?? "").replace(/[\r\n]+/g, "");
  const url = (file.URL ?? "").toWellFormed();
  // Clients that fill every key say nothing with an empty Data.
  if (url === "" && given === "" && (file.Data === undefined || file.URL !== undefined))
    return " has neither Data nor URL: send the content in Data as base64, or its address in URL";
  if (!isBase64(given)) return ".Data is not standard base64 with padding (RFC 4648 §4)";
  const content = given === "" && url !== "" ? null : Buffer.from(given, "base64");
  return {
    Name: (file.Name ?? "").toWellFormed(),
    Comment: (file.Comment ?? "").toWellFormed(),
    URL: url,
    Size: content === null ? (file.Size ?? 0) : content.length,
    Avatar: file.Avatar ?? false,
    SHA: (file.SHA ?? "").toWellFormed(),
    NativeID: (file.NativeID ?? "").toWellFormed(),
    content,
    ...spoilerOf(file),
  };
}

/** An empty reason is none; false: it is open. */
function spoilerOf({ Spoiler }: PostedFile): Pick<FileItem, "Spoiler"> {
  if (Spoiler === undefined || Spoiler === false) return {};
  return { Spoiler: Spoiler === true ? true : Spoiler.toWellFormed().trim() || true };
}

/** The last group may carry bits that mean nothing, as some encoders leave them. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && !STRANGE.test(text.slice(0, -4)) && LAST_GROUP.test(text.slice(-4));
}

const STRANGE = /[^A-Za-z\d+/]/;
const LAST_GROUP = /^(?:[A-Za-z\d+/]{2}(?:[A-Za-z\d+/]{2}|[A-Za-z\d+/]=|==))?$/;

/** As the message has them. */
export function extraOf(files: readonly FileDraft[]): Extra | null {
  if (files.length === 0) return null;
  return { file: files.map(({ content, ...item }) => ({ ...item, Data: content?.toString("base64") ?? "" })) };
}

import type { FileItem, Message } from "../contract/message.ts";
import type { WantedFile } from "../files/files.ts";
import { hiddenWords } from "../content/hidden-file.ts";
import { readableSize } from "../lib/readable-size.ts";
import { decodeStored, isBare, type Stored } from "./codec.ts";
import type { LinkFor } from "./with-links.ts";

/** What is known of a file at the moment a reader is given it. */
export interface FileContent {
  /** Base64; null where it cannot be had, or is too large for a message. */
  readonly data: string | null;
  readonly bytes: number | null;
  /** A public address of the file, where there is one. */
  readonly link: string | null;
  /** Why there is no data, for people. */
  readonly missing: string | null;
}

/**
 * The files whose content is to go into the message of an entry, one for each of its files; null: there are none, as
 * for most.
 */
export function contentsWanted(payload: string): readonly (WantedFile | null)[] | null {
  if (isBare(payload) || !payload.includes(WITH_FILES)) return null;
  const { message, files } = decodeStored(payload);
  const wanted = (message.Extra?.file ?? []).map((item, at) => {
    const id = files[at] ?? null;
    return id === null || item.Data !== "" || item.Spoiler !== undefined
      ? null
      : { id, name: item.Name, mime: null, bytes: sizeOf(item) };
  });
  return wanted.some((file) => file !== null) ? wanted : null;
}

/** Only in the part behind a message: within texts, quotes are escaped. */
const WITH_FILES = '"files":[';

/**
 * The message of a network as a reader without FullEvents gets it: with the content of its files, and with words for
 * those who read text alone: the address of a file, or what became of it. No file of it has neither content nor
 * address.
 */
export function withContents(
  { message, files }: Pick<Stored, "message" | "files">,
  contents: readonly (FileContent | null)[],
  linkFor: LinkFor,
): Message {
  const { Extra, text } = message;
  const isKept = files.some((id) => id !== null) || (Extra?.file.some(isElsewhere) ?? false);
  if (Extra === null || (message.protocol === "api" && !isKept)) return message;
  const given = Extra.file.map((written, at) => {
    const item = written.Spoiler === undefined ? written : { ...written, Data: "", Comment: "" };
    const content = contents[at] ?? null;
    const id = files[at] ?? null;
    const link = content === null ? id && linkFor(id, item.Name) : content.link;
    const [Data, URL] = [item.Data || (content?.data ?? ""), item.URL || (link ?? "")];
    // A text goes with what has none; a client of the API has said its own.
    const isSaid = message.protocol !== "api" || written.Data === "" || written.Spoiler !== undefined;
    const missing = content?.missing ?? (content?.bytes === 0 ? "it is empty" : null);
    return { item: { ...item, Data, URL, Size: content?.bytes ?? item.Size }, missing, isSaid };
  });
  const here = given.filter(({ item: { Data, URL } }) => Data !== "" || URL !== "");
  const lines = given.flatMap(({ item, missing, isSaid }) => {
    if (item.Data === "" && item.URL === "") return [missingLine(item, missing)];
    return (text === "" && isSaid) || item.Spoiler !== undefined ? [fileLine(item)] : [];
  });
  return {
    ...message,
    text: [text, ...lines].filter((line) => line !== "").join("\n"),
    Extra: here.length === 0 ? null : { file: here.map(({ item }) => item) },
  };
}

/** What came in by `/v1/files` is in the store alone; a hidden file is shown as a link. */
const isElsewhere = ({ Data, URL, Spoiler }: FileItem): boolean => (Data === "" && URL === "") || Spoiler !== undefined;

function fileLine({ Name, Comment, URL, Spoiler }: FileItem): string {
  if (Spoiler !== undefined) return `(${hiddenWords({ name: Name, spoiler: Spoiler })}) ${URL}`;
  if (URL === "") return Comment || Name;
  return Comment === "" ? URL : `${Comment}: ${URL}`;
}

function missingLine({ Name, Comment, Size, Spoiler }: FileItem, missing: string | null): string {
  if (Spoiler !== undefined)
    return `(${hiddenWords({ name: Name, spoiler: Spoiler })}) was shared, but cannot be shown here: ${missing ?? "it has no public address"}`;
  const size = Size > 0 ? ` (${readableSize(Size)})` : "";
  const why = missing ?? "its content is not available";
  return `${Comment === "" ? "" : `${Comment}: `}${Name || "a file"}${size} was shared, but cannot be shown here: ${why}`;
}

/** Bytes; null when nobody knows. */
export function sizeOf({ Size, Data }: FileItem): number | null {
  if (Size > 0) return Size;
  // What standard base64 (RFC 4648 §4) stands for.
  if (Data === "") return null;
  const padding = Data.endsWith("==") ? 2 : Data.endsWith("=") ? 1 : 0;
  return Math.floor((Data.length * 3) / 4) - padding;
}

import type { Access } from "../../../access/access.ts";
import type { Spoiler } from "../../../contract/content.ts";
import type { FileId } from "../../../contract/ids.ts";
import { fileId } from "../../../files/file-id.ts";
import type { Published } from "../../../files/files.ts";
import { decodeStored } from "../../../gateway/codec.ts";
import type { FilePlace } from "../../../gateway/event-files.ts";
import { sizeOf } from "../../../gateway/file-contents.ts";
import type { V1Deps } from "../deps.ts";
import { readableFilter } from "../reading.ts";

type MessageFileDeps = Pick<V1Deps, "account" | "feed" | "files" | "log" | "routes">;

/** `id`: by which another message can have it; null: it has none. */
interface PlacedFile {
  readonly id: FileId | null;
  readonly published: Published;
  /** The message that has it hides it. */
  readonly spoiler?: Spoiler | undefined;
}

const GONE: PlacedFile = { id: null, published: { is: "gone" } };

/** A file of a message, if the caller sees the message; fetched if need be. Rejects with a LogError. */
export async function fileOfMessage(
  { seq, at }: FilePlace,
  access: Access,
  deps: MessageFileDeps,
): Promise<PlacedFile> {
  const filter = readableFilter({ mine: true }, { access, pointer: "" }, deps);
  const { items } = await deps.feed.read({ after: seq - 1, filter, limit: 1, bytes: 1 });
  const entry = items[0]?.seq === seq ? await deps.log.archive.entry(seq) : null;
  if (entry === null) return GONE;
  const { message, files } = decodeStored(entry.payload);
  const item = message.Extra?.file[at];
  const id = files[at] ?? null;
  if (item === undefined) return GONE;
  if (item.Data === "") {
    const wanted = { name: item.Name, mime: null, bytes: sizeOf(item) };
    if (id === null) return GONE;
    return { id, published: await deps.files.fetched({ id, ...wanted }), spoiler: item.Spoiler };
  }
  const sha256 = await deps.files.keep(Buffer.from(item.Data, "base64"), item.Name);
  const published = typeof sha256 === "string" ? await deps.files.held(sha256, item.Name) : null;
  if (typeof sha256 !== "string" || published?.is !== "file") {
    return { id: null, published: { is: "missing", retry: true } };
  }
  return { id: fileId({ is: "stored", sha256 }), published, spoiler: item.Spoiler };
}

import type { Access } from "../../../access/access.ts";
import type { ApiFile } from "../../../contract/api-v1.ts";
import type { Spoiler } from "../../../contract/content.ts";
import type { FileId } from "../../../contract/ids.ts";
import type { Extra } from "../../../contract/message.ts";
import type { PublishedFile } from "../../../files/files.ts";
import { type FilePlace, placeOfFile } from "../../../gateway/event-files.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import { fileOfMessage } from "./message-files.ts";
import type { NewMessageBody } from "./shapes.ts";
import { knownFile, sha256Of, storedFile } from "./uploads.ts";

/** The files that a client names in a post or an edit. */

export type FileDeps = Pick<V1Deps, "account" | "clock" | "feed" | "files" | "log" | "routes">;

export interface FoundFile {
  readonly id: FileId;
  readonly shown: ApiFile;
}

type GivenFile = NonNullable<NewMessageBody["files"]>[number];

/** Rejects with a ProblemError for a file that the caller does not have, or with a LogError. */
export async function findFiles(
  given: readonly GivenFile[],
  access: Access,
  deps: FileDeps,
): Promise<readonly FoundFile[]> {
  return await Promise.all(given.map(async (file, index) => await fileOf(file, index, access, deps)));
}

async function fileOf(given: GivenFile, index: number, access: Access, deps: FileDeps): Promise<FoundFile> {
  const { id, spoiler: asked } = typeof given === "string" ? { id: given } : given;
  const place = placeOfFile(id);
  const found = place === null ? await uploaded(id, access, deps) : await placed(place, access, deps);
  if (typeof found === "string") {
    throw new ProblemError("unprocessable", `files: ${found}`, {
      errors: [{ pointer: `/files/${index}`, detail: found }],
    });
  }
  const { id: own, file, claimed } = found;
  // A file of a message that hides it stays hidden unless the caller says otherwise.
  const spoiler = asked ?? found.spoiler ?? false;
  const url = deps.files.linkFor(own, file.name);
  const until = url === null ? null : deps.files.linksUntil();
  const [mime = ""] = file.type.split(";");
  return {
    id: own,
    shown: {
      id,
      name: file.name,
      mime: claimed || mime,
      bytes: file.bytes,
      caption: "",
      url: url ?? "",
      expires: until === null ? null : new Date(until).toISOString(),
      ...(spoiler !== false && { spoiler: spoiler === true ? true : spoiler.toWellFormed().trim() || true }),
    },
  };
}

/** `claimed`: what its sender says that it is. */
interface HeldFile {
  readonly id: FileId;
  readonly file: PublishedFile;
  readonly claimed: string;
  readonly spoiler?: Spoiler | undefined;
}

/** Otherwise why there is none. */
async function uploaded(id: string, access: Access, deps: FileDeps): Promise<HeldFile | string> {
  const sha256 = sha256Of(id);
  const named = sha256 === null ? null : await knownFile(sha256, access, deps);
  const held = sha256 === null || named === null ? null : await deps.files.held(sha256, named.name);
  if (held?.is === "missing") {
    const detail = "a file of it cannot be had from the servers that keep it";
    throw new ProblemError("unavailable", detail, { headers: { "Retry-After": "5" } });
  }
  if (sha256 === null || named === null || held?.is !== "file") {
    return "there is no such file for this caller; upload it with POST /v1/files";
  }
  return { id: storedFile(sha256), file: held.file, claimed: named.mime };
}

/** One of an event; only with its content here it is certain to come through. Otherwise why there is none. */
async function placed(place: FilePlace, access: Access, deps: FileDeps): Promise<HeldFile | string> {
  const { id, published, spoiler } = await fileOfMessage(place, access, deps);
  if (id !== null && published.is === "file") return { id, file: published.file, claimed: "", spoiler };
  if (published.is === "missing") return "the file cannot be had from its network now; upload it with POST /v1/files";
  return "there is no such file for this caller, or it is not kept any more; upload it with POST /v1/files";
}

const NO_HASH = { Data: "", Comment: "", URL: "", Avatar: false, SHA: "", NativeID: "" } as const;

export function extraOf(files: readonly FoundFile[]): Extra | null {
  if (files.length === 0) return null;
  return {
    file: files.map(({ shown: { name, bytes, spoiler } }) => {
      return { ...NO_HASH, Name: name, Size: bytes, ...(spoiler !== undefined && { Spoiler: spoiler }) };
    }),
  };
}

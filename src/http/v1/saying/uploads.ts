import { type Access, maySee } from "../../../access/access.ts";
import type { FileId } from "../../../contract/ids.ts";
import { fileId, readFileId } from "../../../files/file-id.ts";
import type { KnownUploads } from "../../../files/files.ts";
import { isObject, parseAs } from "../../../lib/shapes.ts";
import type { Log, Mark, Subject } from "../../../log/log.ts";
import type { V1Deps } from "../deps.ts";

/** Who may know a file of the store: marks that say who brought it, and where it was shown. */

const UPLOADED = "v1/f/";
const SHOWN = "v1/s/";
/** Of a file that came with the account's own Token, or with none. */
const ACCOUNT = "-";

/** What its sender said of a file. */
export interface Named {
  readonly name: string;
  readonly mime: string;
}

interface Upload extends Named {
  /** Unix ms. */
  readonly at: number;
}

const isUpload = (value: unknown): value is Upload =>
  isObject(value) && typeof value["name"] === "string" && typeof value["mime"] === "string";

/** As clients have it: `s256_` and the SHA-256 in base64url. */
export const shownFileId = (sha256: string): string => `s256_${Buffer.from(sha256, "hex").toString("base64url")}`;

/** The SHA-256 in hex; null: it is no such id, or not the one way to write it. */
export function sha256Of(id: string): string | null {
  if (!/^s256_[\w-]{43}$/u.test(id)) return null;
  const sha256 = Buffer.from(id.slice("s256_".length), "base64url").toString("hex");
  return shownFileId(sha256) === id ? sha256 : null;
}

/** The end of the name of an upload's mark. */
export const ownerOf = ({ account, token }: Access): string => `${encodeURIComponent(account)}/${token ?? ACCOUNT}`;

/** Of all accounts. Rejects with a LogError. */
export async function uploadsOf(log: Pick<Log, "marks">): Promise<KnownUploads> {
  const owners = new Map<string, Set<string>>();
  for (const name of (await log.marks(UPLOADED)).keys()) {
    const [, sha256 = "", owner = ""] = /^([^/]*)\/(.*)$/u.exec(name.slice(UPLOADED.length)) ?? [];
    owners.set(sha256, (owners.get(sha256) ?? new Set()).add(owner));
  }
  const shown = [...(await log.marks(SHOWN)).keys()].map((name) => name.slice(SHOWN.length).split("/")[0] ?? "");
  return { owners, shown: new Set(shown) };
}

const uploadStem = (sha256: string, { account }: Access): string =>
  `${UPLOADED}${sha256}/${encodeURIComponent(account)}/`;

/** Durable when it resolves. Rejects with a LogError. */
export async function noteUpload(sha256: string, named: Named, access: Access, deps: UploadDeps): Promise<void> {
  const value: Upload = { ...named, at: deps.clock.nowMs() };
  const name = `${UPLOADED}${sha256}/${ownerOf(access)}`;
  await deps.log.mark([{ name, value: JSON.stringify(value) }]);
}

type UploadDeps = Pick<V1Deps, "log" | "clock">;

/** For the batch of a message: that readers of this subject may have its files. */
export function shownMarks(
  files: readonly (FileId | null)[],
  names: readonly string[],
  subject: Subject,
  atMs: number,
): readonly Mark[] {
  return files.flatMap((id, index) => {
    const origin = id === null ? null : readFileId(id);
    if (origin?.is !== "stored") return [];
    const value: Upload = { name: names[index] ?? "", mime: "", at: atMs };
    return [{ name: `${SHOWN}${origin.sha256}/${subject}`, value: JSON.stringify(value) }];
  });
}

/**
 * How a file is called that the caller may know: one that was brought with this token (with any of the account's, for
 * who sees all of its gateways), or one of a message that it sees. Null: it is none of these. Rejects with a LogError.
 */
export async function knownFile(
  sha256: string,
  access: Access,
  { log, routes }: Pick<V1Deps, "log" | "routes">,
): Promise<Named | null> {
  const stem = uploadStem(sha256, access);
  const uploads = await log.marks(stem);
  const own = uploads.get(stem + (access.token ?? ACCOUNT));
  const brought = own ?? (access.gateways === null ? [...uploads.values()][0] : undefined);
  if (brought !== undefined) return parseAs(brought, isUpload);
  const shown = await log.marks(`${SHOWN}${sha256}/`);
  const seen = routes.seen(access.account);
  for (const [name, value] of shown) {
    const gateways = seen.get(name.slice(SHOWN.length + sha256.length + 1))?.gateways ?? [];
    if (gateways.some((gateway) => maySee(access, gateway.name))) return parseAs(value, isUpload);
  }
  return null;
}

/**
 * Forgets what was brought or shown before this moment (Unix ms): the store has let go of it. Rejects with a LogError.
 */
export async function forgetUploads(beforeMs: number, log: Pick<Log, "marks" | "unmark">): Promise<void> {
  for (const stem of [UPLOADED, SHOWN]) {
    const marks = await log.marks(stem);
    const old = [...marks].filter(([, value]) => parseAs(value, isUpload).at < beforeMs);
    if (old.length > 0) await log.unmark(old.map(([name]) => name));
  }
}

export const storedFile = (sha256: string): FileId => fileId({ is: "stored", sha256 });

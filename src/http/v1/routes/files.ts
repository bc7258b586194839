import { pipeline } from "node:stream/promises";
import type { Published, PublishedFile, TakenFile } from "../../../files/files.ts";
import { placeOfFile } from "../../../gateway/event-files.ts";
import { isObject } from "../../../lib/shapes.ts";
import { etagOf, headersOf, knows } from "../../media/headers.ts";
import { readRange } from "../../media/range.ts";
import { V1_HEADERS } from "../answers.ts";
import type { V1Deps } from "../deps.ts";
import { inTime } from "../in-time.ts";
import { ProblemError } from "../problems.ts";
import type { Call, Reply, Route } from "../route.ts";
import { fileOfMessage } from "../saying/message-files.ts";
import { Shares } from "../share.ts";
import { forgetUploads, knownFile, noteUpload, ownerOf, sha256Of, shownFileId } from "../saying/uploads.ts";

/** Of all accounts together: each holds a file open. */
const UPLOADS_MAX = 32;
const NAME_MAX = 1024;
const DAY_MS = 24 * 3_600_000;
/** How often what the store has let go of is forgotten here, too. */
const FORGET_MS = 3_600_000;

interface Counts {
  readonly uploads: Shares;
  /** When it was forgotten last, of a clock that is never set back. */
  forgotMs: number;
}

const counts = new WeakMap<V1Deps["files"], Counts>();

async function upload(call: Call, deps: V1Deps): Promise<Reply> {
  const { access, query } = call;
  const name = query.get("name")?.toWellFormed() || "file";
  if (name.length > NAME_MAX) throw new ProblemError("bad_request", `name: ${NAME_MAX} characters at most`);
  const own = counts.get(deps.files) ?? { uploads: new Shares(UPLOADS_MAX), forgotMs: -Infinity };
  counts.set(deps.files, own);
  const { uploads } = deps.quotas;
  if (!own.uploads.take(access, uploads)) {
    const detail = `${UPLOADS_MAX} files are coming in already, or ${uploads} from this token, as many as UploadsPerToken allows`;
    throw new ProblemError("unavailable", detail, { headers: { "Retry-After": "5" } });
  }
  try {
    const taken = await received(call, name, deps);
    const { sha256, bytes, mime } = taken;
    await forgetOld(own, deps);
    await noteUpload(sha256, { name, mime }, access, deps);
    const id = shownFileId(sha256);
    return { status: 201, body: { id, name, bytes, mime }, headers: { Location: `/v1/files/${id}` } };
  } finally {
    own.uploads.give(access);
  }
}

/** Throws a ProblemError for what is not kept. What came in until a client went away is not kept, either. */
async function received(
  { request, access }: Pick<Call, "request" | "access">,
  name: string,
  { files, config, clock }: Pick<V1Deps, "files" | "config" | "clock">,
): Promise<Extract<TakenFile, { ok: true }>> {
  const mime = request.headers["content-type"] ?? null;
  const { downloadSize } = config().general.media;
  const bytes = Math.min(Number(request.headers["content-length"] ?? downloadSize), downloadSize);
  let taken: TakenFile;
  try {
    // Not destroyed where it is given up: the answer has to get through.
    const parts = inTime(request.iterator({ destroyOnReturn: false }), bytes, clock);
    taken = await files.take(parts, { name, mime, owner: ownerOf(access) });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (!request.destroyed && !isGone(error)) throw error;
    throw new ProblemError("bad_request", "the body broke off");
  }
  if (taken.ok) return taken;
  const { code, message } = taken.why;
  const detail = `the file is not kept: ${message}`;
  if (code === "too_large") throw new ProblemError("too_large", detail);
  if (taken.retry) throw new ProblemError("unavailable", detail, { headers: { "Retry-After": "30" } });
  throw new ProblemError("unprocessable", detail);
}

const isGone = (error: unknown): boolean =>
  isObject(error) && (error["code"] === "ECONNRESET" || error["code"] === "ERR_STREAM_PREMATURE_CLOSE");

async function forgetOld(own: Counts, { clock, config, log }: V1Deps): Promise<void> {
  const now = clock.monoMs();
  if (now - own.forgotMs < FORGET_MS) return;
  own.forgotMs = now;
  const keptMs = Math.max(config().general.retentionDays, 1) * DAY_MS;
  await forgetUploads(clock.nowMs() - keptMs, log);
}

async function download(call: Call, deps: V1Deps): Promise<Reply> {
  const found = await wantedFile(call, deps);
  if (found.is === "file") return await send(call, found.file, deps.clock.nowMs());
  if (found.is === "missing" && found.retry) {
    throw new ProblemError("unavailable", "the file cannot be fetched now", { headers: { "Retry-After": "30" } });
  }
  throw new ProblemError("not_found", "there is no such file for this caller, or it is not kept any more");
}

async function wantedFile({ params, access }: Call, deps: V1Deps): Promise<Published> {
  const id = params["id"] ?? "";
  const place = placeOfFile(id);
  if (place !== null) return (await fileOfMessage(place, access, deps)).published;
  const sha256 = sha256Of(id);
  const named = sha256 === null ? null : await knownFile(sha256, access, deps);
  return sha256 === null || named === null ? { is: "gone" } : await deps.files.held(sha256, named.name);
}

/** As the media endpoint answers, but that nothing between us and the caller may keep it. */
async function send({ request, response }: Call, file: PublishedFile, nowMs: number): Promise<Reply> {
  const { headers } = request;
  const own = { ...headersOf(file, nowMs), "Cross-Origin-Resource-Policy": "same-origin", ...V1_HEADERS };
  const etag = etagOf(file);
  if (knows(headers["if-none-match"], etag)) {
    response.writeHead(304, { ...V1_HEADERS, ETag: etag }).end();
    return "taken";
  }
  const isHead = request.method === "HEAD";
  const isSame = headers["if-range"] === undefined || headers["if-range"] === etag;
  const range = !isHead && isSame ? readRange(headers.range, file.bytes) : null;
  if (range === "none") {
    const at = { "Content-Range": `bytes */${file.bytes}` };
    throw new ProblemError("range_not_satisfiable", `the file has ${file.bytes} bytes`, { headers: at });
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  const part = range === null ? {} : { "Content-Range": `bytes ${first}-${last}/${file.bytes}` };
  response.writeHead(range === null ? 200 : 206, { ...own, ...part, "Content-Length": last - first + 1 });
  if (isHead) response.end();
  else await pipeline(file.read(first, last), response).catch(() => response.destroy());
  return "taken";
}

const text = { type: "string" } as const;

export const filesRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/files",
    needs: "write",
    id: "uploadFile",
    summary: "Takes a file in, for messages to come.",
    about:
      "The body is the file itself, up to MediaDownloadSize. Its id is its SHA-256: the same content has the same id. A file is kept as long as messages are (RetentionDays).",
    query: { name: { ...text, description: "What the file is called; `file` if absent." } },
    headers: { "Content-Type": "What the file is, where neither its content nor its name says it." },
    body: "stream",
    answers: {
      201: {
        about: "It is kept.",
        schema: {
          type: "object",
          properties: { id: text, name: text, bytes: { type: "integer" }, mime: text },
          required: ["id", "name", "bytes", "mime"],
        },
      },
    },
    handle: upload,
  },
  {
    method: "GET",
    path: "/v1/files/{id}",
    needs: "read",
    id: "downloadFile",
    summary: "The content of a file.",
    about:
      "Of those that were uploaded with the same token (with the account's, for who sees all of its gateways), and of those of messages that the caller sees, by their `id` in events: what a network has is fetched first, which can take up to 50 s. To know an id is not enough: the SHA-256 of a file may be known to who has no business with it.",
    headers: { Range: "One range of bytes.", "If-Range": "ETag.", "If-None-Match": "ETags." },
    answers: {
      200: { about: "The file, with its own media type.", type: "application/octet-stream" },
      206: { about: "The part that Range asks for.", type: "application/octet-stream" },
      304: { about: "It is what If-None-Match names." },
    },
    handle: download,
  },
];

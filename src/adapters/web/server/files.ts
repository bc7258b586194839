import { pipeline } from "node:stream/promises";
import { cut } from "../../../content/length.ts";
import { MUTED, refusal, whyNot } from "../chat.ts";
import { UNUSED_MAX, Uploads } from "../uploads.ts";
import type { GuestCall, GuestRoute, CallReply } from "./calls.ts";
import { EMPTY, reply } from "./calls.ts";
import { inPace } from "./pace.ts";

const NAME_MAX = 200;
/** What browsers show. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp)$/u;

export const fileRoutes: readonly GuestRoute[] = [
  { method: "POST", path: /^\/v1\/files$/u, counts: true, handle: async (call) => await upload(call) },
  { method: "GET", path: /^\/v1\/files\/([\w-]+)$/u, handle: async (call) => await download(call) },
  { method: "DELETE", path: /^\/v1\/files\/([\w-]+)$/u, handle: async (call) => await discard(call) },
];

async function upload({ chat, guest, incoming, owner, request, query, signal }: GuestCall): Promise<CallReply> {
  const { MaxFileSize, MaxFiles } = chat.settings;
  const tooLarge = refusal("too_large", `a file has at most ${MaxFileSize} bytes here`);
  if (guest.muted) return MUTED;
  if (MaxFileSize === 0) return refusal("forbidden", "this room takes no files");
  const bytesMax = Number(request.headers["content-length"] ?? MaxFileSize);
  if (bytesMax > MaxFileSize) return tooLarge;
  if (chat.records.unused(guest.id).length >= UNUSED_MAX)
    return refusal("too_many", "you have uploaded many files without sending them", { retryS: 600 });
  const giveBack = MaxFiles < MaxFileSize ? null : incoming.upload(owner, guest.id);
  if (giveBack === null) return refusal("unavailable", "try again soon", { retryS: 5 });
  const id = Uploads.newId();
  try {
    const kept = await chat.uploads.keep(id, inPace(request, bytesMax, chat.host.clock), signal);
    if (!kept.ok)
      return kept.why === "too_large" ? tooLarge : refusal("bad_request", "the file broke off, or came too slowly");
    const { bytes, mime } = kept;
    const name = fileName(query.get("name") ?? "");
    const file = { id, room: guest.room, guest: guest.id, message: "", name, mime, bytes, atMs: chat.nowMs };
    await chat.uploads.add(file, signal);
    return reply({ file: { id, name, mime, bytes, caption: "", missing: "" } }, 201);
  } catch (error) {
    return whyNot(error);
  } finally {
    giveBack();
  }
}

/** An upload of one's own that no message has. What is not there is as good as deleted. */
async function discard({ chat, guest, params: [id = ""] }: GuestCall): Promise<CallReply> {
  const file = chat.records.file(id);
  if (file?.guest !== guest.id) return EMPTY;
  if (file.message !== "") return refusal("forbidden", "the file belongs to a message: delete the message");
  try {
    await chat.uploads.discard(file);
    return EMPTY;
  } catch (error) {
    return whyNot(error);
  }
}

/** Without folders, and without what nobody sees. */
function fileName(text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "");
  const name = shortened(plain.replace(/^.*[/\\]/u, "").trim());
  return /^\.*$/u.test(name) ? "file" : name;
}

/** The ending of a name stays: programs tell by it what a file is. */
function shortened(name: string): string {
  const ending = /\.[\p{L}\p{N}]{1,12}$/u.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - ending.length);
  return cut(stem, NAME_MAX - Buffer.byteLength(ending), "bytes") + ending;
}

async function download({ chat, guest, response, params: [id = ""] }: GuestCall): Promise<CallReply> {
  const file = chat.records.file(id);
  const gone = refusal("not_found", "the file is not kept any more");
  if (file?.room !== guest.room || (file.message === "" && file.guest !== guest.id)) return gone;
  // What waits for approval is seen by whom it is from.
  const state = file.message === "" ? "said" : chat.timeline.find(file.message)?.state;
  if (state !== "said" && file.guest !== guest.id) return gone;
  if (!(await chat.uploads.has(id))) return gone;
  const type = SHOWN.test(file.mime) ? file.mime : "application/octet-stream";
  const name = encodeURIComponent(file.name).replaceAll(/['()*]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
  response.writeHead(200, {
    "Content-Type": type,
    "Content-Length": file.bytes,
    "Content-Disposition": `attachment; filename*=UTF-8''${name}`,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
  });
  await pipeline(chat.uploads.read(id), response).catch(() => response.destroy());
  return "taken";
}

import type { SharedFile } from "../../contract/content.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import { AGAIN_MS } from "../kit/outcomes.ts";
import { openOutgoing } from "../kit/outgoing-files.ts";
import { outcomeOf, UPLOADING } from "./failure.ts";
import type { MattermostLink } from "./link.ts";
import type { RenderedFile } from "./render.ts";

type UploadedFiles =
  | { readonly ok: true; readonly files: readonly RenderedFile[]; readonly losses: readonly Loss[] }
  /** Nothing was posted, and trying again may help. */
  | { readonly ok: false; readonly outcome: Outcome };

/** Brings the files of a post to the server, as streams. One that it does not take is said in words. */
export async function uploadAll(
  shared: readonly SharedFile[],
  link: MattermostLink,
  channel: ChannelRef,
  signal: AbortSignal,
): Promise<UploadedFiles> {
  const files: RenderedFile[] = [];
  const losses: Loss[] = [];
  for (const file of shared) {
    const done = await upload(file, link, channel, signal);
    if ("is" in done) return { ok: false, outcome: done };
    if (done.id === null && file.id !== null)
      losses.push({ what: "file", note: `${file.name}: ${done.file.missing ?? "it could not be copied"}` });
    files.push(done);
  }
  return { ok: true, files, losses };
}

async function upload(
  file: SharedFile,
  link: MattermostLink,
  channel: ChannelRef,
  signal: AbortSignal,
): Promise<RenderedFile | Outcome> {
  const { api, host, limits } = link;
  const without = (missing: string): RenderedFile => ({ file: { ...file, missing }, id: null });
  if (file.id === null) return { file, id: null };
  if (!limits.files) return without("the server allows no files (System Console > File Sharing)");
  const { fileMax } = limits;
  const isTooLarge = (bytes: number): boolean => fileMax !== null && bytes > fileMax;
  if (isTooLarge(file.bytes ?? 0)) return without(tooLarge(fileMax ?? 0));
  const content = await openOutgoing(file, host, signal);
  if (typeof content === "string") return without(content);
  if (isTooLarge(content.bytes)) {
    await content.stream.cancel().catch(() => undefined);
    return without(tooLarge(fileMax ?? 0));
  }
  const sent = await api.uploadFile(channel, content.name, content, signal);
  if (sent.ok) return sent.value === null ? without("the server took it without a word") : { file, id: sent.value.id };
  const outcome = await outcomeOf(sent.failure, { link, channel, doing: UPLOADING, signal });
  if (outcome.is === "rejected") return without(outcome.why.message);
  // A file that may be there twice is in no post.
  if (outcome.is !== "unknown") return outcome;
  return { is: "deferred", why: outcome.why, retryInMs: AGAIN_MS, scope: "session" };
}

const tooLarge = (max: number): string => `the server accepts files up to ${Math.floor(max / 1024)} KiB`;

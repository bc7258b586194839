import type { SharedFile } from "../../contract/content.ts";
import type { Clock } from "../../contract/host.ts";
import type { FileItem } from "../../contract/message.ts";
import type { Files, ReadyFile, WantedFile } from "../../files/files.ts";
import type { Stored } from "../../gateway/codec.ts";
import type { Here, Needs } from "../../gateway/planned.ts";
import { pause, within } from "../deadline.ts";

/**
 * How long the files of a message are waited for, and the picture of its author, in ms: so long it holds up what comes
 * after it.
 */
const FILES_MS = 10_000;
/** Between two asks for a file that may come, in ms; each wait is twice the one before. */
const RETRY_MS = { least: 500, most: 4_000 };

/** Where the files are, and by which clock they are waited for. */
export interface OpFileStore {
  readonly files: Files;
  readonly clock: Clock;
  /** When the lane was opened, by `Clock.monoMs`. */
  readonly openedMs: number;
}

interface Wait {
  readonly store: OpFileStore;
  /** From when on it is waited for what may come, by `Clock.monoMs`. */
  readonly sinceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Has the files of a message made ready. One that does not come is replaced by the reason: it never holds up its
 * message for good. `saidMs`: when the message was accepted, Unix ms. Never rejects.
 */
export async function fetchFiles(
  store: OpFileStore,
  stored: Stored,
  saidMs: number,
  needs: Needs,
  signal: AbortSignal,
): Promise<Pick<Here, "files" | "avatar">> {
  const items = stored.message.Extra?.file ?? [];
  // A backlog of files whose network is away is not waited for one by one.
  const { clock, openedMs } = store;
  const agoMs = Math.max(0, clock.nowMs() - saidMs);
  const wait: Wait = { store, sinceMs: Math.max(clock.monoMs() - agoMs, openedMs), signal };
  const [avatar, ...files] = await Promise.all([
    fetchAvatar(stored.message.avatar, needs.avatar, wait),
    ...needs.files.map(async (wanted, at) => await fetchFile(items[at], wanted, wait)),
  ]);
  return { files, avatar };
}

async function fetchFile(item: FileItem | undefined, wanted: WantedFile | null, wait: Wait): Promise<SharedFile> {
  const facts = {
    name: wanted?.name ?? item?.Name ?? "",
    comment: item?.Comment ?? "",
    mime: wanted?.mime ?? null,
    bytes: wanted?.bytes ?? (item !== undefined && item.Size > 0 ? item.Size : null),
    url: item === undefined || item.URL === "" ? null : item.URL,
  };
  if (wanted === null) return { ...facts, id: null, missing: "its content is not available" };
  const ready = await readied(wanted, wait);
  if (!ready.ok) return { ...facts, id: null, missing: ready.why.message };
  const { bytes, mime, link, name = facts.name } = ready;
  return { ...facts, name, bytes, mime, url: link ?? facts.url, id: wanted.id, missing: null };
}

async function fetchAvatar(url: string, wanted: WantedFile | null, wait: Wait): Promise<SharedFile | null> {
  if (wanted === null) return null;
  const facts = { name: wanted.name, comment: "", url: url === "" ? null : url };
  const ready = await readied(wanted, wait);
  if (ready.ok) {
    const { bytes, mime, link } = ready;
    return { ...facts, bytes, mime, url: link ?? facts.url, id: wanted.id, missing: null };
  }
  if (facts.url === null) return null;
  return { ...facts, bytes: null, mime: wanted.mime, id: null, missing: ready.why.message };
}

/** Asks again while it may come. */
async function readied(wanted: WantedFile, { store, sinceMs, signal }: Wait): Promise<ReadyFile> {
  const { files, clock } = store;
  const ms = FILES_MS;
  let last: ReadyFile = late(ms);
  const ended = await within({ clock, ms, signal }, async (limit) => {
    for (let waitMs = RETRY_MS.least; ; waitMs = Math.min(waitMs * 2, RETRY_MS.most)) {
      last = await files.ready(wanted, limit);
      if (last.ok || !last.retry || last.holds === true || limit.aborted || clock.monoMs() - sinceMs >= ms) return last;
      await pause({ clock, ms: waitMs, signal: limit });
    }
  });
  return ended.late ? last : ended.value;
}

function late(ms: number): ReadyFile & { readonly ok: false } {
  return { ok: false, why: { code: "timeout", message: `it did not arrive within ${ms / 1_000} s` }, retry: true };
}

/** A media store by itself: fetches a file through a source and reads it again, and watches its own memory. */
import { mkdtempSync } from "node:fs";
import { mint } from "../../src/contract/ids.ts";
import { join } from "node:path";
import { systemClock } from "../../src/delivery/clock.ts";
import { fileId } from "../../src/files/file-id.ts";
import { openFiles } from "../../src/files/open-files.ts";
import { answerCommands } from "./child.ts";

export interface FilesCommand {
  readonly folder: string;
  /** Of the file. */
  readonly bytes: number;
}

export interface FilesAnswer {
  /** MiB above what the process weighed before. */
  readonly more: number;
  /** Of the way in (fetch, hash, disk) and of the way out. */
  readonly inMs: number;
  readonly outMs: number;
  readonly read: number;
}

const CHUNK = 64 * 1024;
const WATCH_MS = 5;
const never = new AbortController().signal;
const ignore = (): void => undefined;

answerCommands(async (command): Promise<FilesAnswer> => {
  const { folder, bytes } = command as FilesCommand;
  const files = await openFiles({
    dataPath: mkdtempSync(join(folder, "store-")),
    retentionDays: 7,
    media: { downloadSize: 2 ** 40, storeBytes: 2 ** 40, allowPrivate: false, endpoint: null, folder: null },
    blacklisted: () => false,
    sources: { open: (_account, ref) => Promise.resolve(contentOf(Number(ref.split("/")[1]))) },
    clock: systemClock,
    log: { trace: ignore, debug: ignore, info: ignore, warn: ignore },
  });
  const cross = async (size: number) => {
    const id = fileId({ is: "remote", account: "bench", ref: mint("FileRef", `file/${size}`) });
    const begin = performance.now();
    const ready = await files.ready({ id, name: "film.bin", mime: null, bytes: null }, never);
    if (!ready.ok) throw new Error(ready.why.message);
    const had = performance.now();
    const opened = await files.open(id, never);
    if (!opened.ok) throw new Error(opened.why.message);
    let read = 0;
    for await (const chunk of opened.stream) read += chunk.length;
    return { inMs: had - begin, outMs: performance.now() - had, read };
  };
  // What is loaded and compiled with the first file is no cost of the second.
  await cross(CHUNK * 8);
  const idle = process.memoryUsage.rss();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), WATCH_MS);
  const crossed = await cross(bytes);
  clearInterval(watch);
  await files.close();
  return { ...crossed, more: (most - idle) / 1024 / 1024 };
});

function contentOf(bytes: number) {
  let left = bytes;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left <= 0) return controller.close();
      // As a socket gives it: a new buffer each time.
      controller.enqueue(Buffer.alloc(Math.min(CHUNK, left), left % 251));
      left -= CHUNK;
    },
  });
  return { ok: true as const, bytes, mime: null, stream };
}

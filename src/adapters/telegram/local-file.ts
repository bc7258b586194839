import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { OpenedFile } from "../../contract/session.ts";

/** Where a server keeps a file that it does not hand out, as `/var/lib/telegram-bot-api/…` or `C:\…`. */
export const isOnDisk = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/])/u.test(path);

/** A file of a server on this machine. Its path holds the token: nothing that comes of it shows it. */
export async function openOnDisk(path: string): Promise<OpenedFile> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return MISSING;
    const stream = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
    return { ok: true, bytes: found.size, mime: null, stream };
  } catch {
    return MISSING;
  }
}

const MISSING: OpenedFile = {
  ok: false,
  why: { code: "not_found", message: "the Bot API server keeps the file where Rialto may not read it" },
};

/** A server elsewhere that was started with `--local`. */
export const ELSEWHERE: OpenedFile = {
  ok: false,
  why: {
    code: "unsupported",
    message:
      "the Bot API server keeps its files on its own disk: start it without --local, or run Rialto on the same machine",
  },
};

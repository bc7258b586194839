import type { FileContent } from "../../gateway/file-contents.ts";
import type { LinkFor } from "../../gateway/with-links.ts";
import type { Files, WantedFile } from "../../files/files.ts";
import { readableSize } from "../../lib/readable-size.ts";

/** Most bytes of files that one message holds; what is larger has an address, or words. */
const BYTES_MAX = 8 * 1024 * 1024;
/** Lines with files that are kept, so that many readers cost one read: characters in all, beside the newest one. */
const KEPT_CHARS = 32 * 1024 * 1024;

const TOO_LARGE = `messages hold up to ${readableSize(BYTES_MAX)}; set MediaBindAddress or MediaDownloadPath, and it gets an address`;

export type FilesForLines = Pick<Files, "ready" | "open">;

/** The files of one message on their way; `read` is to be called once, when it is the message's turn. */
export interface Coming {
  read(): Promise<readonly (FileContent | null)[]>;
}

/**
 * The content of files for lines that hold it, read from the store when a line is made, and the newest of these lines.
 */
export class FileLines {
  readonly #files: FilesForLines | null;
  readonly #linkFor: LinkFor;
  readonly #kept = new Map<string, string>();
  #chars = 0;

  /** `files` null: there are none to be had. */
  constructor(files: FilesForLines | null, linkFor: LinkFor) {
    this.#files = files;
    this.#linkFor = linkFor;
  }

  get(key: string): string | undefined {
    return this.#kept.get(key);
  }

  keep(key: string, line: string): void {
    this.clear(key);
    this.#kept.set(key, line);
    this.#chars += line.length;
    for (const [oldest] of this.#kept) {
      if (this.#chars <= KEPT_CHARS || oldest === key) return;
      this.clear(oldest);
    }
  }

  clear(key?: string): void {
    for (const each of key === undefined ? [...this.#kept.keys()] : [key]) {
      this.#chars -= this.#kept.get(each)?.length ?? 0;
      this.#kept.delete(each);
    }
  }

  /** Has the files fetched, all at the same time; how long that may take is for the store to say. Never rejects. */
  begin(wanted: readonly (WantedFile | null)[]): Coming {
    const files = this.#files;
    if (files === null) return { read: () => Promise.resolve([]) };
    const { signal } = new AbortController();
    const coming = wanted.map((file) => {
      if (file === null) return null;
      const isLarge = file.bytes !== null && file.bytes > BYTES_MAX && this.#linkFor(file.id, file.name) !== null;
      return { file, ready: isLarge ? null : files.ready(file, signal) };
    });
    return {
      read: async () => {
        let left = BYTES_MAX;
        const contents: (FileContent | null)[] = [];
        for (const each of coming) {
          if (each === null) {
            contents.push(null);
            continue;
          }
          const content = await this.#content(files, each.file, await each.ready, left);
          if (content.data !== null) left -= content.bytes ?? 0;
          contents.push(content);
        }
        return contents;
      },
    };
  }

  /** `ready` null: it was not asked for. */
  async #content(
    files: FilesForLines,
    file: WantedFile,
    ready: Awaited<ReturnType<Files["ready"]>> | null,
    left: number,
  ): Promise<FileContent> {
    const later = (): string | null => this.#linkFor(file.id, file.name);
    const without = { data: null, bytes: file.bytes };
    if (ready === null) return { ...without, link: later(), missing: null };
    if (!ready.ok) {
      // What is refused for good is refused to who follows a link as well.
      const link = ready.retry ? later() : null;
      const remedy = ready.why.code === "too_large" ? "; a larger MediaDownloadSize would let it through" : "";
      return { ...without, link, missing: `${ready.why.message}${remedy}` };
    }
    const { bytes } = ready;
    const link = ready.link ?? later();
    if (bytes > left) return { data: null, bytes, link, missing: TOO_LARGE };
    const content = await contentOf(files, file);
    return { data: content, bytes, link, missing: content === null ? "it was removed from the store" : null };
  }
}

/** Null: it has gone since, or is longer than it was. */
async function contentOf(files: FilesForLines, { id }: WantedFile): Promise<string | null> {
  const opened = await files.open(id, new AbortController().signal);
  if (!opened.ok) return null;
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of opened.stream) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("base64");
  } catch {
    return null;
  }
}

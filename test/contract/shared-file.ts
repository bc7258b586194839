import type { SharedFile } from "../../src/contract/content.ts";
import type { FileId } from "../../src/contract/ids.ts";
import type { OpenedFile } from "../../src/contract/session.ts";

/** A file for an op: with content that the host opens under `id`, or without any (`id` null). */
export function aSharedFile(fields: Partial<SharedFile> & Pick<SharedFile, "name">): SharedFile {
  const id = fields.id ?? null;
  const missing = id === null ? "it is too large" : null;
  return { comment: "", mime: null, bytes: null, url: null, id, missing, ...fields };
}

export function fileIdOf(name: string): FileId {
  return `file:${name}` as FileId;
}

/** In pieces, as a network gives it. */
export function openedOf(content: Uint8Array, mime: string | null = null): OpenedFile & { readonly ok: true } {
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= content.length) controller.close();
      else controller.enqueue(content.subarray(at, (at += PIECE)));
    },
  });
  return { ok: true, bytes: content.length, mime, stream };
}

const PIECE = 1_000;

/** Bytes of all values, which no text has. */
export function someBytes(count: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, at) => (at * 7 + (at >> 8)) & 0xff);
}

export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

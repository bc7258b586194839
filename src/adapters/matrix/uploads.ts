import type { SharedFile } from "../../contract/content.ts";
import type { Host } from "../../contract/host.ts";
import type { FileId } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { outcomeOf } from "../kit/outcomes.ts";
import { inTime } from "../kit/in-time.ts";
import type { Client } from "./client.ts";
import { type Dimensions, dimensionsOf } from "./dimensions.ts";
import type { MatrixFailure } from "./failure.ts";
import type { Media } from "./render.ts";

/** So many uploaded files are remembered: the same file goes up once, whatever number of rooms it goes to. */
const KEPT_MAX = 500;
/** How long rooms and files wait to know how large a file may be. */
const MAX_MS = 5_000;

export type MatrixUpload =
  | { readonly ok: true; readonly media: Media }
  /** `failure`: trying again may help. */
  | { readonly ok: false; readonly why: Reason; readonly failure: MatrixFailure | null };

/** Files of ops, brought to the homeserver as streams. */
export class MatrixUploads {
  readonly #client: Client;
  readonly #host: Host;
  readonly #done = new Lru<FileId, Media>(KEPT_MAX);
  #max: number | null = null;
  /** The question was answered, or has taken too long. */
  #asked: Promise<void> | null = null;

  constructor(client: Client, host: Host) {
    this.#client = client;
    this.#host = host;
  }

  /** The most bytes of one file; null while the homeserver does not say. It is not waited for long. */
  async max(): Promise<number | null> {
    this.#asked ??= inTime(this.#ask(), { clock: this.#host.clock, ms: MAX_MS }, () => undefined);
    await this.#asked;
    return this.#max;
  }

  /** Once, unless the homeserver does not say. */
  async #ask(): Promise<void> {
    this.#max = await this.#client.uploadMax();
    if (this.#max === null) this.#asked = null;
  }

  async take(file: SharedFile, signal: AbortSignal): Promise<MatrixUpload> {
    if (file.id === null) return refusal("not_found", file.missing ?? "its content could not be fetched");
    const known = this.#done.get(file.id);
    if (known !== undefined) return { ok: true, media: known };
    const max = await this.max();
    if (max !== null && (file.bytes ?? 0) > max) return tooLarge(max);
    const opened = await this.#host.openFile(file.id, signal);
    if (!opened.ok) return refusal(opened.why.code, opened.why.message);
    const bytes = opened.bytes ?? file.bytes;
    if (bytes === null || (max !== null && bytes > max)) {
      await opened.stream.cancel().catch(() => undefined);
      return bytes === null ? refusal("unsupported", "its size is unknown") : tooLarge(max ?? 0);
    }
    const mime = file.mime ?? opened.mime ?? "application/octet-stream";
    const watched = watch(opened.stream, mime);
    const uploaded = await this.#client.upload(file.name, { stream: watched.stream, bytes, mime }, signal);
    if (!uploaded.ok) {
      const { failure } = uploaded;
      const isRefused = outcomeOf(failure).is === "rejected";
      return { ok: false, why: failure.why, failure: isRefused ? null : failure };
    }
    const media: Media = { mxc: uploaded.value, mime, bytes, size: watched.size() };
    this.#done.set(file.id, media);
    return { ok: true, media };
  }
}

function tooLarge(max: number): MatrixUpload {
  return refusal("too_large", `the homeserver accepts files up to ${Math.floor(max / 1024)} KiB`);
}

function refusal(code: Reason["code"], message: string): MatrixUpload {
  return { ok: false, why: { code, message }, failure: null };
}

/** Looks at the beginning of a picture as it passes. */
function watch(stream: ReadableStream<Uint8Array>, mime: string) {
  let size: Dimensions | null = null;
  if (!mime.startsWith("image/")) return { stream, size: () => size };
  let isFirst = true;
  const look = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (isFirst) size = dimensionsOf(chunk);
      isFirst = false;
      controller.enqueue(chunk);
    },
  });
  return { stream: stream.pipeThrough(look), size: () => size };
}

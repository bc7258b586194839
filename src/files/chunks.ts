import { onAbort } from "../lib/abort.ts";
import type { Watch } from "./single-flight.ts";

/**
 * The chunks of a stream; an abort ends them, and leaves the stream to its source even when nobody has begun to read.
 */
export function chunksOf(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  const leave = (): void => void reader.cancel().catch(() => undefined);
  onAbort(signal, leave);
  return readAll(reader, signal, leave);
}

async function* readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  leave: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // An abort looks like an end.
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    leave();
  }
}

/** The same chunks; the work is told of each. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  watch: Pick<Watch, "moved">,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    watch.moved();
    yield chunk;
  }
}

/** The chunks as a stream that reads one only when it is asked for one. */
export function streamOf(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let detach = (): void => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        detach = onAbort(signal, () => {
          controller.error(signal.reason);
          void chunks.return().catch(() => undefined);
        });
      },
      async pull(controller) {
        const next = await chunks.next().catch((error: unknown) => {
          detach();
          throw error;
        });
        if (signal.aborted) return;
        if (!next.done) return controller.enqueue(next.value);
        detach();
        controller.close();
      },
      async cancel() {
        detach();
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Rejects as soon as the signal is aborted, whether or not the work heeds it. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const release = onAbort(signal, () => reject(signal.reason));
  try {
    return await Promise.race([work, promise]);
  } finally {
    release();
  }
}

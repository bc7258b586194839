import { randomUUID } from "node:crypto";
import type { Upload } from "./http.ts";

/** A field of a form: a text, or a file of which it is known how long it is. */
export type FormField =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly fileName: string; readonly file: Upload };

type Source = Uint8Array | Upload;

/** A form as `multipart/form-data` (RFC 7578), of which no file is held in memory. */
export function multipart(fields: readonly FormField[]): Upload {
  const boundary = `rialto-${randomUUID()}`;
  const sources: Source[] = [];
  let bytes = 0;
  const text = (said: string): void => {
    const part = Buffer.from(said);
    bytes += part.length;
    sources.push(part);
  };
  for (const field of fields) {
    text(`--${boundary}\r\nContent-Disposition: form-data; name="${escaped(field.name)}"`);
    if ("value" in field) text(`\r\n\r\n${field.value}\r\n`);
    else {
      const { bytes: length, mime } = field.file;
      text(`; filename="${escaped(field.fileName)}"\r\nContent-Type: ${oneLine(mime)}\r\n\r\n`);
      sources.push(field.file);
      bytes += length;
      text("\r\n");
    }
  }
  text(`--${boundary}--\r\n`);
  return { stream: oneAfterAnother(sources), bytes, mime: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write names (HTML, "Multipart form data"). */
function escaped(name: string): string {
  return name.replaceAll(/["\r\n]/gu, (character) => encodeURIComponent(character));
}

function oneLine(mime: string): string {
  return mime.replaceAll(/\p{Cc}/gu, " ");
}

/**
 * Ends with an error where a file is longer or shorter than was said. Whoever gave us a stream is told when we do not
 * want it any more.
 */
function oneAfterAnother(sources: readonly Source[]): ReadableStream<Uint8Array> {
  const rest = [...sources];
  let file: { readonly reader: ReadableStreamDefaultReader<Uint8Array>; left: number } | null = null;
  const dismiss = async (why: unknown): Promise<void> => {
    const streams = rest.splice(0).flatMap((source) => (source instanceof Uint8Array ? [] : [source.stream]));
    await Promise.allSettled([file?.reader.cancel(why), ...streams.map((stream) => stream.cancel(why))]);
  };
  const next = async (): Promise<Uint8Array | null> => {
    for (;;) {
      if (file !== null) {
        const { value: part } = await file.reader.read();
        file.left -= part?.length ?? 0;
        if (file.left < 0 || (part === undefined && file.left > 0))
          throw new Error("a file is not as long as was said");
        if (part !== undefined) return part;
        file = null;
      }
      const source = rest.shift();
      if (source === undefined) return null;
      if (source instanceof Uint8Array) return source;
      file = { reader: source.stream.getReader(), left: source.bytes };
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const part = await next();
          if (part === null) controller.close();
          else controller.enqueue(part);
        } catch (error) {
          await dismiss(error);
          throw error;
        }
      },
      cancel: dismiss,
    },
    { highWaterMark: 0 },
  );
}

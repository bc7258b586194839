/** Characters of one event; what is longer is none of Rialto's. */
const EVENT_MAX = 16 * 1024 * 1024;

export interface ServerSent {
  /** Empty: it has none. */
  readonly id: string;
  readonly data: string;
}

/** The events of a stream (HTML Standard §9.2.6). `heard`: called for all that comes, comments as well. */
export async function* serverSent(
  body: ReadableStream<Uint8Array> | null,
  heard: () => void,
): AsyncGenerator<ServerSent, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event: { id: string; data: string | null } = { id: "", data: null };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length + (event.data?.length ?? 0) > EVENT_MAX) throw new Error("an event is too long");
      for (const line of lines) {
        const { field, text } = partsOf(line);
        if (field === "" && text === "") {
          if (event.data !== null) yield { id: event.id, data: event.data };
          event = { id: "", data: null };
        } else if (field === "data") event.data = event.data === null ? text : `${event.data}\n${text}`;
        else if (field === "id") event.id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function partsOf(line: string): { readonly field: string; readonly text: string } {
  const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
  const colon = whole.indexOf(":");
  if (colon === -1) return { field: whole, text: "" };
  // A comment has an empty name, and is not an empty line.
  if (colon === 0) return { field: ":", text: "" };
  return { field: whole.slice(0, colon), text: whole.slice(colon + 1).replace(/^ /u, "") };
}

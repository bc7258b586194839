import type { Cursor, EventKey } from "../../../src/contract/ids.ts";
import type { Mistake } from "../broken.ts";
import { events } from "./inbound.ts";

const rich = { ops: "native" } as const;

/** In files and in what was said while nobody was there. */
export const keeping: readonly Mistake[] = [
  {
    name: "loses captions",
    foundBy: "files go out with their captions, whole",
    says: /how often "of the lagoon" is seen/,
    traits: rich,
    parts: {
      post: (post) => async (op, attempt) => {
        const files = op.body.files.map((file) => ({ ...file, comment: "" }));
        return await post({ ...op, body: { ...op.body, files } }, attempt);
      },
    },
  },
  {
    name: "reads only the beginning of a file",
    foundBy: "files go out with their captions, whole",
    says: /the content of/,
    traits: rich,
    parts: {
      host: (host) => ({
        openFile: async (id, signal) => {
          const opened = await host.openFile(id, signal);
          if (!opened.ok) return opened;
          const reader = opened.stream.getReader();
          const { value } = await reader.read();
          const stream = new ReadableStream<Uint8Array>({
            start: (controller) => {
              if (value !== undefined) controller.enqueue(value);
              controller.close();
            },
          });
          return { ...opened, stream };
        },
      }),
    },
  },
  {
    name: "says nothing of a file that is gone",
    foundBy: "a file whose content is gone is a loss, and takes nothing with it",
    says: /named in the receipt/,
    traits: rich,
    parts: {
      post: (post) => async (op, attempt) => {
        const outcome = await post(op, attempt);
        return outcome.is === "delivered" ? { ...outcome, receipt: { ...outcome.receipt, losses: [] } } : outcome;
      },
    },
  },
  {
    name: "opens files of its own session alone",
    foundBy: "files of people come in with their captions, and open whole in a later session",
    says: /the file does not open/,
    traits: rich,
    parts: {
      session: () => ({
        openFile: () => Promise.resolve({ ok: false, why: { code: "not_found", message: "never seen" } }),
      }),
    },
  },
  {
    name: "throws when a file does not open",
    foundBy: "a file that cannot be opened is a value",
    says: /oops/,
    traits: rich,
    parts: { session: () => ({ openFile: () => Promise.reject(new Error("oops")) }) },
  },
  {
    name: "forgets the cursor",
    foundBy: "what was said between two sessions comes, once and in order, before what is said next",
    says: /6 missed lines; 1 came/,
    traits: rich,
    parts: { since: () => null },
  },
  {
    name: "gives an event another key each time",
    foundBy: "an event that comes again has the same key",
    says: /the second time/,
    traits: rich,
    parts: (() => {
      let count = 0;
      return events((event) => [{ ...event, key: `k${(count += 1)}` as EventKey }]);
    })(),
  },
  {
    name: "begins with what was said long ago",
    foundBy: "without a cursor, nothing comes that was said before we entered",
    says: /lines that were missed/,
    traits: rich,
    parts: { since: (since) => since ?? ('[["one",0]]' as Cursor) },
  },
];

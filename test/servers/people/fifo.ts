import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { eventually } from "../../support/wait.ts";

/** The most bytes that a pipe takes in one piece (POSIX `PIPE_BUF` on Linux). */
const ATOMIC = 4_096;

/**
 * Writes lines into a FIFO that another program reads. It stays open, because a reader that comes to an end opens it
 * anew and may lose what is written meanwhile; and lines are never cut, because a reader that does not wait takes half
 * a line for a whole one.
 */
export interface Fifo {
  readonly write: (lines: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openFifo(path: string): Promise<Fifo> {
  await eventually(
    () =>
      stat(path).then(
        (found) => found.isFIFO(),
        () => false,
      ),
    Boolean,
    () => `the FIFO ${path}`,
  );
  const file = await open(path, constants.O_WRONLY);
  return {
    write: async (lines) => {
      for (const piece of pieces(lines)) await file.writeFile(piece);
    },
    close: async () => await file.close(),
  };
}

function pieces(lines: readonly string[]): Buffer[] {
  const found: Buffer[] = [];
  for (const line of lines) {
    const bytes = Buffer.from(`${line}\n`);
    const last = found.at(-1);
    if (last !== undefined && last.length + bytes.length <= ATOMIC)
      found[found.length - 1] = Buffer.concat([last, bytes]);
    else found.push(bytes);
  }
  return found;
}

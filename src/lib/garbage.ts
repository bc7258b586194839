import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** So much may lie about dead. A young collection takes a fraction of a millisecond. */
const EVERY_BYTES = 4 * 1024 * 1024;

let passedBytes = 0;
let collect: ((options: { readonly type: "minor" }) => void) | null = null;

/**
 * To be called for each piece of a file, or of a body, that has passed. Pieces lie outside the heap, which they do not
 * fill, so that by itself the collector comes only when 64 MB of them are dead.
 */
export function passed(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < EVERY_BYTES) return;
  passedBytes = 0;
  collect ??= collector();
  collect({ type: "minor" });
}

/** The function is only there in contexts that are made while the flag is set. */
function collector(): Collector {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (!isCollector(found)) throw new Error("Node gives no collector of garbage");
  return found;
}

type Collector = (options: { readonly type: "minor" }) => void;

const isCollector = (value: unknown): value is Collector => typeof value === "function";

import { createRequire } from "node:module";

/**
 * What draws stickers. Rialto neither brings nor needs it: it is 20 MB of native code, and reads what strangers send.
 * Who wants it installs it beside Rialto. No import names it, so no build makes it a part of dist/.
 */
const PACKAGE = "sharp";
/** The same for stickers that move: 8 MB of WebAssembly, which reach nothing outside their memory. */
const CANVAS_KIT = "canvaskit-wasm/bin/full/canvaskit.js";

const near = createRequire(import.meta.url);

/** The file that the package begins with; null: it is not installed. */
export function sharpFile(name = PACKAGE): string | null {
  try {
    return near.resolve(name);
  } catch {
    return null;
  }
}

/** The same of the package for stickers that move. */
export const canvasKitFile = (): string | null => sharpFile(CANVAS_KIT);

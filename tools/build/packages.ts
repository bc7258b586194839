import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as Manifest;

/** What is installed beside Rialto, and not part of dist/: it brings native code, which cannot be bundled. */
export const INSTALLED: readonly string[] = Object.keys(manifest.dependencies);

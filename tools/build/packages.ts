import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as Manifest;

/** What is installed beside Rialto, and not part of dist/: it brings native code, which cannot be bundled. */
export const INSTALLED: readonly string[] = Object.keys(manifest.dependencies);

/**
 * What stands for a package: that for Node loads another HTTP client, of 33 MB, which nothing would use. Its own name
 * is not among its exports.
 */
export const ALIASES: Readonly<Record<string, string>> = {
  "@discordjs/rest": join(import.meta.dirname, "../../node_modules/@discordjs/rest/dist/web.mjs"),
};

/** What a package only looks for where it is told to compress, which Rialto does not tell it. */
export const LEFT_OUT: readonly string[] = ["zlib-sync"];

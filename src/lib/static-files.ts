import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fixedBody, type FixedBody, sendFixed } from "./fixed-body.ts";

/** Of all pages: nothing from elsewhere, no script or style in a text, nobody frames it, and no text becomes markup. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Names of files there are made of their contents. */
const ASSETS = "assets/";
const FOREVER = "public, max-age=31536000, immutable";

/**
 * The files of a folder and of its `assets/`, as they are when somebody first asks, kept in memory from then on. Only
 * what is there can be named.
 */
export class StaticFiles {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | null = null;
  readonly #files = new Map<string, Promise<FixedBody>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Answers a GET or HEAD with the file of this name, such as `index.html` or `assets/a-1.js`; otherwise resolves with
   * false, and nothing is answered. Rejects when the disk does not work.
   */
  async answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const names = await (this.#names ??= this.#kept(namesIn(this.#folder), () => (this.#names = null)));
    if (!names.has(name)) return false;
    let reading = this.#files.get(name);
    if (reading === undefined) {
      reading = this.#kept(read(this.#folder, name), () => this.#files.delete(name));
      this.#files.set(name, reading);
    }
    const more = name.startsWith(ASSETS) ? { ...PAGE_HEADERS, "Cache-Control": FOREVER } : PAGE_HEADERS;
    await sendFixed(await reading, more, request, response);
    return true;
  }

  /** What failed is tried again. */
  #kept<T>(work: Promise<T>, forget: () => void): Promise<T> {
    work.catch(forget);
    return work;
  }
}

/** The pages that the build made; null: it made none, or they were taken away. */
export function builtPages(): StaticFiles | null {
  // Beside the built program, of which this file is a part; from the sources, where the build puts them.
  const place = import.meta.url.endsWith(".ts") ? "../../dist/web" : "./web";
  const folder = fileURLToPath(new URL(place, import.meta.url));
  return existsSync(join(folder, "index.html")) ? new StaticFiles(folder) : null;
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const found = await readdir(folder, { withFileTypes: true });
  const assets = await readdir(join(folder, ASSETS), { withFileTypes: true });
  const named = [found, assets].map((list) => list.filter((entry) => entry.isFile()).map(({ name }) => name));
  return new Set([...(named[0] ?? []), ...(named[1] ?? []).map((name) => ASSETS + name)]);
}

async function read(folder: string, name: string): Promise<FixedBody> {
  return fixedBody(await readFile(join(folder, name)), TYPES[extname(name)] ?? "application/octet-stream");
}

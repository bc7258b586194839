import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

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

const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

interface StaticFile {
  readonly body: Buffer;
  readonly type: string;
  readonly digest: string;
  /** Made when a browser asks first. */
  readonly packed: Map<Encoding, Promise<Buffer>>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Below that, packing gains nothing. */
const PACK_MIN = 512;
/** Names of files there are made of their contents. */
const ASSETS = "assets/";
const FOREVER = "public, max-age=31536000, immutable";
/** Asked again each time, which the ETag makes cheap. */
const ASK = "no-cache";

/**
 * The files of a folder and of its `assets/`, as they are when somebody first asks, kept in memory from then on. Only
 * what is there can be named.
 */
export class StaticFiles {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | null = null;
  readonly #files = new Map<string, Promise<StaticFile>>();

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
    const file = await reading;
    const encoding = encodingFor(request.headers["accept-encoding"], file);
    const etag = `"${file.digest}${encoding === null ? "" : `-${encoding}`}"`;
    const headers = {
      ...PAGE_HEADERS,
      "Cache-Control": name.startsWith(ASSETS) ? FOREVER : ASK,
      ETag: etag,
      Vary: "Accept-Encoding",
    };
    if (isKnown(request.headers["if-none-match"], etag)) {
      response.writeHead(304, headers).end();
      return true;
    }
    const body = encoding === null ? file.body : await pack(file, encoding);
    response.writeHead(200, {
      ...headers,
      "Content-Type": file.type,
      "Content-Length": body.length,
      ...(encoding !== null && { "Content-Encoding": encoding }),
    });
    response.end(request.method === "HEAD" ? undefined : body);
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

async function read(folder: string, name: string): Promise<StaticFile> {
  const body = await readFile(join(folder, name));
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, type: TYPES[extname(name)] ?? "application/octet-stream", digest, packed: new Map() };
}

function encodingFor(accepted: string | undefined, { body, type }: StaticFile): Encoding | null {
  if (accepted === undefined || body.length < PACK_MIN || type === "application/octet-stream") return null;
  const wanted = accepted.split(",").map((part) => part.trim().toLowerCase());
  return ENCODINGS.find((encoding) => wanted.some((each) => isWanted(each, encoding))) ?? null;
}

function isWanted(part: string, encoding: Encoding): boolean {
  const [name = "", ...rest] = part.split(";").map((each) => each.trim());
  return name === encoding && !rest.some((each) => /^q=0(?:\.0*)?$/u.test(each));
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(",").some((each) => each.trim().replace(/^W\//u, "") === etag) === true;

function pack({ body, packed }: StaticFile, encoding: Encoding): Promise<Buffer> {
  const known = packed.get(encoding);
  if (known !== undefined) return known;
  // Level 9 of 11: the last two cost a second for what is a few hundred bytes.
  const made =
    encoding === "gzip"
      ? promisify(gzip)(body, { level: 9 })
      : promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  packed.set(encoding, made);
  return made;
}

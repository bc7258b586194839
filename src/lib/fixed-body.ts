import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A body that is the same for every client, as bytes. */
export interface FixedBody {
  readonly body: Buffer;
  readonly type: string;
  readonly digest: string;
  /** Made when a browser asks first. */
  readonly packed: Map<Encoding, Promise<Buffer>>;
}

/** Below that, packing gains nothing. */
const PACK_MIN = 512;
/** Asked again each time, which the ETag makes cheap. */
const ASK = "no-cache";

export function fixedBody(body: Buffer, type: string): FixedBody {
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, type, digest, packed: new Map() };
}

/** Answers a GET or HEAD; `more`: headers beside its own, of which `Cache-Control` replaces its own. */
export async function sendFixed(
  fixed: FixedBody,
  more: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const encoding = encodingFor(request.headers["accept-encoding"], fixed);
  const etag = `"${fixed.digest}${encoding === null ? "" : `-${encoding}`}"`;
  const headers = { "Cache-Control": ASK, ...more, ETag: etag, Vary: "Accept-Encoding" };
  if (isKnown(request.headers["if-none-match"], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = encoding === null ? fixed.body : await pack(fixed, encoding);
  response.writeHead(200, {
    ...headers,
    "Content-Type": fixed.type,
    "Content-Length": body.length,
    ...(encoding !== null && { "Content-Encoding": encoding }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function encodingFor(accepted: string | undefined, { body, type }: FixedBody): Encoding | null {
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

function pack({ body, packed }: FixedBody, encoding: Encoding): Promise<Buffer> {
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

import dns from "node:dns/promises";
import { Readable } from "node:stream";
import type { Reason } from "../../contract/outcome.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { isPublic, isPublicHost } from "../../lib/public-address.ts";
import type { Http } from "./http.ts";

const ANSWER_MS = 60_000;
const REDIRECTS_MAX = 3;

interface Wanted {
  readonly url: URL;
  /** For this server alone: how we log in. */
  readonly headers: Readonly<Record<string, string>>;
  /** Who is asked, for people: "the server". */
  readonly who: string;
  readonly signal: AbortSignal;
  /** Whether a redirect leads to where people log in: then we may not have the file. */
  readonly isLogin?: (to: URL) => boolean;
}

/**
 * A file as a stream. A server may send us to where it keeps its files: on to another we go without our login, by https
 * alone, and never to a private address.
 */
export async function download(http: Http, { url, headers: own, who, signal, isLogin }: Wanted): Promise<OpenedFile> {
  let place = url;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const answer = await http.stream({
      method: "GET",
      url: place,
      headers: place.origin === url.origin ? own : {},
      body: null,
      timeoutMs: ANSWER_MS,
      again: false,
      signal,
    });
    if (answer.is === "failed") return refusal(answer.why === "timeout" ? "timeout" : "network", answer.message);
    const { response } = answer;
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) {
      return {
        ok: true,
        bytes: sizeOf(headers["content-length"]),
        mime: mimeOf(headers["content-type"]),
        stream: web(response),
      };
    }
    response.destroy();
    const { location } = headers;
    if (statusCode < 300 || statusCode >= 400 || location === undefined) return noFile(statusCode, who);
    const next = URL.canParse(location, place.href) ? new URL(location, place) : null;
    if (next !== null && isLogin?.(next) === true) return refusal("forbidden", `${who} wants a login for the file`);
    if (next === null || !(next.origin === url.origin || (await leadsOut(next, http.isProxied)))) {
      return refusal("forbidden", `${who} redirects to an address that Rialto does not fetch from`);
    }
    place = next;
  }
  return refusal("remote_error", `${who} redirects too often`);
}

function web(response: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(response) as ReadableStream<Uint8Array>;
}

function noFile(status: number, who: string): OpenedFile {
  if (status === 404) return refusal("not_found", `${who} has no such file`);
  if (status === 429) return refusal("rate_limited", `${who} does not let Rialto fetch more files for now`);
  return refusal(
    status === 403 || status === 401 ? "forbidden" : "remote_error",
    `${who} answers HTTP ${status} for the file`,
  );
}

function refusal(code: Reason["code"], message: string): OpenedFile {
  return { ok: false, why: { code, message } };
}

function sizeOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,15}$/u.test(header) ? Number(header) : null;
}

function mimeOf(header: string | undefined): string | null {
  return /^[\w.+-]+\/[\w.+-]+/u.exec(header ?? "")?.[0].toLowerCase() ?? null;
}

async function leadsOut({ protocol, hostname, username }: URL, isProxied: boolean): Promise<boolean> {
  if (protocol !== "https:" || username !== "") return false;
  const host = hostname.replaceAll(/^\[|\]$/gu, "");
  if (isProxied) return isPublicHost(host);
  try {
    const addresses = await dns.lookup(host, { all: true });
    return addresses.every(({ address }) => isPublic(address));
  } catch {
    return false;
  }
}

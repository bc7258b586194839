import { isObject, type Json, NOTHING, parsed, textIn, written } from "../kit/json.ts";
import type { Http } from "../kit/http.ts";

/** How long an answer of a login service may take. */
const ASK_MS = 30_000;

export const REFRESH_GRANT = "refresh_token";
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export type OAuthAnswer =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      /** HTTP status; 0 when no answer came. */
      readonly status: number;
      /** `error` of OAuth, or `errcode` of Matrix; empty when there is none. */
      readonly error: string;
      /** For people. Holds nothing of what was sent. */
      readonly message: string;
    };

interface OAuthRequest {
  readonly url: string;
  /** Sent as a form (OAuth). Neither this nor `json`: a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly signal: AbortSignal;
}

/** One question to a homeserver or its login service, whose answer is an object of JSON. Never rejects. */
export async function askOAuth(http: Http, { url, form, json, signal }: OAuthRequest): Promise<OAuthAnswer> {
  const place = new URL(url);
  const text = form === undefined ? (json === undefined ? null : written(json)) : String(new URLSearchParams(form));
  const answer = await http.request({
    method: text === null ? "GET" : "POST",
    url: place,
    headers: form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" },
    body: text,
    timeoutMs: ASK_MS,
    again: true,
    signal,
  });
  const where = place.origin + place.pathname;
  if (answer.is === "failed")
    return { ok: false, status: 0, error: "", message: `${where} cannot be reached: ${answer.message}` };
  const body = parsed(answer.text);
  if (answer.status >= 200 && answer.status < 300 && isObject(body)) return { ok: true, value: body };
  const said = isObject(body) ? body : NOTHING;
  // The words beside the code are the server's, and may repeat what was sent.
  const [error = ""] = /^\w{1,60}$/u.exec(textIn(said, "error") ?? "") ?? [];
  const code = /^M_\w{1,60}$/u.exec(textIn(said, "errcode") ?? "")?.[0] ?? error;
  const words = code === "" ? "without a reason that Rialto knows" : code;
  return {
    ok: false,
    status: answer.status,
    error: code,
    message: `${where} answers ${words} (HTTP ${answer.status})`,
  };
}

/** Null for what is no address to send a login to: it has to be as safe as the homeserver's. */
export function safeUrl(text: string | null, server: string): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const { protocol } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && server.startsWith("http:")) ? text : null;
}

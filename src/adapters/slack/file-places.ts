import type { Reason } from "../../contract/outcome.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { download } from "../kit/download.ts";
import { discard, type Http, type HttpFailure, type Upload } from "../kit/http.ts";
import type { SlackFile } from "./model.ts";
import type { SlackFailure } from "./result.ts";

/** Of an upload, beside what it takes at 64 KiB a second. */
const UPLOAD_MS = 120_000;

/** What files need, which lie beside the Web API. */
export interface FilePlaces {
  readonly http: Http;
  /** Where the Web API is. */
  readonly base: URL;
  readonly token: string;
}

/** Whose addresses are told the token. */
const SLACK = /(?:^|\.)(?:slack\.com|slack-gov\.com|slack-files\.com)$/u;

/** The address, where it is one of Slack's, or of the server that we speak with. */
function placeOf(text: string, base: URL): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== "" || url.password !== "") return null;
  if (url.origin === base.origin) return url;
  return url.protocol === "https:" && url.port === "" && SLACK.test(url.hostname) ? url : null;
}

/** Sends the bytes to the address made for them, which is secret itself: without the token. Null: it is done. */
export async function sendFile(
  { http, base }: FilePlaces,
  url: string,
  content: Pick<Upload, "stream" | "bytes">,
  signal: AbortSignal,
): Promise<SlackFailure | null> {
  const place = placeOf(url, base);
  const body: Upload = { ...content, mime: "application/octet-stream" };
  if (place === null) {
    await discard(body);
    return failed("refused", 0, "Slack names an address for the file that is not its own");
  }
  const timeoutMs = UPLOAD_MS + content.bytes / 64;
  const answer = await http.request({ method: "POST", url: place, headers: {}, body, timeoutMs, again: false, signal });
  if (answer.is === "failed") return failed(answer.why, 0, `the file could not be uploaded: ${answer.message}`);
  const { status } = answer;
  return status === 200 ? null : failed("refused", status, `Slack answers HTTP ${status} to the upload of the file`);
}

/** Whatever became of the bytes, nobody sees a file that was not shared. */
function failed(why: HttpFailure["why"] | "refused", status: number, message: string): SlackFailure {
  const answer = { status, headers: {}, body: undefined, why, message, retryAfterMs: null, certain: true };
  return { ...answer, error: "", needed: "" };
}

/** The content of a file. Whoever may not have it is sent to the page where people log in, or is given that page. */
export async function openFile(
  { http, base, token }: FilePlaces,
  { url, mime }: Pick<SlackFile, "url" | "mime">,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const place = url === null ? null : placeOf(url, base);
  if (place === null) return refused("not_found", "the file does not lie with Slack");
  const headers = { Authorization: `Bearer ${token}` };
  const isLogin = (to: URL): boolean => to.searchParams.has("redir") || /\/(?:signin|login)(?:\/|$)/u.test(to.pathname);
  const opened = await download(http, { url: place, headers, who: "Slack", signal, isLogin });
  if (!opened.ok) return opened.why.code === "forbidden" ? NO_RIGHT : opened;
  if (opened.mime !== "text/html" || mime === "text/html") return opened;
  await opened.stream.cancel().catch(() => undefined);
  return NO_RIGHT;
}

const refused = (code: Reason["code"], message: string): OpenedFile => ({ ok: false, why: { code, message } });

const NO_RIGHT = refused(
  "forbidden",
  "Slack does not give the app this file: see that it has the scope files:read (api.slack.com/apps > the app > OAuth & Permissions > Bot Token Scopes), and install it anew",
);

import type { SharedFile } from "../../contract/content.ts";
import type { Host } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import { quote } from "../kit/ends.ts";
import { Memory } from "./memory.ts";
import { NS } from "./ns.ts";
import type { Upload } from "../kit/http.ts";
import { putTo, type Reach } from "./put.ts";
import type { Requests } from "./requests.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/** `retry`: another try may go well. */
export type XmppUpload =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly why: Reason; readonly retry: boolean };

interface Service {
  readonly jid: string;
  /** Bytes; null when it does not say. */
  readonly max: number | null;
}

interface UploadOptions {
  readonly requests: Requests;
  readonly host: Pick<Host, "openFile" | "log">;
  readonly domain: string;
  readonly reach: Reach;
}

const SERVICES_MAX = 50;
const URLS_MAX = 200;
/** XEP-0363 §5: others are to be ignored. */
const HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "expires"]);

/** Puts files where people in the rooms can fetch them (XEP-0363): streamed, and each once in a session. */
export class XmppUploads {
  readonly #options: UploadOptions;
  readonly #urls = new Memory<string, string>(URLS_MAX);
  #service: Promise<Service | null> | null = null;
  #max: number | null = null;
  #looked = false;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /** The most bytes of one file; null while nobody has said so. */
  get max(): number | null {
    return this.#max;
  }

  /** Asks the server for its service, unless it was asked already. Never rejects. */
  async find(): Promise<Service | null> {
    return await (this.#service ??= this.#find());
  }

  /** For a room, once: what is not there yet, the first file asks for again. Never rejects. */
  async look(): Promise<void> {
    if (this.#looked) return;
    this.#looked = true;
    if ((await this.find()) === null) this.#service = null;
  }

  /** Never rejects. */
  async put(file: SharedFile, signal: AbortSignal): Promise<XmppUpload> {
    const { id } = file;
    if (id === null) return failed("not_found", file.missing ?? "the file could not be fetched", false);
    // The address ends in the name.
    const key = JSON.stringify([id, file.name]);
    const known = this.#urls.get(key);
    if (known !== undefined) return { ok: true, url: known };
    const service = await this.find();
    if (service === null) return failed("unsupported", "the server has no upload service", false);
    const opened = await this.#options.host.openFile(id, signal);
    if (!opened.ok) return { ok: false, why: opened.why, retry: false };
    const bytes = opened.bytes ?? file.bytes;
    const refusal = refusalOf(bytes, service);
    if (bytes === null || refusal !== null) {
      await opened.stream.cancel().catch(() => undefined);
      return failed("too_large", refusal ?? "the size of the file is unknown", false);
    }
    const mime = opened.mime ?? file.mime ?? "application/octet-stream";
    const slot = await this.#slot(service, { name: file.name, bytes, mime });
    if (!slot.ok) {
      await opened.stream.cancel().catch(() => undefined);
      return slot;
    }
    const sent = await this.#send(slot, { stream: opened.stream, bytes, mime }, signal);
    if (sent.ok) this.#urls.put(key, sent.url);
    return sent;
  }

  async #find(): Promise<Service | null> {
    const { requests, domain } = this.#options;
    const items = await requests.ask("get", domain, el("query", { xmlns: NS.discoItems }));
    const found = items.ok ? (child(items.iq, "query", NS.discoItems)?.getChildren("item") ?? []) : [];
    const jids = [domain, ...found.map((item) => attr(item, "jid"))].filter(Boolean).slice(0, SERVICES_MAX);
    const infos = await Promise.all(
      jids.map(async (jid) => ({
        jid,
        info: await requests.ask("get", jid, el("query", { xmlns: NS.discoInfo }), 10_000),
      })),
    );
    for (const { jid, info } of infos) {
      const query = info.ok ? child(info.iq, "query", NS.discoInfo) : undefined;
      const features = query?.getChildren("feature").map((feature) => attr(feature, "var")) ?? [];
      if (query === undefined || !features.includes(NS.upload)) continue;
      this.#max = maxOf(query);
      return { jid, max: this.#max };
    }
    // Asked again for the next file when the service may only have been away.
    if (!items.ok || infos.some(({ info }) => !info.ok && info.error.type === "wait")) this.#service = null;
    return null;
  }

  async #slot(
    service: Service,
    { name, bytes, mime }: { name: string; bytes: number; mime: string },
  ): Promise<Slot | Failed> {
    const filename = name.replaceAll(/[\p{Cc}/\\]/gu, "").slice(0, 200) || "file";
    const wish = { xmlns: NS.upload, filename, size: String(bytes), "content-type": mime };
    const answer = await this.#options.requests.ask("get", service.jid, el("request", wish));
    if (!answer.ok) {
      const { condition, text, type } = answer.error;
      const why = `the upload service refuses the file: ${condition}${text === "" ? "" : ` (${quote(text)})`}`;
      return failed(condition === "not-acceptable" ? "too_large" : "remote_error", why, type === "wait");
    }
    const slot = child(answer.iq, "slot", NS.upload);
    const put = child(slot, "put");
    const [to, url] = [attr(put, "url"), attr(child(slot, "get"), "url")];
    if (!isWeb(to) || !isWeb(url)) return failed("remote_error", "the upload service gives no address", false);
    // XEP-0363 §5 asks for it; what crosses in secret up to here must not continue in the open.
    if (this.#options.reach.secure && !to.startsWith("https:")) {
      return failed("remote_error", "the upload service gives an address without TLS", false);
    }
    return { ok: true, to, url, headers: headersOf(put) };
  }

  async #send(slot: Slot, content: Upload, signal: AbortSignal): Promise<XmppUpload> {
    try {
      const status = await putTo(slot, content, this.#options.reach, signal);
      if (status >= 200 && status < 300) return { ok: true, url: slot.url };
      return failed("remote_error", `the upload service answers ${status}`, status >= 500 || status === 429);
    } catch (error) {
      this.#options.host.log.debug(
        { error: error instanceof Error ? error.message : String(error) },
        "an upload was interrupted",
      );
      return failed("network", "the upload was interrupted", true);
    }
  }
}

type Failed = Extract<XmppUpload, { ok: false }>;

interface Slot {
  readonly ok: true;
  readonly to: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function headersOf(put: Stanza | undefined): Readonly<Record<string, string>> {
  const headers = (put?.getChildren("header") ?? []).map((one): [string, string] => [
    attr(one, "name").trim().toLowerCase(),
    one.getText().replaceAll(/[\r\n]/g, ""),
  ]);
  return Object.fromEntries(headers.filter(([name]) => HEADERS.has(name)));
}

function maxOf(query: Stanza): number | null {
  const fields = query.getChildren("x", NS.form).flatMap((form) => form.getChildren("field"));
  const field = fields.find((one) => attr(one, "var") === "max-file-size");
  const max = Number(childText(field, "value") ?? "");
  return Number.isSafeInteger(max) && max > 0 ? max : null;
}

function refusalOf(bytes: number | null, { max }: Service): string | null {
  return bytes !== null && max !== null && bytes > max
    ? `the server accepts files of at most ${Math.floor(max / 1024)} KiB`
    : null;
}

function isWeb(url: string): boolean {
  return /^https?:\/\//u.test(url) && URL.canParse(url);
}

function failed(code: Reason["code"], message: string, retry: boolean): Failed {
  return { ok: false, why: { code, message }, retry };
}

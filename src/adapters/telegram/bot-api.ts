import type { Clock } from "../../contract/host.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { quote } from "../kit/ends.ts";
import type { Http, Upload } from "../kit/http.ts";
import { isObject, type Json, NOTHING, numberIn, objectIn, textIn } from "../kit/json.ts";
import { codeOf, isCertain } from "../kit/outcomes.ts";
import { Rest, type RestAnswer, type RestDialect, type RestFailure } from "../kit/rest.ts";
import { ELSEWHERE, isOnDisk, openOnDisk } from "./local-file.ts";
import type { TelegramFailure, TelegramResult } from "./result.ts";

const FILE_LOOKUP_MS = 30_000;
/** A server may say anything. */
const RETRY_MAX_MS = 24 * 3_600_000;

/** Refusals are read here, where the token is known: words of others may repeat it. */
const dialect: RestDialect = {
  words: () => null,
  retryAfterMs: () => null,
};

export interface BotApiOptions {
  readonly http: Http;
  readonly clock: Pick<Clock, "nowMs" | "monoMs">;
  readonly base: URL;
  readonly token: string;
  /** The server runs on this machine. */
  readonly isHere: boolean;
}

interface BotCall {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Twice is no more than once: it may be sent again on another connection. */
  readonly again?: boolean;
}

/** Calls by the names of methods, with the token in their paths: nothing that comes of one shows it. */
export class BotApi {
  readonly #token: string;
  readonly #isHere: boolean;
  readonly #rest: Rest;

  constructor({ http, clock, base, token, isHere }: BotApiOptions) {
    this.#token = token;
    this.#isHere = isHere;
    this.#rest = new Rest({ http, clock, base, who: "Telegram", scheme: "", dialect, limit: "call" });
  }

  async call(
    method: string,
    args: Json,
    { signal, timeoutMs, again = false }: BotCall,
  ): Promise<TelegramResult<unknown>> {
    const call = { method: "POST", path: this.#pathOf(method), body: args, again, signal, timeoutMs } as const;
    return this.#result(method, await this.#rest.call(call));
  }

  async upload(method: string, content: Upload, { signal }: Pick<BotCall, "signal">): Promise<TelegramResult<unknown>> {
    return this.#result(
      method,
      await this.#rest.upload({ method: "POST", path: this.#pathOf(method), content, signal }),
    );
  }

  async openFile(id: string, signal: AbortSignal): Promise<OpenedFile> {
    const looked = { signal, timeoutMs: FILE_LOOKUP_MS, again: true };
    const found = await this.call("getFile", { file_id: id }, looked);
    if (!found.ok) return { ok: false, why: { code: found.failure.code, message: found.failure.message } };
    const path = isObject(found.value) ? (textIn(found.value, "file_path") ?? "") : "";
    if (path === "") return { ok: false, why: { code: "not_found", message: "Telegram has no such file any more" } };
    if (isOnDisk(path)) return this.#isHere ? await openOnDisk(path) : ELSEWHERE;
    const parts = path.split("/").map(encodeURIComponent);
    return await this.#rest.download({ path: `/file/bot${this.#token}/${parts.join("/")}` }, signal);
  }

  #pathOf(method: string): string {
    return `/bot${this.#token}/${method}`;
  }

  #result(method: string, answer: RestAnswer): TelegramResult<unknown> {
    if (!answer.ok) return { ok: false, failure: this.#failed(method, answer.failure) };
    const { value } = answer;
    if (isObject(value) && value["ok"] === true) return { ok: true, value: value["result"] };
    const refusal = { ...answer, body: value, why: "unreadable", retryAfterMs: null, certain: false } as const;
    return { ok: false, failure: this.#failed(method, { ...refusal, message: "" }) };
  }

  /** What stands before the servers may repeat what it was asked for. */
  #clean(text: string): string {
    const forms = ["%3A", "%3a", ":"].map((colon) => this.#token.replace(":", colon));
    return forms.reduce((clean, form) => clean.replaceAll(form, "…"), text);
  }

  #failed(method: string, failure: RestFailure): TelegramFailure {
    const body = isObject(failure.body) ? failure.body : NOTHING;
    const description = quote(this.#clean(textIn(body, "description") ?? ""));
    const isTold = body["ok"] === false && description !== "";
    const status = isTold ? (numberIn(body, "error_code") ?? failure.status) : failure.status;
    const parameters = objectIn(body, "parameters");
    const retryS = numberIn(parameters, "retry_after");
    const migrateTo = numberIn(parameters, "migrate_to_chat_id");
    return {
      code: status === 409 ? "config" : codeOf({ why: failure.why, status }),
      why: failure.why,
      status,
      description: isTold ? description : "",
      message: isTold
        ? `Telegram refuses ${method}: ${description}`
        : this.#clean(failure.message) || `what answers to ${method} is not the Bot API: check ApiURL`,
      retryAfterMs: retryS === null ? failure.retryAfterMs : Math.min(Math.max(retryS, 1) * 1000, RETRY_MAX_MS),
      migrateTo,
      certain: isTold ? isCertain(status) : failure.certain,
    };
  }
}

import type { FileRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { OpenedFile } from "../../contract/session.ts";
import { Lru } from "../../lib/lru.ts";
import type { DiscordApi } from "./api.ts";
import { fileRef, readFileRef } from "./ids.ts";
import type { DiscordMessage } from "./model.ts";
import { attachmentsOf } from "./words.ts";

/** So many addresses are known; what is not known is looked up by its message. */
const ADDRESSES_MAX = 1_000;
/** An address that is good for less long is asked for anew. */
const LEFT_MS = 300_000;

interface DiscordFilesOptions {
  readonly api: Pick<DiscordApi, "message" | "openUrl">;
  readonly nowMs: () => number;
}

/** Files of messages: their addresses are good for a day, so a file is named by its message. */
export class DiscordFiles {
  readonly #options: DiscordFilesOptions;
  readonly #addresses = new Lru<FileRef, string>(ADDRESSES_MAX);

  constructor(options: DiscordFilesOptions) {
    this.#options = options;
  }

  /** What a message says of its files. */
  note(message: DiscordMessage): void {
    for (const { id, url } of attachmentsOf(message))
      this.#addresses.set(fileRef(message.channel, message.id, id), url);
  }

  async open(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const { api } = this.#options;
    const place = readFileRef(ref);
    if (place === null) return refused("bad_content", "this is no file of Discord");
    const known = this.#addresses.get(ref) ?? "";
    if (this.#isGood(known)) {
      const opened = await api.openUrl(known, signal);
      if (opened.ok || signal.aborted) return opened;
    }
    const answer = await api.message(place.channel, place.message, signal);
    if (!answer.ok) {
      const { why, status, message } = answer.failure;
      return refused(why === "timeout" ? "timeout" : status === 404 ? "not_found" : "remote_error", message);
    }
    this.note(answer.value);
    const file = attachmentsOf(answer.value).find(({ id }) => id === place.attachment);
    return file === undefined ? GONE : await api.openUrl(file.url, signal);
  }

  /** The end of an address is in it: seconds, in hexadecimal. */
  #isGood(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const until = Number.parseInt(new URL(address).searchParams.get("ex") ?? "", 16) * 1000;
    return until > this.#options.nowMs() + LEFT_MS;
  }
}

const refused = (code: Reason["code"], message: string): OpenedFile => ({ ok: false, why: { code, message } });

const GONE = refused("not_found", "the message has no such file any more");

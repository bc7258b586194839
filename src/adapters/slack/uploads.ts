import type { SharedFile } from "../../contract/content.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { AGAIN_MS, deferred } from "../kit/outcomes.ts";
import { openOutgoing } from "../kit/outgoing-files.ts";
import type { UploadedFile } from "./api.ts";
import { outcomeOf } from "./failure.ts";
import type { SlackLink } from "./link.ts";

/** Ops whose files lie with the server, and in no message yet. */
const OPS_MAX = 500;

export type SlackUpload =
  | { readonly is: "there"; readonly uploaded: UploadedFile }
  /** It is said in words. */
  | { readonly is: "missing"; readonly why: string }
  | { readonly is: "ended"; readonly outcome: Outcome };

/** Brings files to the server, each once for an op however often that is tried. */
export class SlackUploads {
  readonly #link: SlackLink;
  readonly #there = new Lru<OpId, Map<SharedFile["id"], UploadedFile>>(OPS_MAX);

  constructor(link: SlackLink) {
    this.#link = link;
  }

  async bring(file: SharedFile, op: OpId, channel: ChannelRef, signal: AbortSignal): Promise<SlackUpload> {
    const known = this.#there.get(op) ?? new Map<SharedFile["id"], UploadedFile>();
    const there = known.get(file.id);
    if (there !== undefined) return { is: "there", uploaded: there };
    const content = await openOutgoing(file, this.#link.host, signal);
    if (typeof content === "string") return { is: "missing", why: content };
    const { name, bytes, stream } = content;
    const sent = await this.#link.api.upload({ name, title: name, bytes, content: stream }, signal);
    if (sent.ok) {
      known.set(file.id, sent.value);
      this.#there.set(op, known);
      return { is: "there", uploaded: sent.value };
    }
    const outcome = outcomeOf(sent.failure, { link: this.#link, channel, doing: "share files" });
    if (outcome.is === "rejected") return { is: "missing", why: outcome.why.message };
    // A file that may be there twice is in no message.
    if (outcome.is !== "unknown") return { is: "ended", outcome };
    return { is: "ended", outcome: deferred(outcome.why, AGAIN_MS, "channel") };
  }

  /** They are in a message, or of no use. */
  forget(op: OpId): void {
    this.#there.delete(op);
  }
}

import type { SharedFile } from "../../contract/content.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { AGAIN_MS, deferred, GIVEN_UP } from "../kit/outcomes.ts";
import { openOutgoing, type OutgoingFile } from "../kit/outgoing-files.ts";
import type { UploadedFile } from "./api.ts";
import { outcomeOf, readingFailed } from "./failure.ts";
import type { SlackLink } from "./link.ts";
import { codeOf } from "./result.ts";

/** Ops whose files lie with the server, and in no message yet. */
const OPS_MAX = 500;
/** When a file that could not be brought is tried again; after the last of these it goes in words. */
const AGAIN_STEPS_MS = [AGAIN_MS, 5_000, 20_000] as const;

export type SlackUpload =
  | { readonly is: "there"; readonly uploaded: UploadedFile }
  /** It is said in words. */
  | { readonly is: "missing"; readonly why: string }
  | { readonly is: "ended"; readonly outcome: Outcome };

/** What is known of the files of one op. */
interface OpFiles {
  readonly there: Map<SharedFile["id"], UploadedFile>;
  /** How often each could not be brought, and all of them not be shared. */
  readonly failed: Map<SharedFile["id"] | typeof SHARING, number>;
}

type Sent = UploadedFile | Outcome;

const SHARING = Symbol("sharing");

/** Brings files to the server, each once for an op however often that is tried, and not for ever. */
export class SlackUploads {
  readonly #link: SlackLink;
  readonly #ops = new Lru<OpId, OpFiles>(OPS_MAX);

  constructor(link: SlackLink) {
    this.#link = link;
  }

  async bring(file: SharedFile, op: OpId, channel: ChannelRef, signal: AbortSignal): Promise<SlackUpload> {
    const { there, failed } = this.#of(op);
    if ((failed.get(SHARING) ?? 0) > AGAIN_STEPS_MS.length) return { is: "missing", why: UNSHARED };
    const known = there.get(file.id);
    if (known !== undefined) return { is: "there", uploaded: known };
    const content = await openOutgoing(file, this.#link.host, signal);
    if (typeof content === "string") return { is: "missing", why: content };
    const sent = await this.#send(content, channel, signal);
    if ("id" in sent) {
      there.set(file.id, sent);
      return { is: "there", uploaded: sent };
    }
    if (sent.is === "rejected") return { is: "missing", why: sent.why.message };
    if (sent.is !== "unknown") return { is: "ended", outcome: sent };
    const retryInMs = this.#fail(op, file.id);
    if (retryInMs === null) return { is: "missing", why: sent.why.message };
    // A file that may be there twice is in no message.
    return { is: "ended", outcome: deferred(sent.why, retryInMs, "channel") };
  }

  /** Files that lie there did not become a message that anybody has seen. */
  unshared(op: OpId): void {
    this.#fail(op, SHARING);
  }

  /** They are brought anew: what lay there is lost. */
  lost(op: OpId): void {
    this.#of(op).there.clear();
  }

  /** They are in a message, or of no use. */
  forget(op: OpId): void {
    this.#ops.delete(op);
  }

  /** `unknown`: it may be the file, or the place for it, that does not go. */
  async #send({ name, bytes, stream }: OutgoingFile, channel: ChannelRef, signal: AbortSignal): Promise<Sent> {
    const { api } = this.#link;
    const begun = await api.beginUpload(name, bytes, signal);
    if (!begun.ok) {
      await stream.cancel().catch(() => undefined);
      const failing = { link: this.#link, channel, doing: "share files" } as const;
      // Without a word of Slack nothing goes at all, and that passes.
      return begun.failure.error === "" ? readingFailed(begun.failure, failing) : outcomeOf(begun.failure, failing);
    }
    const failure = await api.sendFile(begun.value, { stream, bytes }, signal);
    if (failure === null) return { id: begun.value.id, title: name };
    const why: Reason = { code: codeOf(failure), message: failure.message };
    if (why.code === "too_large") return { is: "rejected", why };
    return failure.why === "aborted" ? GIVEN_UP : { is: "unknown", why };
  }

  #of(op: OpId): OpFiles {
    const known = this.#ops.get(op) ?? { there: new Map(), failed: new Map() };
    this.#ops.set(op, known);
    return known;
  }

  #fail(op: OpId, what: SharedFile["id"] | typeof SHARING): number | null {
    const { failed } = this.#of(op);
    const times = failed.get(what) ?? 0;
    failed.set(what, times + 1);
    return AGAIN_STEPS_MS[times] ?? null;
  }
}

const UNSHARED = "Slack takes it, and shows no message with it";

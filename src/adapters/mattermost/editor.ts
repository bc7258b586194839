import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { textIn } from "../kit/json.ts";
import { GIVEN_UP, GONE, NOT_THERE } from "../kit/outcomes.ts";
import { outgoingName, standingFiles } from "../kit/outgoing-files.ts";
import { EDITING, isGone } from "./failure.ts";
import { messageRef, progressAt } from "./ids.ts";
import type { MattermostFile, MattermostPost } from "./model.ts";
import { type PostPart, type RenderedFile, renderPost } from "./render.ts";
import type { PostSender, NewPart } from "./sender.ts";
import { uploadAll } from "./uploads.ts";

interface EditCall {
  readonly op: EditOp;
  readonly attempt: Attempt;
  /** The posts that are still there. */
  readonly standing: readonly MattermostPost[];
}

type Step =
  /** The post that stood there and still does, if one does, and those that were made for what it cannot take. */
  | { readonly ok: true; readonly kept: readonly MessageRef[]; readonly made: readonly MessageRef[] }
  | { readonly ok: false; readonly outcome: Outcome };

/**
 * Edits of messages that may be several posts: each gets its part of the new text; those that are too many are deleted,
 * those that are missing are made. Files stay with their posts, and those that come with the edit are in posts of their
 * own.
 */
export class PostEditor {
  readonly #sender: PostSender;

  constructor(sender: PostSender) {
    this.#sender = sender;
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    const { link } = this.#sender;
    if (link.room(op.channel) === null) return NOT_THERE;
    const standing: MattermostPost[] = [];
    for (const target of op.target) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const post = await link.api.post(target, attempt.signal);
      if (post.ok && post.value !== null && post.value.deleteAt === 0) standing.push(post.value);
      if (!post.ok && !isGone(post.failure))
        return await this.#sender.failed(post.failure, op.channel, EDITING, attempt.signal);
    }
    return standing.length === 0 ? GONE : await this.#edit({ op, attempt, standing });
  }

  async #edit(call: EditCall): Promise<Outcome> {
    const { op, attempt, standing } = call;
    const { link } = this.#sender;
    const files = await this.#files(call);
    if (!files.ok) return files.outcome;
    // As it was: who was named before the text still is.
    const prefix = textIn(standing[0]?.props ?? {}, "override_username") === null;
    const names = await this.#sender.membersAmong(op, op.channel, attempt.signal);
    const draft = { ...op, reply: null, thread: null };
    const rendered = renderPost(draft, { textMax: link.limits.postMax, prefix, names, files: files.all });
    const parts = rendered.parts.flatMap(({ end, message, fileIds }) => {
      const missing = fileIds.filter((id) => id !== STANDING);
      // All that it holds is there, in posts of its own.
      const isThere = message === "" && fileIds.length > 0 && missing.length === 0;
      return isThere ? [] : [{ end, message, fileIds: missing }];
    });
    const losses: Loss[] = [...files.losses, ...rendered.losses];
    const [kept, made]: [MessageRef[], MessageRef[]] = [[], []];
    for (let at = 0; at < Math.max(parts.length, standing.length); at += 1) {
      if (attempt.signal.aborted) return GIVEN_UP;
      const step = await this.#step(call, parts[at], at);
      if (!step.ok) return step.outcome;
      kept.push(...step.kept);
      made.push(...step.made);
    }
    // As they stand in the channel, so that a longer text can go on in them.
    const refs = [...kept, ...made];
    const isSame = refs.length === op.target.length && refs.every((ref, at) => ref === op.target[at]);
    return { is: "delivered", receipt: { messages: isSame ? [] : refs, losses } };
  }

  /** What has come with the edit is brought to the server; what came with the message is there. */
  async #files({ op, attempt, standing }: EditCall): Promise<EditFiles> {
    const there = filesAmong(op.body.files, standing);
    const all: RenderedFile[] = [];
    const losses: Loss[] = [];
    for (const file of op.body.files) {
      if (there.has(file)) {
        all.push({ file, id: STANDING });
        continue;
      }
      const uploaded = await uploadAll([file], this.#sender.link, op.channel, attempt.signal);
      if (!uploaded.ok) return uploaded;
      all.push(...uploaded.files);
      losses.push(...uploaded.losses);
    }
    return { ok: true, all, losses };
  }

  async #step(call: EditCall, part: PostPart | undefined, at: number): Promise<Step> {
    const { op, attempt, standing } = call;
    const post = standing[at];
    if (post === undefined) return part === undefined ? NOTHING : await this.#make(call, part, `new ${at}`);
    if (part === undefined && post.fileIds.length === 0) {
      const kept = await this.#sender.remove(post.id, op.channel, attempt.signal);
      return kept === null ? NOTHING : { ok: false, outcome: kept };
    }
    const message = part?.message ?? "";
    if (message !== post.message) {
      const patched = await this.#sender.link.api.patchPost(post.id, { message }, attempt.signal);
      if (!patched.ok) {
        const outcome = isGone(patched.failure)
          ? GONE
          : await this.#sender.failed(patched.failure, op.channel, EDITING, attempt.signal);
        return { ok: false, outcome };
      }
    }
    // Servers before 10 change no files of a post.
    const kept = [messageRef(post.id)];
    if (part === undefined || part.fileIds.length === 0) return { ok: true, kept, made: [] };
    const added = await this.#make(call, { ...part, message: "" }, `files ${at}`);
    return added.ok ? { ...added, kept } : added;
  }

  async #make({ op, attempt, standing }: EditCall, part: PostPart, upTo: string): Promise<Step> {
    const first = standing[0];
    const props = first?.props ?? {};
    const shown = ["from_webhook", "override_username", "override_icon_url"].flatMap((key) => {
      const value = textIn(props, key);
      return value === null ? [] : [[key, value] as const];
    });
    const wanted: NewPart = {
      op: op.id,
      upTo: progressAt(upTo),
      channel: op.channel,
      message: part.message,
      rootId: first?.rootId ?? "",
      fileIds: part.fileIds,
      props: Object.fromEntries(shown),
    };
    const made = await this.#sender.make(wanted, attempt.signal);
    return made.ok ? { ok: true, kept: [], made: [made.ref] } : made;
  }
}

type EditFiles =
  | { readonly ok: true; readonly all: readonly RenderedFile[]; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly outcome: Outcome };

/** Those of the files that the posts have already. One that a post could not take is in none of them. */
function filesAmong(
  files: readonly SharedFile[],
  posts: readonly MattermostPost[],
): ReadonlyMap<SharedFile, MattermostFile | null> {
  const there = posts.flatMap((post) => post.fileIds.map((id) => post.files.find((file) => file.id === id) ?? null));
  return standingFiles(files, there, [
    (file, one) => one?.name === outgoingName(file) && one.size === file.bytes,
    (file, one) => one?.name === outgoingName(file) && (one.size === null || file.bytes === null),
    // Older servers tell only the ids of files.
    (_, one) => one === null,
  ]);
}

/** Of a file that a post has already. */
const STANDING = "standing";
const NOTHING: Step = { ok: true, kept: [], made: [] };

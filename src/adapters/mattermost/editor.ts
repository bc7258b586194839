import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef, Progress } from "../../contract/ids.ts";
import type { EditOp } from "../../contract/ops.ts";
import type { Loss, Outcome } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { textIn } from "../kit/json.ts";
import { GIVEN_UP, GONE, NOT_THERE } from "../kit/outcomes.ts";
import type { RestFailure } from "../kit/rest.ts";
import { earlierFiles, outgoingName, removedFiles, standingFiles } from "../kit/outgoing-files.ts";
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
  /** The ids of files of these posts that the edit removes. */
  readonly removed: ReadonlySet<string>;
  readonly losses: Loss[];
}

type Step =
  /** The post that stood there and still does, if one does, and those that were made for what it cannot take. */
  | { readonly ok: true; readonly kept: readonly MessageRef[]; readonly made: readonly MessageRef[] }
  | { readonly ok: false; readonly outcome: Outcome };

/**
 * Edits of messages that may be several posts: each gets its part of the new text; those that are too many are deleted,
 * those that are missing are made. Files stay with their posts, and those that come with the edit are in posts of their
 * own. Servers before 10.5 change no files of a post: another post replaces one that loses a file there.
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
      const instead = link.own.find({ op: op.id, upTo: insteadOf(target) });
      const kept = instead === null ? null : await this.#sender.remove(target, op.channel, attempt.signal);
      if (kept !== null) return kept;
      const post = await link.api.post(instead ?? target, attempt.signal);
      if (post.ok && post.value !== null && post.value.deleteAt === 0) standing.push(post.value);
      if (!post.ok && !isGone(post.failure))
        return await this.#sender.failed(post.failure, op.channel, EDITING, attempt.signal);
    }
    if (standing.length === 0) return GONE;
    return await this.#edit({ op, attempt, standing, removed: removedAmong(op, standing), losses: [] });
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
    const losses = call.losses;
    losses.push(...files.losses, ...rendered.losses);
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
    const there = filesAmong(earlierFiles(op), standing);
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
    if (post === undefined) return part === undefined ? NOTHING : await this.#make(call, part, progressAt(`new ${at}`));
    const removed = post.fileIds.filter((id) => call.removed.has(id));
    if (part === undefined && removed.length === post.fileIds.length) {
      const kept = await this.#sender.remove(post.id, op.channel, attempt.signal);
      return kept === null ? NOTHING : { ok: false, outcome: kept };
    }
    const message = part?.message ?? "";
    if (removed.length > 0) {
      const step = await this.#withoutFiles(call, post, { message, fileIds: part?.fileIds ?? [] });
      if (step !== null) return step;
    }
    if (message !== post.message) {
      const patched = await this.#sender.link.api.patchPost(post.id, { message }, attempt.signal);
      if (!patched.ok) return await this.#refused(patched.failure, call);
    }
    const kept = [messageRef(post.id)];
    if (part === undefined || part.fileIds.length === 0) return { ok: true, kept, made: [] };
    const added = await this.#make(call, { ...part, message: "" }, progressAt(`files ${at}`));
    return added.ok ? { ...added, kept } : added;
  }

  /** A post loses files and gets others. Null: it keeps them, because people have answered it. */
  async #withoutFiles(
    call: EditCall,
    post: MattermostPost,
    { message, fileIds }: Pick<PostPart, "message" | "fileIds">,
  ): Promise<Step | null> {
    const { op, attempt, removed, losses } = call;
    const { signal } = attempt;
    const { api } = this.#sender.link;
    const stays = post.fileIds.filter((id) => !removed.has(id));
    const wanted = [...stays, ...fileIds];
    const patched = await api.patchPost(post.id, { message, fileIds: wanted }, signal);
    if (!patched.ok) return await this.#refused(patched.failure, call);
    const now = patched.value?.fileIds ?? [];
    if (!now.some((id) => removed.has(id))) {
      const missing = fileIds.filter((id) => !now.includes(id));
      const kept = [messageRef(post.id)];
      if (missing.length === 0) return { ok: true, kept, made: [] };
      const added = await this.#make(call, { message: "", fileIds: missing }, progressAt(`files of ${post.id}`));
      return added.ok ? { ...added, kept } : added;
    }
    if (post.replyCount > 0 && post.rootId === "") {
      const names = post.files.filter(({ id }) => removed.has(id)).map(({ name }) => name);
      losses.push({ what: "file", note: `${names.join(", ") || "a removed file"} stays: ${ANSWERED}` });
      return null;
    }
    const copied = await this.#copied(call, stays);
    if (!copied.ok) return copied;
    const part = { message, fileIds: [...copied.ids, ...fileIds] };
    const made = await this.#make(call, part, insteadOf(post.id));
    if (!made.ok) return made;
    const left = await this.#sender.remove(post.id, op.channel, signal);
    return left === null ? { ...made, kept: made.made, made: [] } : { ok: false, outcome: left };
  }

  /** Files that stay are brought to the server once more, for another post. */
  async #copied(
    { op, attempt, standing, losses }: EditCall,
    stays: readonly string[],
  ): Promise<
    { readonly ok: true; readonly ids: readonly string[] } | { readonly ok: false; readonly outcome: Outcome }
  > {
    const { link } = this.#sender;
    const ids = new Set(stays);
    const files = [...filesAmong(earlierFiles(op), standing)].flatMap(([file, { id }]) => (ids.has(id) ? [file] : []));
    const uploaded = await uploadAll(files, link, op.channel, attempt.signal);
    if (!uploaded.ok) return uploaded;
    losses.push(...uploaded.losses);
    return { ok: true, ids: uploaded.files.flatMap(({ id }) => id ?? []) };
  }

  async #refused(failure: RestFailure, { op, attempt }: EditCall): Promise<Step> {
    if (isGone(failure)) return { ok: false, outcome: GONE };
    return { ok: false, outcome: await this.#sender.failed(failure, op.channel, EDITING, attempt.signal) };
  }

  async #make({ op, attempt, standing }: EditCall, part: NewEditPart, upTo: Progress): Promise<Step> {
    const first = standing[0];
    const props = first?.props ?? {};
    const shown = ["from_webhook", "override_username", "override_icon_url"].flatMap((key) => {
      const value = textIn(props, key);
      return value === null ? [] : [[key, value] as const];
    });
    const wanted: NewPart = {
      op: op.id,
      upTo,
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

type NewEditPart = Pick<PostPart, "message" | "fileIds">;

type EditFiles =
  | { readonly ok: true; readonly all: readonly RenderedFile[]; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly outcome: Outcome };

interface StandingFile {
  readonly id: string;
  /** Null: older servers tell only the ids of files. */
  readonly info: MattermostFile | null;
}

/** Those of the files that the posts have already. One that a post could not take is in none of them. */
function filesAmong(
  files: readonly SharedFile[],
  posts: readonly MattermostPost[],
): ReadonlyMap<SharedFile, StandingFile> {
  return matched(files, filesOf(posts));
}

function removedAmong(op: EditOp, posts: readonly MattermostPost[]): ReadonlySet<string> {
  const there = filesOf(posts).filter(({ info }) => info !== null);
  const removed = removedFiles(op, there, matched(earlierFiles(op), there), isNamed);
  return new Set([...removed].map(({ id }) => id));
}

const filesOf = (posts: readonly MattermostPost[]): readonly StandingFile[] =>
  posts.flatMap(({ fileIds, files }) =>
    fileIds.map((id) => ({ id, info: files.find((file) => file.id === id) ?? null })),
  );

const matched = (files: readonly SharedFile[], there: readonly StandingFile[]): ReadonlyMap<SharedFile, StandingFile> =>
  standingFiles(files, there, [
    (file, one) => isNamed(file, one) && one.info?.size === file.bytes,
    (file, one) => isNamed(file, one) && (one.info?.size === null || file.bytes === null),
    (_, { info }) => info === null,
  ]);

const isNamed = (file: SharedFile, { info }: StandingFile): boolean => info?.name === outgoingName(file);

/** Of the post that replaces one whose files the server does not change. */
const insteadOf = (post: string): Progress => progressAt(`instead of ${post}`);

const ANSWERED = "the server changes no files of a post, and people have answered this one";

/** Of a file that a post has already. */
const STANDING = "standing";
const NOTHING: Step = { ok: true, kept: [], made: [] };

import type { SharedFile } from "../../contract/content.ts";
import type { MessageRef } from "../../contract/ids.ts";
import type { DeleteOp, EditOp, PostOp, ReactOp, TopicOp } from "../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { Attempt } from "../../contract/session.ts";
import { cut } from "../../content/length.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { oneLine } from "../kit/words.ts";
import { erase } from "./acts.ts";
import { capabilities } from "./capabilities.ts";
import type { Chat } from "./chat.ts";
import { messageId, messageRef } from "./ids.ts";
import { hearPost, hearReaction } from "./moderators.ts";
import { partsAfter, type RenderedPart, renderParts, storedAuthor } from "./render.ts";
import type { NewStored, StoredAuthor, StoredChange, StoredFile, StoredUpload } from "./store/rows.ts";
import { StoreClosed } from "./store/store.ts";

const RETRY_MS = 5_000;
/** Characters of a topic that are shown. */
const TOPIC_MAX = 500;
/** Whether a file is the one that an edit removes under this name. */
const isShownAs = (file: StoredFile | undefined, shown: string): boolean => shown === `[${file?.name}]`;
const REMOTE = "remote ";
const DONE: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };

interface ChangedFiles {
  /** By message. */
  readonly of: ReadonlyMap<string, readonly StoredFile[]>;
  readonly removed: readonly StoredFile[];
}

/** What others say, written into the rooms. A part has the same id in each try: said again, it is there already. */
export class Outgoing {
  readonly #chat: Chat;

  constructor(chat: Chat) {
    this.#chat = chat;
  }

  async post(op: PostOp, attempt: Attempt): Promise<Outcome> {
    return await this.#try(op, attempt, async () => {
      await hearPost(this.#chat, op);
      const losses: Loss[] = [];
      const parts = renderParts(op, capabilities.limits.textMax, losses);
      const messages: MessageRef[] = [];
      const first = partsAfter(op.resume);
      for (const [at, part] of parts.entries()) {
        if (at < first) continue;
        const message = this.#message(op, at, part);
        const files = at === parts.length - 1 ? await this.#files(op.body.files, message.id, op, attempt, losses) : [];
        await this.#chat.change(() => this.#add({ ...message, files }), attempt.signal);
        messages.push(messageRef(message.id));
        attempt.sent(part.end, [messageRef(message.id)]);
      }
      return { is: "delivered", receipt: { messages, losses } };
    });
  }

  async edit(op: EditOp, attempt: Attempt): Promise<Outcome> {
    return await this.#try(op, attempt, async () => {
      const losses: Loss[] = [];
      const parts = renderParts(op, capabilities.limits.textMax, losses);
      const { timeline } = this.#chat;
      const ids = parts.map((_, at) => op.target[at] ?? messageId("op", op.id, String(at)));
      if (ids[0] !== undefined && op.target.length > 0 && timeline.find(ids[0])?.state !== "said")
        return rejected("not_found", "the message is not there any more");
      const files = await this.#changedFiles(op, ids, attempt, losses);
      const { records, uploads } = this.#chat;
      let unused: readonly StoredUpload[] = [];
      await this.#chat.change(() => {
        unused = files.removed.flatMap(({ id }) => records.file(id) ?? []);
        for (const { id } of unused) records.removeFile(id);
        return parts.flatMap((part, at) => {
          const id = ids[at] ?? "";
          if (at >= op.target.length) return this.#add({ ...this.#message(op, at, part), files: [] });
          if (timeline.find(id)?.state !== "said") return [];
          timeline.edit(id, { style: op.body.style, text: "", blocks: part.blocks });
          this.#setFiles(id, files.of.get(id));
          return [timeline.change(op.channel, this.#chat.nowMs, { is: "edited", id })];
        });
      }, attempt.signal);
      await uploads.unlink(unused);
      await erase(this.#chat, op.target.slice(parts.length), attempt.signal);
      return { is: "delivered", receipt: { messages: ids.map((id) => messageRef(id)), losses } };
    });
  }

  async delete(op: DeleteOp, attempt: Attempt): Promise<Outcome> {
    return await this.#try(op, attempt, async () => {
      await erase(this.#chat, op.target, attempt.signal);
      return DONE;
    });
  }

  /** People elsewhere stand behind it as the core says; guests for themselves. */
  async react(op: ReactOp, attempt: Attempt): Promise<Outcome> {
    return await this.#try(op, attempt, async () => {
      const { timeline } = this.#chat;
      // Also to a notice that was told before a crash, and is not known to be yet.
      await hearReaction(this.#chat, op);
      if (timeline.find(op.target)?.state !== "said") return rejected("not_found", "the message is not there any more");
      await this.#chat.change(() => this.#react(op), attempt.signal);
      return DONE;
    });
  }

  async topic({ channel, topic, ...op }: TopicOp, attempt: Attempt): Promise<Outcome> {
    return await this.#try({ ...op, channel }, attempt, async () => {
      const line = oneLine(topic);
      const text = cut(line, TOPIC_MAX, "codepoints");
      await this.#chat.change(() => this.#setTopic(channel, text), attempt.signal);
      const losses: Loss[] =
        text === line ? [] : [{ what: "length", note: `topics have at most ${TOPIC_MAX} characters here` }];
      return { is: "delivered", receipt: { messages: [], losses } };
    });
  }

  #setTopic(room: string, topic: string): readonly StoredChange[] {
    const { records, timeline, nowMs } = this.#chat;
    if (records.topic(room) === topic) return [];
    records.setTopic(room, topic);
    return [timeline.change(room, nowMs, { is: "room" })];
  }

  async #try(op: Pick<PostOp, "channel">, { signal }: Attempt, task: () => Promise<Outcome>): Promise<Outcome> {
    const { rooms, store } = this.#chat;
    if (signal.aborted || store.closed || !rooms.has(op.channel)) return deferred("the room is not open");
    try {
      return await task();
    } catch (error) {
      if (error instanceof StoreClosed) return deferred("the web chat's store could not take it");
      throw error;
    }
  }

  #message(op: PostOp | EditOp, at: number, { blocks }: RenderedPart): Omit<NewStored, "files"> {
    return {
      id: messageId("op", op.id, String(at)),
      room: op.channel,
      atMs: this.#chat.nowMs,
      state: "said",
      guest: "",
      author: storedAuthor(op.author),
      style: op.body.style,
      text: "",
      blocks,
      reply: at === 0 ? (op.reply?.target ?? null) : null,
      print: "",
    };
  }

  #add(message: NewStored): readonly StoredChange[] {
    const { timeline, records, nowMs } = this.#chat;
    if (timeline.find(message.id) !== null) return [];
    timeline.add(message);
    for (const file of message.files) {
      if (file.id !== "") records.useFile(file.id, message.id);
    }
    return [timeline.change(message.room, nowMs, { is: "posted", id: message.id })];
  }

  /** Which files the messages have after an edit; those that it adds come with the last of the messages that stand. */
  async #changedFiles(op: EditOp, ids: readonly string[], attempt: Attempt, losses: Loss[]): Promise<ChangedFiles> {
    const { changed } = op;
    const messages = op.target.flatMap((id) => this.#chat.timeline.find(id) ?? []);
    const all = messages.flatMap(({ files }) => files);
    const last = messages.findLast(({ id }) => ids.includes(id));
    const base = messageId("op", op.id, "files");
    const isDone = all.some(({ id }) => op.body.files.some((_, at) => id === messageId(base, String(at))));
    const isBefore =
      changed?.before === all.length && changed.removed.every(({ at, name }) => isShownAs(all[at], name));
    if (!isBefore || isDone || last === undefined) return { of: new Map(), removed: [] };
    const shared = changed.added.flatMap((at) => op.body.files[at] ?? []);
    const added = await this.#files(shared, base, op, attempt, losses);
    const removed = changed.removed.flatMap(({ at }) => all[at] ?? []);
    const of = messages.map(({ id, files }): [string, readonly StoredFile[]] => {
      const kept = files.filter((file) => !removed.includes(file));
      return [id, id === last.id ? [...kept, ...added] : kept];
    });
    return { of: new Map(of), removed };
  }

  #setFiles(message: string, files: readonly StoredFile[] | undefined): void {
    if (files === undefined) return;
    const { timeline, records } = this.#chat;
    timeline.setFiles(message, files);
    for (const { id } of files) if (id !== "") records.useFile(id, message);
  }

  /** The content is copied: the page can have it for as long as the message. */
  async #files(
    shared: readonly SharedFile[],
    message: string,
    { channel }: Pick<PostOp, "channel">,
    { signal }: Attempt,
    losses: Loss[],
  ): Promise<readonly StoredFile[]> {
    const files: StoredFile[] = [];
    for (const [at, file] of shared.entries()) {
      const kept = await this.#copy(file, messageId(message, String(at)), channel, signal);
      const { comment: caption } = file;
      const name = file.spoiler === undefined ? file.name : hiddenWords(file);
      if (typeof kept === "string") {
        losses.push({ what: "file", note: `${name} is only named: ${kept}` });
        const missing = file.url === null ? kept : file.url;
        files.push({ id: "", name, mime: file.mime ?? "", bytes: file.bytes ?? 0, caption, missing });
      } else files.push({ ...kept, name, caption, missing: "" });
    }
    return files;
  }

  /** Or why there is nothing to fetch. */
  async #copy(
    { id: content, missing, name, mime: claimed }: SharedFile,
    id: string,
    room: string,
    signal: AbortSignal,
  ): Promise<Pick<StoredFile, "id" | "mime" | "bytes"> | string> {
    if (content === null) return missing ?? "it could not be fetched";
    const { uploads, records, host, settings } = this.#chat;
    const known = records.file(id);
    if (known !== null && (await uploads.has(id))) return { id, mime: known.mime, bytes: known.bytes };
    const opened = await host.openFile(content, signal);
    if (!opened.ok) return opened.why.message;
    if (opened.bytes !== null && opened.bytes > settings.MaxFileSize) {
      await opened.stream.cancel();
      return "it is larger than MaxFileSize";
    }
    const kept = await uploads.keep(id, opened.stream, signal);
    if (!kept.ok) return kept.why === "too_large" ? "it is larger than MaxFileSize" : "its content broke off";
    const { bytes } = kept;
    const mime = kept.mime === "application/octet-stream" ? (claimed ?? kept.mime) : kept.mime;
    const file = { id, room, guest: "", message: "", name, mime, bytes, atMs: this.#chat.nowMs };
    await uploads.add(file, signal);
    return { id, mime, bytes };
  }

  #react({ target, channel, emoji, on, standing, author }: ReactOp): readonly StoredChange[] {
    const { timeline, nowMs } = this.#chat;
    const before = timeline.reactions(target).filter((one) => one.emoji === emoji);
    const wanted = new Set(
      standing.filter((one) => one.emoji === emoji).flatMap(({ names }) => names.map((name) => REMOTE + name)),
    );
    for (const { who } of before) {
      if (who.startsWith(REMOTE) && !wanted.has(who)) timeline.react(target, emoji, who, false);
    }
    for (const who of wanted) timeline.react(target, emoji, who, true);
    const count = timeline.reactions(target).filter((one) => one.emoji === emoji).length;
    if (count === before.length) return [];
    const by: StoredAuthor = storedAuthor(author);
    return [timeline.change(channel, nowMs, { is: "reacted", id: target, emoji, on, count, author: by })];
  }
}

const deferred = (message: string): Outcome => ({
  is: "deferred",
  why: { code: "network", message },
  retryInMs: RETRY_MS,
  scope: "channel",
});

const rejected = (code: Reason["code"], message: string): Outcome => ({ is: "rejected", why: { code, message } });

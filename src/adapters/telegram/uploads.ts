import type { SharedFile } from "../../contract/content.ts";
import type { OpId } from "../../contract/ids.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { isAborted } from "../../lib/abort.ts";
import { Lru } from "../../lib/lru.ts";
import type { Upload } from "../kit/http.ts";
import { AGAIN_MS, deferred, GIVEN_UP } from "../kit/outcomes.ts";
import { openOutgoing, type OutgoingFile } from "../kit/outgoing-files.ts";
import type { TelegramAttached, TelegramFileKind } from "./api.ts";
import { kindOf, PHOTO_MAX } from "./kinds.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramFailure, TelegramResult } from "./result.ts";
import type { TelegramPartFile, TelegramRenderedFile } from "./render.ts";

/** Files of which it is known that they do not go as what they are. */
const LESSONS_MAX = 1_000;
const OPS_MAX = 500;
/** When what broke off is sent again; after the last of these the file goes in words. */
const AGAIN_STEPS_MS = [AGAIN_MS, 5_000, 20_000] as const;

/** As what a file goes that was refused as another; or why it does not go at all. `isOfFile`: anywhere, at any time. */
export type TelegramLesson = ({ readonly as: TelegramFileKind } | { readonly missing: string }) & {
  readonly isOfFile: boolean;
};

/** What one try has taught of its files. Another may find it otherwise, as rights change. */
export type TelegramLessons = Map<string, TelegramLesson>;

/** What Telegram can hide. */
const COVERED: ReadonlySet<TelegramFileKind> = new Set(["photo", "video", "animation"]);

interface NotSent {
  readonly is: "refused";
  readonly file: SharedFile;
  readonly lesson: TelegramLesson;
}

/** Why files were not sent: one of them goes in another way, or all are tried again. */
export type TelegramUnsent = NotSent | { readonly is: "ended"; readonly outcome: Outcome };

interface Opened {
  readonly is: "opened";
  readonly files: readonly Omit<TelegramAttached, "caption">[];
  /** The first that has not left as a whole; null: all have left. */
  unread(): SharedFile | null;
  /** The one whose content broke off; null: none has. */
  broken(): SharedFile | null;
}

/** Files of ops, as they leave: what the server does not take in one way is sent in another, or said in words. */
export class TelegramUploads {
  readonly #link: TelegramLink;
  readonly #lessons = new Lru<string, TelegramLesson>(LESSONS_MAX);
  /** How often requests of an op have broken off while a file was being sent. */
  readonly #broken = new Lru<OpId, Map<string, number>>(OPS_MAX);

  constructor(link: TelegramLink) {
    this.#link = link;
  }

  /** As what a file goes by all that is known. */
  wayOf(file: SharedFile, lessons: TelegramLessons): TelegramRenderedFile {
    if (file.id === null) return { file, goes: "in the text" };
    const lesson = lessons.get(keyOf(file)) ?? this.#lessons.get(keyOf(file));
    if (lesson !== undefined && "missing" in lesson)
      return { file: { ...file, missing: lesson.missing }, goes: "in the text" };
    const kind = lesson?.as ?? kindOf(file);
    if (file.spoiler === undefined || COVERED.has(kind)) return { file, goes: kind };
    return { file: { ...file, missing: "Telegram hides only pictures and videos" }, goes: "in the text" };
  }

  learn(file: SharedFile, lesson: TelegramLesson, lessons: TelegramLessons): void {
    lessons.set(keyOf(file), lesson);
    if (lesson.isOfFile) this.#lessons.set(keyOf(file), lesson);
  }

  /** Opens the files for one request. What is not sent as a whole certainly was not taken. */
  async send<T>(
    { op, files }: { readonly op: OpId; readonly files: readonly TelegramPartFile[] },
    signal: AbortSignal,
    call: (files: readonly Omit<TelegramAttached, "caption">[]) => Promise<TelegramResult<T>>,
  ): Promise<TelegramResult<T> | { readonly is: "not asked"; readonly why: TelegramUnsent }> {
    const opened = await this.#open(files, signal);
    if (opened.is !== "opened") return { is: "not asked", why: opened };
    const result = await call(opened.files);
    if (result.ok) {
      this.#broken.delete(op);
      return result;
    }
    const { failure } = result;
    const broken = opened.broken();
    const culprit = broken ?? (failure.certain ? null : opened.unread());
    if (culprit === null) return result;
    const { message } = failure;
    const why = broken === null ? message : "its content could not be read to its end";
    return { is: "not asked", why: this.#brokenOff(op, culprit, { ...failure, message: why }) };
  }

  /** All of them, or none: of a file that cannot be read the others are given back. */
  async #open(files: readonly TelegramPartFile[], signal: AbortSignal): Promise<Opened | TelegramUnsent> {
    const { host, uploadMax } = this.#link;
    const opened: { readonly of: SharedFile; readonly kind: TelegramFileKind; readonly content: WatchedFile }[] = [];
    for (const { file, kind } of files) {
      const content = await openOutgoing(file, host, signal);
      const lesson = lessonOf(content, kind, uploadMax);
      if (typeof content !== "string") opened.push({ of: file, kind, content: new WatchedFile(content) });
      if (lesson === null) continue;
      await Promise.all(opened.map(async ({ content }) => await content.discard()));
      return isAborted(signal) ? { is: "ended", outcome: GIVEN_UP } : { is: "refused", file, lesson };
    }
    return {
      is: "opened",
      files: opened.map(({ of, kind, content: { name, upload } }) => {
        return { kind, name, file: upload, isHidden: of.spoiler !== undefined };
      }),
      unread: () => opened.find(({ content }) => !content.isRead)?.of ?? null,
      broken: () => opened.find(({ content }) => content.isBroken)?.of ?? null,
    };
  }

  /** A server does nothing with half a request, so it is sent again; not for ever: this file may be what breaks it. */
  #brokenOff(op: OpId, file: SharedFile, { why, code, message }: TelegramFailure): TelegramUnsent {
    if (why === "aborted") return { is: "ended", outcome: GIVEN_UP };
    const broken = this.#broken.get(op) ?? new Map<string, number>();
    const times = broken.get(keyOf(file)) ?? 0;
    this.#broken.set(op, broken.set(keyOf(file), times + 1));
    const retryInMs = AGAIN_STEPS_MS[times];
    if (retryInMs === undefined) return { is: "refused", file, lesson: { missing: message, isOfFile: false } };
    return { is: "ended", outcome: deferred({ code, message }, retryInMs, "channel") };
  }
}

/** A file that knows whether it was read to its end, and whether it could be. */
class WatchedFile {
  readonly name: string;
  readonly upload: Upload;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #left: number;
  #isBroken = false;

  constructor({ name, mime, bytes, stream }: OutgoingFile) {
    this.name = name;
    this.#left = bytes;
    this.#reader = stream.getReader();
    const watched = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await this.#reader.read().catch((error: unknown) => {
            this.#isBroken = true;
            throw error;
          });
          this.#left -= value?.length ?? 0;
          if (!done) return controller.enqueue(value);
          this.#isBroken ||= this.#left > 0;
          controller.close();
        },
        cancel: async (why) => await this.#reader.cancel(why),
      },
      { highWaterMark: 0 },
    );
    this.upload = { mime, bytes, stream: watched };
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  get isRead(): boolean {
    return this.#left <= 0;
  }

  async discard(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

/** The same file again, also in an edit of its message. */
const keyOf = ({ id, name, bytes }: SharedFile): string => `${id ?? ""}\n${name}\n${bytes ?? ""}`;

/** Why an opened file does not go as it was meant to; null: it does. */
function lessonOf(content: OutgoingFile | string, kind: TelegramFileKind, max: number): TelegramLesson | null {
  if (typeof content === "string") return { missing: content, isOfFile: false };
  if (content.bytes > max) {
    const missing = `Telegram takes files of up to ${Math.floor(max / 1024 / 1024)} MB from a bot`;
    return { missing, isOfFile: true };
  }
  return kind === "photo" && content.bytes > PHOTO_MAX ? { as: "document", isOfFile: true } : null;
}

/** What is learnt from a refusal. */
export function lessonFrom(
  { kind }: Pick<TelegramPartFile, "kind">,
  { description, message }: TelegramFailure,
): TelegramLesson {
  const isOfFile = /IMAGE_PROCESS_FAILED|PHOTO_INVALID|PHOTO_EXT|too big|too large/iu.test(description);
  return kind === "document" ? { missing: message, isOfFile } : { as: "document", isOfFile };
}

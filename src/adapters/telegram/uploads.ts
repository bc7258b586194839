import type { SharedFile } from "../../contract/content.ts";
import { Lru } from "../../lib/lru.ts";
import { openOutgoing } from "../kit/outgoing-files.ts";
import type { TelegramAttached, TelegramFileKind } from "./api.ts";
import { kindOf, PHOTO_MAX } from "./kinds.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramPartFile, TelegramRenderedFile } from "./render.ts";

/** Files of which it is known that they do not go as what they are. */
const LESSONS_MAX = 1_000;

/** As what a file goes that was refused as another; or why it does not go at all. */
type Lesson = { readonly as: TelegramFileKind } | { readonly missing: string };

export type TelegramOpened =
  | { readonly ok: true; readonly files: readonly Omit<TelegramAttached, "caption">[] }
  | { readonly ok: false; readonly file: SharedFile; readonly lesson: Lesson };

/** Files of ops, as they leave: what the server does not take in one way is sent in another, or said in words. */
export class TelegramUploads {
  readonly #link: TelegramLink;
  readonly #lessons = new Lru<string, Lesson>(LESSONS_MAX);

  constructor(link: TelegramLink) {
    this.#link = link;
  }

  /** As what a file goes by all that is known. */
  wayOf(file: SharedFile): TelegramRenderedFile {
    if (file.id === null) return { file, goes: "in the text" };
    const lesson = this.#lessons.get(keyOf(file));
    if (lesson === undefined) return { file, goes: kindOf(file) };
    return "as" in lesson
      ? { file, goes: lesson.as }
      : { file: { ...file, missing: lesson.missing }, goes: "in the text" };
  }

  learn(file: SharedFile, lesson: Lesson): void {
    this.#lessons.set(keyOf(file), lesson);
  }

  /** The server has refused it as this. */
  refused({ file, kind }: TelegramPartFile, why: string): Lesson {
    const lesson: Lesson = kind === "document" ? { missing: why } : { as: "document" };
    this.learn(file, lesson);
    return lesson;
  }

  /** All of them, or none: of a file that cannot be read the others are given back. */
  async open(files: readonly TelegramPartFile[], signal: AbortSignal): Promise<TelegramOpened> {
    const { host, uploadMax } = this.#link;
    const opened: Omit<TelegramAttached, "caption">[] = [];
    for (const { file, kind } of files) {
      const content = await openOutgoing(file, host, signal);
      const lesson = typeof content === "string" ? { missing: content } : lessonOf(kind, content.bytes, uploadMax);
      if (typeof content !== "string") opened.push({ kind, name: content.name, file: content });
      if (lesson === null) continue;
      await Promise.all(opened.map(({ file: { stream } }) => stream.cancel().catch(() => undefined)));
      return { ok: false, file, lesson };
    }
    return { ok: true, files: opened };
  }
}

/** The same file again, also in an edit of its message. */
const keyOf = ({ id, name, bytes }: SharedFile): string => `${id ?? ""}\n${name}\n${bytes ?? ""}`;

/** By its real size; null: it can go. */
function lessonOf(kind: TelegramFileKind, bytes: number, max: number): Lesson | null {
  if (bytes > max) return { missing: `Telegram takes files of up to ${Math.floor(max / 1024 / 1024)} MB from a bot` };
  return kind === "photo" && bytes > PHOTO_MAX ? { as: "document" } : null;
}

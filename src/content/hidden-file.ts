import type { Spoiler } from "../contract/content.ts";
import { excerpt } from "./length.ts";

/** A file that its sender hides. */
interface HiddenFile {
  readonly name: string;
  readonly mime?: string | null;
  readonly spoiler?: Spoiler | undefined;
}

const REASON_MAX = 200;

/** What a reader sees in place of a hidden file: `hidden picture: the reason`. Neither its name nor its caption. */
export function hiddenWords({ name, mime = null, spoiler }: HiddenFile): string {
  const [, ending = ""] = /\.(\w{1,5})$/u.exec(name) ?? [];
  const kind = KINDS.find(({ type, endings }) => mime?.startsWith(type) === true || endings.test(ending))?.kind;
  const reason = typeof spoiler === "string" ? excerpt(spoiler, REASON_MAX) : "";
  return `hidden ${kind ?? "file"}${reason === "" ? "" : `: ${reason}`}`;
}

const KINDS = [
  { kind: "picture", type: "image/", endings: /^(?:a?png|avif|bmp|gif|heic|jpe?g|svg|webp)$/iu },
  { kind: "video", type: "video/", endings: /^(?:m4v|mkv|mov|mp4|webm)$/iu },
] as const;

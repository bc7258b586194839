import type { FileId, FileRef, UserRef } from "./ids.ts";

/** What crosses the bridge: a small tree. Text is never escaped in it; a newline in `text` is a line break. */
export type Inline =
  | { readonly t: "text" | "code"; readonly text: string }
  | { readonly t: "bold" | "italic" | "underline" | "strike" | "spoiler"; readonly of: readonly Inline[] }
  /** Colours as `#rrggbb`; null leaves that side as it is. */
  | {
      readonly t: "colour";
      readonly fore: string | null;
      readonly back: string | null;
      readonly of: readonly Inline[];
    }
  | { readonly t: "link"; readonly href: string; readonly of: readonly Inline[] }
  /** `text`: what people see where the mention means nothing. */
  | { readonly t: "mention"; readonly user: UserRef | null; readonly text: string }
  | { readonly t: "emoji"; readonly text: string };

export type Block =
  | { readonly t: "para"; readonly of: readonly Inline[] }
  | { readonly t: "heading"; readonly level: number; readonly of: readonly Inline[] }
  | { readonly t: "pre"; readonly text: string; readonly lang: string | null }
  | { readonly t: "quote"; readonly of: readonly Block[] }
  | { readonly t: "list"; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] };

/** The text as its writer's network has it: a destination that speaks the same format passes it on untouched. */
export interface Source {
  readonly format: string;
  readonly text: string;
}

/** `action`: said of oneself in the third person (`/me`). `notice`: programs must not answer it. */
export type Style = "normal" | "action" | "notice";

export interface Body {
  readonly style: Style;
  readonly source: Source;
  readonly blocks: readonly Block[];
  readonly files: readonly SharedFile[];
}

interface FileFacts {
  readonly name: string;
  /** The caption, in the words of the sender; empty when there is none. */
  readonly comment: string;
  /** Media type (RFC 6838), null when nobody knows. */
  readonly mime: string | null;
  /** Its size, null when nobody knows; only claimed until it has been read. */
  readonly bytes: number | null;
  /** Where everybody can fetch it, or null. Holds no token of a network. */
  readonly url: string | null;
  /** The sender hides it and its caption until a reader asks for it: true, or the reason. Absent: it is open. */
  readonly spoiler?: Spoiler;
}

export type Spoiler = true | string;

/** A file as an event names it: nobody has read it yet. */
export interface RemoteFile extends FileFacts {
  /** For `Session.openFile`; null when `url` is the only way to it. */
  readonly ref: FileRef | null;
}

/** A file as an op carries it. */
export interface SharedFile extends FileFacts {
  /** For `Host.openFile`; null when it could not be fetched or is too large for the room, for the reason given. */
  readonly id: FileId | null;
  /** Why there is no `id`, for people; null when there is one. */
  readonly missing: string | null;
}

import type { FileId } from "../contract/ids.ts";
import type { Reason } from "../contract/outcome.ts";
import type { OpenedFile } from "../contract/session.ts";

/** The files that messages carry: fetched once, kept on disk, opened as often as somebody needs them. */
export interface Files {
  /**
   * Makes sure that the content is here, within the limits of the configuration (size, names, time), and says what it
   * is. Several asks for one file are one fetch. Never rejects.
   */
  ready(wanted: WantedFile, signal: AbortSignal): Promise<ReadyFile>;
  /** The content of a file that is ready; fetches it again where it had to go meanwhile. Never rejects. */
  open(id: FileId, signal: AbortSignal): Promise<OpenedFile>;
  /**
   * Keeps content that came inside a message, for `FileOrigin` "stored"; its SHA-256, null when it is refused or the
   * disk does not take it. Away: other machines were to have it as well, and cannot now, so its message must not be
   * accepted.
   */
  keep(content: Uint8Array, name: string): Promise<string | Away | null>;
  /**
   * A public address of this text as a file, the same for the same text; null when files have no public address. Never
   * rejects.
   */
  publish(text: string): Promise<string | null>;
}

/** The servers that keep the files of all machines do not take one now. */
export interface Away {
  readonly why: Reason;
}

export interface WantedFile {
  readonly id: FileId;
  /** As the sender named it. */
  readonly name: string;
  /** As the sender's network claims; null when it does not say. */
  readonly mime: string | null;
  readonly bytes: number | null;
}

export type ReadyFile =
  | {
      readonly ok: true;
      readonly bytes: number;
      readonly mime: string;
      /** Lower-case hex SHA-256 of the content. */
      readonly sha256: string;
      /** Public address, made by the media endpoint or the media folder; null when neither is configured. */
      readonly link: string | null;
      /** The name with an ending that fits the type; absent: as it was asked for. */
      readonly name?: string;
    }
  /** `retry`: it may be there later. `holds`: the answer stays the same for longer than messages wait. */
  | { readonly ok: false; readonly why: Reason; readonly retry: boolean; readonly holds?: true };

/** `Files`, and what its public addresses lead to. */
export interface FileStore extends Files {
  /**
   * A public address of a file that need not be here yet: it is fetched when somebody follows the link. The same for
   * some time, and never longer than other links; null without a media endpoint, and for what may not be relayed by its
   * name.
   */
  linkFor(id: FileId, name: string): string | null;
  /** When the links that `linkFor` makes now end, Unix ms; null: it makes none. */
  linksUntil(): number | null;
  /**
   * Takes a content in as it comes, never whole in memory. `mime`: as its sender claims. `owner`: who makes room for it
   * first when space runs out. Rejects with what `chunks` throws.
   */
  take(
    chunks: AsyncIterable<Uint8Array>,
    named: Pick<WantedFile, "name" | "mime"> & { readonly owner?: string },
  ): Promise<TakenFile>;
  /**
   * The content with this SHA-256 (lower-case hex) under this name; `file`, `gone` and, where other machines may have
   * it, `missing` only. Never rejects.
   */
  held(sha256: string, name: string): Promise<Published>;
  /** The file, fetched if need be; `file` and `missing` only, or `gone`. Never rejects. */
  fetched(wanted: WantedFile): Promise<Published>;
  /** What the link with this token and this name (decoded) leads to, fetched if need be. Never rejects. */
  published(token: string, name: string): Promise<Published>;
  /** Ends what is being fetched and resolves when nothing is written any more. */
  close(): Promise<void>;
}

export type TakenFile =
  | { readonly ok: true; readonly sha256: string; readonly bytes: number; readonly mime: string }
  /** `retry`: it may be taken later. */
  | { readonly ok: false; readonly why: Reason; readonly retry: boolean };

export type Published =
  | { readonly is: "file"; readonly file: PublishedFile }
  /** `expired`: its time is over. `gone`: the store had to let it go. `unknown`: we never made this link. */
  | { readonly is: "expired" | "gone" | "unknown" }
  /** It cannot be fetched; `retry`: it may be there later. */
  | { readonly is: "missing"; readonly retry: boolean };

export interface PublishedFile {
  readonly name: string;
  readonly bytes: number;
  /** Ready for Content-Type, with a charset where it is known. */
  readonly type: string;
  /** Whether a browser may show it by itself: pictures, sound, films and plain text, never what can hold a script. */
  readonly inline: boolean;
  /** Names the content: the same content has the same one. */
  readonly tag: string;
  /** When the link ends, Unix milliseconds. */
  readonly untilMs: number;
  /** The bytes from `first` to `last`, both counted from 0 and included; it throws when the content has gone. */
  read(first: number, last: number): AsyncIterable<Uint8Array>;
}

/** What is known of uploads, by the SHA-256 of their contents. */
export interface KnownUploads {
  /** Who has uploaded a content; absent: it came with a message, or was fetched for one. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
  /** Uploads that a message refers to. */
  readonly shown: ReadonlySet<string>;
}

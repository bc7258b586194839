import type { AdapterLog, Clock } from "../contract/host.ts";
import type { FileRef } from "../contract/ids.ts";
import type { OpenedFile } from "../contract/session.ts";
import type { Resolve } from "../lib/host-addresses.ts";
import type { KnownUploads } from "./files.ts";
import type { SharedContents } from "./shared.ts";
import type { SingleFlightLimits } from "./single-flight.ts";
import type { MediaFolder } from "./media-folder.ts";

export interface FilesOptions {
  /** Absolute; the store is in its folder `files`. */
  readonly dataPath: string;
  readonly retentionDays: number;
  readonly media: MediaLimits;
  /** Of a name: whether MediaDownloadBlackList excludes it. */
  readonly blacklisted: (name: string) => boolean;
  readonly sources: Sources;
  /** What is known of uploads, by which it is decided what goes when space runs out; absent: nothing. */
  readonly uploads?: () => Promise<KnownUploads>;
  /** What several machines have together; absent: this is the only one. */
  readonly shared?: SharedContents;
  readonly clock: Clock;
  readonly log: AdapterLog;
  /** For tests: in place of the system's resolver, the free space of the disk, and the usual limits. */
  readonly test?: {
    readonly resolve?: Resolve;
    readonly freeBytes?: () => Promise<number>;
    readonly singleFlight?: Partial<SingleFlightLimits>;
  };
}

/** As the configuration has it (`MediaSettings`). */
export interface MediaLimits {
  /** Bytes of one file. */
  readonly downloadSize: number;
  /** Bytes of the store. */
  readonly storeBytes: number;
  readonly allowPrivate: boolean;
  /** Where the media endpoint is to be reached, without a slash at the end, and how long its links hold. */
  readonly endpoint: { readonly url: string; readonly expiryMs: number } | null;
  readonly folder: MediaFolder | null;
}

/** The networks' own files, each through a session of its account. */
interface Sources {
  /** Value of the setting `Proxy` that counts for files of this account; of none, that of `[general]`. Absent: none. */
  proxyFor?(account: string | undefined): string;
  /** Never rejects. */
  open(account: string, ref: FileRef, signal: AbortSignal): Promise<OpenedFile>;
}

const DAY_MS = 24 * 3_600_000;
/** A use is noted to the hour only. */
const USE_SLACK_MS = 2 * 3_600_000;

/** A content that was not used for so long may go: messages with it have gone, and links to it have ended. */
export const keepMsOf = ({ retentionDays, media }: Pick<FilesOptions, "retentionDays" | "media">): number =>
  Math.max(retentionDays * DAY_MS, media.endpoint?.expiryMs ?? 0) + USE_SLACK_MS;

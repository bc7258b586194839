import type { Block, Inline } from "./content.ts";
import type { OptionalKind } from "./ops.ts";

/** `emulated`: it arrives, but lossy; each loss is named in the receipt. */
export type Level = "native" | "emulated" | "none";

/** Rungs of the identity ladder, best first. */
export type Identity = "puppet" | "per-message" | "alias" | "prefix";

/** How an op whose outcome is unknown is settled. */
export type Idempotency =
  /** The network knows a repeated op by a key of ours for `windowMs`: trying again is safe. */
  | { readonly by: "key"; readonly windowMs: number }
  /** The network shows us what we wrote, also after a reconnect. */
  | { readonly by: "echo" }
  /** Neither: what may have been sent is not sent again. */
  | { readonly by: "none" };

/** What a network can do at most, as data: read by the planner, the documentation and the contract tests. */
export interface Capabilities {
  /** `none`: the core says it in a post instead, as well as that can be said (`gateway/fallback.ts`), or not at all. */
  readonly ops: { readonly [K in OptionalKind]: "native" | "none" };
  /** `emulated`: people see it only in words, which the core adds, though `OpReply` comes beside them for programs. */
  readonly reply: Level;
  /** The adapter shows words of the message that is answered, from `OpReply`. Absent: the network shows them itself. */
  readonly quotesReplies?: true;
  /** How a reply is said in words: the quoted line before it, or the name of who is answered. */
  readonly replyWords: "quote" | "address";
  readonly thread: Level;
  /** A mention notifies whom it names; `emulated`: their clients find the name in the text. */
  readonly mention: Level;
  readonly notice: Level;
  /** Files from the network, and to it. */
  readonly fileIn: Level;
  readonly fileOut: Level;
  /**
   * What the adapter hides of files that are hidden where they come from: them, or their captions as well. Absent: it
   * is given links to them.
   */
  readonly hiddenFiles?: "alone" | "with captions";
  /** People joining, leaving and changing names are told. */
  readonly members: Level;
  /** Other topics are told; `ops.topic` is about setting them. */
  readonly topic: Level;
  /** What was said while nobody was connected can be fetched later. */
  readonly history: Level;
  readonly identity: readonly Identity[];
  /** The format of `content/name-marks.ts` in which RemoteNickFormat is written; absent: it has no marks. */
  readonly nameMarks?: string | NameMarksBySetting;
  readonly idempotency: Idempotency;
  /** What `delivered` means: taken by the socket, confirmed by the server, or seen by a device. */
  readonly proof: "handed-over" | "server" | "device";
  readonly formats: readonly (Inline["t"] | Block["t"])[];
  readonly limits: Limits;
}

/** A setting of the account decides; a value that is not listed stands for no marks. */
interface NameMarksBySetting {
  readonly setting: string;
  readonly formats: Readonly<Record<string, string>>;
}

interface Limits {
  /** Of one part of a post. */
  readonly textMax: number;
  readonly textUnit: "bytes" | "utf16" | "codepoints";
  /** Most handler calls at once for one channel. */
  readonly inflightMax: number;
}

import { createHash } from "node:crypto";
import type { MessageRef, OpId, Progress } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import { type Json, objectIn, textIn } from "../kit/json.ts";
import { messageRef, opIdAgain, progressAt } from "./ids.ts";
import type { SlackIdentity } from "./login.ts";
import type { SlackMessage } from "./model.ts";
import { readMark } from "./progress.ts";

const EVENT_TYPE = "rialto_op";
/** Of ids of blocks. */
const ID_MAX = 255;

/** So many messages of ours are known by what they were posted for. */
const OWN_MAX = 5_000;
const DELETING_MAX = 1_000;

/** What a message of ours was made for: an op, and which part of it. */
export interface SlackOwnPart {
  readonly op: OpId;
  /** As made by `markOf`. */
  readonly mark: Progress;
}

/** A message of ours that is there: up to where it says its op. */
export interface FoundMessage {
  readonly ref: MessageRef;
  readonly upTo: Progress;
  /** It was given a name of its own, and does not have it: nothing says who speaks. */
  readonly unnamed: boolean;
}

/**
 * The message says so to us in answers and in its history, but not in events. `named`: it was given a name of its own,
 * which servers may pass over.
 */
export const metadataOf = ({ op, mark }: SlackOwnPart, named = false): Json => ({
  event_type: EVENT_TYPE,
  event_payload: { op, upTo: mark, ...(named && { named }) },
});

/** The id of its first block, which events have as well. One that is too long for that is known to this life alone. */
export function blockIdOf({ op, mark }: SlackOwnPart): string {
  const id = `rialto/${op}/${mark}`;
  if (id.length <= ID_MAX) return id;
  return `rialto#${createHash("sha256").update(op).digest("hex")}/${mark}`;
}

type OwnIdentity = Pick<SlackIdentity, "userId" | "botId" | "appId">;

/** Messages of ours as the server shows them to us: what was sent without an answer is found here. */
export class SlackOwnMessages {
  readonly #me: OwnIdentity;
  readonly #found = new Lru<string, FoundMessage>(OWN_MAX);
  /** By ids of blocks, and by ids of files, of which some are sent without words. */
  readonly #marks = new Lru<string, SlackOwnPart>(OWN_MAX);
  readonly #deleting = new Lru<string, true>(DELETING_MAX);

  constructor(me: OwnIdentity) {
    this.#me = me;
  }

  /** Whether we wrote it, under whatever name. */
  isOurs({ user, botId, appId }: Pick<SlackMessage, "user" | "botId" | "appId">): boolean {
    const me = this.#me;
    const isSame = (one: string, other: string): boolean => one !== "" && one === other;
    return isSame(user, me.userId) || isSame(botId, me.botId) || isSame(appId, me.appId);
  }

  /** It is about to be made. `files`: the ids of those that come with it. */
  making(part: SlackOwnPart, files: readonly string[]): void {
    for (const sign of [blockIdOf(part), ...files]) this.#marks.set(sign, part);
  }

  /**
   * Null for a message that was made for no op. Anybody can write what ours say of themselves: ask first whether it is
   * ours.
   */
  note(
    _channel: string,
    message: Pick<SlackMessage, "ts" | "username" | "metadata" | "blocks" | "files">,
  ): SlackOwnPart | null {
    const told = inMetadata(message);
    const part = told ?? this.#bySign(message);
    if (part === null) return null;
    const { key, upTo } = readMark(part.mark);
    // Events do not tell whether it was given a name.
    const unnamed = told === null ? this.find(part.op, key)?.unnamed === true : lacksName(message);
    this.#found.set(`${part.op} ${key}`, { ref: messageRef(message.ts), upTo, unnamed });
    return part;
  }

  /** `key`: which part of the op. Null: nobody has seen it. */
  find(op: OpId, key: string): FoundMessage | null {
    return this.#found.get(`${op} ${key}`) ?? null;
  }

  /** It is there no longer. */
  forget(op: OpId, key: string): void {
    this.#found.delete(`${op} ${key}`);
  }

  /** We are about to take it back: the server tells everybody, but not who did it. */
  deleting(channel: string, ts: string): void {
    this.#deleting.set(`${channel} ${ts}`, true);
  }

  isDeleting(channel: string, ts: string): boolean {
    return this.#deleting.get(`${channel} ${ts}`) === true;
  }

  #bySign({ blocks, files }: Pick<SlackMessage, "blocks" | "files">): SlackOwnPart | null {
    const id = textIn(blocks[0] ?? {}, "block_id") ?? "";
    const [, op, mark] = /^rialto\/(.+)\/([^/]+)$/su.exec(id) ?? [];
    if (op !== undefined && mark !== undefined) return { op: opIdAgain(op), mark: progressAt(mark) };
    return this.#marks.get(id) ?? this.#marks.get(files[0]?.id ?? "") ?? null;
  }
}

/** It was given a name, which the server has passed over, and nobody has put it before the words since. */
export const lacksName = ({ username, metadata }: Pick<SlackMessage, "username" | "metadata">): boolean =>
  username === "" && objectIn(metadata, "event_payload")["named"] === true;

function inMetadata({ metadata }: Pick<SlackMessage, "metadata">): SlackOwnPart | null {
  if (metadata["event_type"] !== EVENT_TYPE) return null;
  const payload = objectIn(metadata, "event_payload");
  const [op, mark] = [textIn(payload, "op"), textIn(payload, "upTo")];
  return op === null || mark === null ? null : { op: opIdAgain(op), mark: progressAt(mark) };
}

import type { Block } from "../../contract/content.ts";
import type { OpId } from "../../contract/ids.ts";
import type { OpAuthor, PostOp, ReactOp } from "../../contract/ops.ts";
import { plainText } from "../../content/plain.ts";
import { answer, closeCase, openCase } from "./cases.ts";
import type { Chat } from "./chat.ts";
import { appear } from "./guests.ts";
import { publish, tellModerators } from "./publishing.ts";
import { storedAuthor } from "./render.ts";
import type { StoredUpload } from "./store/rows.ts";

interface Decision {
  readonly approved: boolean;
  /** For people. */
  readonly by: string;
  /** Of what a moderator did to decide; absent: it was decided elsewhere. */
  readonly op?: OpId;
}

/**
 * A message that waits is said now, and the guest's next ones do not wait; or it never is. False: it does not wait any
 * more. Rejects with StoreClosed, and with nothing done.
 */
export async function decide(chat: Chat, id: string, { approved, by, op }: Decision): Promise<boolean> {
  const { timeline, people, records } = chat;
  let isHeld = false as boolean;
  let files: readonly StoredUpload[] = [];
  await chat.change(() => {
    const message = timeline.find(id);
    isHeld = message?.state === "held";
    if (message?.state !== "held") return [];
    const { room, guest } = message;
    if (approved) {
      timeline.release(id, chat.nowMs);
      people.set(guest, "held", false);
    } else {
      timeline.remove(id);
      files = records.filesOf(id);
      for (const file of files) records.removeFile(file.id);
    }
    closeCase(chat, id, `${approved ? "approved" : "rejected"} by ${by}`, op);
    const told = timeline.change(room, chat.nowMs, { is: "hold", id, approved }, guest);
    return approved ? [told, timeline.change(room, chat.nowMs, { is: "room" }, guest)] : [told];
  });
  await chat.uploads.unlink(files);
  if (!isHeld) return false;
  void tellModerators(chat);
  const message = timeline.find(id);
  if (approved && message !== null) await appear(chat, message.guest);
  // What the core does not take now, it is given at the next start of the session.
  if (approved && message !== null) await publish(chat, message);
  return true;
}

/** What waits, and of which this room was told nothing yet, as after it was named in the settings. */
export async function recoverCases(chat: Chat): Promise<void> {
  await chat.store.write(() => {
    for (const message of chat.timeline.inState("held")) openCase(chat, message);
  });
}

/** A moderator may have decided by it. The same again does nothing. Rejects with StoreClosed. */
export async function hearReaction(chat: Chat, { id, channel, target, emoji, on, author }: ReactOp): Promise<void> {
  const plain = emoji.replaceAll(/\ufe0f|\p{Emoji_Modifier}/gu, "");
  const approved = YES.has(plain);
  if (channel !== chat.moderators || !on || !(approved || NO.has(plain)) || !mayDecide(author)) return;
  const found = chat.cases.by(target);
  if (found !== null) await decide(chat, found.message, { approved, by: storedAuthor(author).name, op: id });
}

/** The same for what is written there: to a notice, or with its number. */
export async function hearPost(chat: Chat, { id, channel, author, body, reply }: PostOp): Promise<void> {
  if (channel !== chat.moderators || author === null || !mayDecide(author)) return;
  const order = readOrder(body.blocks);
  if (order === null) return;
  const { approved, seq } = order;
  const found = seq === null ? chat.cases.by(reply?.target ?? "") : chat.cases.find(seq);
  if (found !== null) await decide(chat, found.message, { approved, by: storedAuthor(author).name, op: id });
  else if (seq !== null) {
    await chat.store.write(() => answer(chat, id, `Number ${seq} does not wait for approval.`, null));
    void tellModerators(chat);
  }
}

const YES: ReadonlySet<string> = new Set(["👍", "✅", "✔", "👌"]);
const NO: ReadonlySet<string> = new Set(["👎", "❌", "✖", "🚫"]);
const ORDER = /^(?<what>approved?|reject(?:ed)?)(?:\s+#?(?<seq>\d{1,12}))?\s*[.!]?$/iu;

/** What is written to decide; `seq` null: it is about the message that it answers. */
export function readOrder(
  blocks: readonly Block[],
): { readonly approved: boolean; readonly seq: number | null } | null {
  const { what, seq } = ORDER.exec(plainText(blocks).trim())?.groups ?? {};
  if (what === undefined) return null;
  return { approved: what.toLowerCase().startsWith("approve"), seq: seq === undefined ? null : Number(seq) };
}

/** Guests never do, whatever is linked with what. */
const mayDecide = ({ id, account }: OpAuthor): boolean => !(account.startsWith("web.") && id.startsWith("guest:"));

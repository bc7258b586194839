import type { Message } from "../contract/message.ts";
import type { NewEntry, Subject } from "../log/log.ts";
import { encodeStored, type Stored } from "./codec.ts";

/** As whom Rialto itself speaks. */
export const OWN_NAME = "Rialto";

export interface OwnWords {
  readonly text: string;
  readonly label: string;
  readonly nowMs: number;
  readonly about: Stored["about"];
}

/** The entry of a line of Rialto's own, without its key; `account`: one that no configuration can have. */
export function ownEntry(
  { account, channel, subject }: { readonly account: string; readonly channel: string; readonly subject: Subject },
  { text, label, nowMs, about }: OwnWords,
): Omit<NewEntry, "key"> {
  const message: Message = {
    text,
    channel,
    username: OWN_NAME,
    userid: "",
    avatar: "",
    account,
    event: label,
    protocol: "rialto",
    gateway: "",
    parent_id: "",
    timestamp: new Date(nowMs).toISOString(),
    id: "",
    Extra: null,
  };
  return {
    subject,
    label,
    payload: encodeStored({ message, source: null, about, files: [], avatar: null, topic: null }),
  };
}

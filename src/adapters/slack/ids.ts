import {
  type ChannelRef,
  type Cursor,
  type EventKey,
  type FileRef,
  type MessageRef,
  mint,
  type OpId,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";

/** Every name that the core is given of Slack is made here. */

/** The id of a channel, such as `C024BE91L`. */
export const channelRef = (channel: string): ChannelRef => mint("ChannelRef", channel);

/** A message is named by its `ts`, which is its own only within its channel. */
export const messageRef = (ts: string): MessageRef => mint("MessageRef", ts);

export const eventKey = (text: string): EventKey => mint("EventKey", text);

export const userRef = (user: string): UserRef => mint("UserRef", user);

export const cursorOf = (positions: object): Cursor => mint("Cursor", JSON.stringify(positions));

/** `end`: the number of the parts that are done, or the name of a part. */
export const progressAt = (end: string): Progress => mint("Progress", end);

/** The core's own, as a message of ours carries it. */
export const opIdAgain = (text: string): OpId => mint("OpId", text);

/** What `openFile` is asked for: a file of a message, or the picture of a person. */
export type SlackFileRef =
  | { readonly is: "file"; readonly id: string }
  | { readonly is: "picture"; readonly url: string };

/** Its address is looked up when it is opened: `files.info`. */
export const fileRef = (id: string): FileRef => mint("FileRef", `file/${id}`);

export function readFileRef(ref: FileRef): SlackFileRef | null {
  const at = ref.indexOf("/");
  const [kind, rest] = [ref.slice(0, at), ref.slice(at + 1)];
  if (at < 0 || rest === "") return null;
  if (kind === "file") return { is: "file", id: rest };
  return kind === "picture" ? { is: "picture", url: rest } : null;
}

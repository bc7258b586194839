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

/** Every name that the core is given of Discord is made here. */

/** The id of a channel, a thread or a forum. */
export const channelRef = (channel: string): ChannelRef => mint("ChannelRef", channel);

/** A message as a room has it. */
export interface DiscordPlace {
  /** The thread of the room that it is in; null: the room itself. */
  readonly thread: string | null;
  readonly id: string;
}

/** The same whatever told of the message: a thread's message has the thread before it. */
export const messageRef = ({ thread, id }: DiscordPlace): MessageRef =>
  mint("MessageRef", thread === null ? id : `${thread}/${id}`);

export function readMessageRef(ref: MessageRef): DiscordPlace {
  const [first = "", second] = ref.split("/");
  return second === undefined ? { thread: null, id: first } : { thread: first, id: second };
}

export const eventKey = (text: string): EventKey => mint("EventKey", text);

export const userRef = (user: string): UserRef => mint("UserRef", user);

export const cursorOf = (positions: object): Cursor => mint("Cursor", JSON.stringify(positions));

/** `end`: the number of the parts that are done, or the name of a part. */
export const progressAt = (end: string): Progress => mint("Progress", end);

/** The core's own, as the cursor has it of a post under way. */
export const opIdAgain = (text: string): OpId => mint("OpId", text);

/** A file of a message: its address expires, so it is looked up again by these. */
export const fileRef = (channel: string, message: string, attachment: string): FileRef =>
  mint("FileRef", `${channel}/${message}/${attachment}`);

export interface DiscordFilePlace {
  readonly channel: string;
  readonly message: string;
  readonly attachment: string;
}

export function readFileRef(ref: FileRef): DiscordFilePlace | null {
  const [channel = "", message = "", attachment = ""] = ref.split("/");
  return attachment === "" ? null : { channel, message, attachment };
}

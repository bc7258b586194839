import {
  type ChannelRef,
  type Cursor,
  type EventKey,
  type MessageRef,
  mint,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";

/** Every name that the core is given of IRC is made here. */

export const channelRef = (name: string): ChannelRef => mint("ChannelRef", name);

/** `msgid`: of IRCv3 "Message IDs". */
export const messageRef = (msgid: string): MessageRef => mint("MessageRef", msgid);

export const userRef = (id: string): UserRef => mint("UserRef", id);

/** One line can be an event in several channels. */
export const eventKey = (msgid: string, channel: ChannelRef): EventKey => mint("EventKey", `${msgid} ${channel}`);

export const cursorOf = (marks: object): Cursor => mint("Cursor", JSON.stringify(marks));

/** A place in a text, or among messages. */
export const progressAt = (place: number): Progress => mint("Progress", String(place));

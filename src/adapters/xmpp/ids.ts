import {
  type ChannelRef,
  type Cursor,
  type EventKey,
  type FileRef,
  type MessageRef,
  mint,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";

/** Every name that the core is given of XMPP is made here; refs.ts says how those of messages read. */

export const channelRef = (jid: string): ChannelRef => mint("ChannelRef", jid);

export const messageRef = (text: string): MessageRef => mint("MessageRef", text);

export const eventKey = (text: string): EventKey => mint("EventKey", text);

export const userRef = (jid: string): UserRef => mint("UserRef", jid);

export const pictureRef = (picture: { readonly of: string; readonly sha1: string | null }): FileRef =>
  mint("FileRef", JSON.stringify(picture));

export const cursorOf = (positions: object): Cursor => mint("Cursor", JSON.stringify(positions));

/** `end`: where the text goes on, or the name of a part. */
export const progressAt = (end: string): Progress => mint("Progress", end);

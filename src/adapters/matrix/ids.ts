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

/** Every name that the core is given of Matrix is made here. */

export const roomRef = (room: string): ChannelRef => mint("ChannelRef", room);

export const messageRef = (event: string): MessageRef => mint("MessageRef", event);

export const eventKey = (event: string): EventKey => mint("EventKey", event);

export const userRef = (user: string): UserRef => mint("UserRef", user);

/** `mxc`: "Matrix Content (mxc://) URIs". */
export const fileRef = (mxc: string): FileRef => mint("FileRef", mxc);

/** `next_batch` of /sync. */
export const cursorAt = (position: string): Cursor => mint("Cursor", position);

/** So many parts are done. */
export const progressAfter = (parts: number): Progress => mint("Progress", String(parts));

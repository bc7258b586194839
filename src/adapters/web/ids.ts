import { hash } from "node:crypto";
import {
  type ChannelRef,
  type EventKey,
  type FileRef,
  type MessageRef,
  mint,
  type Progress,
  type UserRef,
} from "../../contract/ids.ts";

/** Every name that the core is given of this network is made here. */

export const channelRef = (room: string): ChannelRef => mint("ChannelRef", room);
export const messageRef = (id: string): MessageRef => mint("MessageRef", id);
export const userRef = (id: string): UserRef => mint("UserRef", id);
export const eventKey = (text: string): EventKey => mint("EventKey", text);
export const fileRef = (id: string): FileRef => mint("FileRef", id);
/** Of a post in parts: so many are there. */
export const progressAt = (parts: number): Progress => mint("Progress", String(parts));

/**
 * The same for each try of one message: a crash between the log and the store is healed by whoever tries again. 128
 * bits, as nobody may find another message with the same.
 */
export function messageId(...of: readonly string[]): string {
  return `m${hash("sha256", JSON.stringify(of), "buffer").subarray(0, 16).toString("base64url")}`;
}

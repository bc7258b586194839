import { createHmac, hash, randomBytes } from "node:crypto";
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

/** A new key for each start of the program. */
const PERSON_KEY = randomBytes(32);

/**
 * The id of a person of another network, as pages get it. The network's own id may hold an address (IRC: `user@host`),
 * so pages get a keyed hash, which does not reveal it.
 */
export function personId(...of: readonly string[]): string {
  const digest = createHmac("sha256", PERSON_KEY).update(JSON.stringify(of)).digest();
  return `p${digest.subarray(0, 16).toString("base64url")}`;
}

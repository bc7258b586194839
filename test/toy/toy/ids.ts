import {
  type ChannelRef,
  type EventKey,
  type MessageRef,
  mint,
  type Progress,
  type UserRef,
} from "../../../src/contract/ids.ts";

/** Every name that the core is given of this network is made here. */

export const channelRef = (room: string): ChannelRef => mint("ChannelRef", room);

export const messageRef = (id: string): MessageRef => mint("MessageRef", id);

export const userRef = (id: string): UserRef => mint("UserRef", id);

export const eventKey = (number: number): EventKey => mint("EventKey", String(number));

/** A place in the text. */
export const progressAt = (offset: number): Progress => mint("Progress", String(offset));

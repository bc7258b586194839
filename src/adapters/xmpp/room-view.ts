import type { ChannelRef } from "../../contract/ids.ts";
import type { Occupant, Telling } from "./occupants.ts";

/** What reading a stanza needs to know of its room. */
export interface RoomView extends Telling {
  readonly ref: ChannelRef;
  /** Its bare address. */
  readonly jid: string;
  readonly ownNick: string;
  /** As the room tells it, else by our own address. */
  readonly ownIdentity: string;
  /** The room gives ids to messages (XEP-0359); otherwise those in a stanza are anybody's. */
  readonly stableIds: boolean;
  /**
   * It tells what was said before when we enter (XEP-0045 §7.2.13); otherwise a delay in a message is its author's own.
   */
  readonly tellsPast: boolean;
  occupant(nick: string): Occupant | null;
  /** The nick of who has this identity; null of somebody who is not there. */
  nickOf(identity: string): string | null;
  /** Whether a message with this id of the room was seen lately. */
  isKnown(sid: string): boolean;
  /** Whether the author of this identity lately gave a message this id. */
  isBy(who: string, id: string): boolean;
}

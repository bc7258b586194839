/** People without an account anywhere, who join a room by an invite: what operators can do about them. */
export interface GuestDesk {
  /** The address that guests open, without a slash at its end. */
  readonly url: string;
  /** False: the channel is for those who look after the others. */
  takesGuests(channel: string): boolean;
  invites(): readonly Invite[];
  /** Null: there is no such channel. Resolves once it is on the disk. */
  invite(spec: InviteSpec): Promise<NewInvite | null>;
  /** False: there is none with this id. Who came by it stays. */
  revoke(id: string): Promise<boolean>;
  /** Of all channels when null. */
  guests(channel: string | null): readonly RoomGuest[];
  /** Messages that wait for somebody's approval, oldest first. */
  held(): readonly HeldMessage[];
  /** False: it does not wait any more. What is approved is said now, and the guest's next messages do not wait. */
  approve(id: string): Promise<boolean>;
  reject(id: string): Promise<boolean>;
  reports(): readonly GuestReport[];
  /** False: there is none. */
  settle(report: string): Promise<boolean>;
  /** Null: there is no such guest, for each of these. */
  act(guest: string, act: GuestAct): Promise<GuestActed | null>;
  /** Null: there is no such channel. */
  moderation(channel: string): GuestRules | null;
  moderate(channel: string, rules: Partial<GuestRules>): Promise<GuestRules | null>;
}

export interface InviteSpec {
  readonly channel: string;
  /** How many may join by it. */
  readonly uses: number;
  readonly expiresInMs: number;
  /** The first message of each who comes by it waits for approval. */
  readonly hold: boolean;
}

export interface Invite {
  readonly id: string;
  readonly channel: string;
  readonly uses: number;
  readonly used: number;
  readonly hold: boolean;
  /** Unix ms. */
  readonly createdMs: number;
  readonly expiresMs: number;
}

export interface NewInvite extends Invite {
  /** With the secret in its fragment: it is not kept, and cannot be shown again. */
  readonly url: string;
}

export interface RoomGuest {
  readonly id: string;
  readonly channel: string;
  readonly name: string;
  /** Unix ms. */
  readonly joinedMs: number;
  readonly seenMs: number;
  readonly present: boolean;
  readonly messages: number;
  /** What is said waits for approval. */
  readonly held: boolean;
  readonly muted: boolean;
  readonly banned: boolean;
  /** Of the invite. */
  readonly invite: string;
}

export interface HeldMessage {
  readonly id: string;
  readonly channel: string;
  readonly guest: string;
  readonly name: string;
  readonly text: string;
  readonly files: readonly string[];
  /** Unix ms. */
  readonly atMs: number;
}

export interface GuestReport {
  readonly id: string;
  readonly channel: string;
  /** Name of who reports. */
  readonly by: string;
  readonly why: string;
  /** The message it is about; `text` is empty when it is gone. */
  readonly message: string;
  readonly author: string;
  /** Id of the guest who wrote it; empty when it was none. */
  readonly guest: string;
  readonly text: string;
  /** Unix ms. */
  readonly atMs: number;
}

/** `purge`: all that the guest said is deleted, on all networks. */
export type GuestAct = "mute" | "unmute" | "ban" | "unban" | "purge";

export interface GuestActed {
  readonly guest: RoomGuest;
  /** How many messages `purge` deleted. */
  readonly deleted: number;
}

export interface GuestRules {
  /** First messages of all guests wait for approval. */
  readonly hold: boolean;
  /** Seconds between two messages of one guest; 0: none. */
  readonly slowModeS: number;
  /** Links only after so many messages; 0: at once. */
  readonly linksAfter: number;
}

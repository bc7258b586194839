import type { SessionView } from "../../../src/access/sessions.ts";
import type { TokenJson } from "../../../src/access/token-json.ts";
import type { GuestReport, HeldMessage, Invite, RoomGuest } from "../../../src/contract/guests.ts";
import type { GuestRoomView, Placed } from "../../../src/http/admin/guest-office.ts";
import type { ApiAccountView } from "../../../src/http/admin/v1/access-deps.ts";
import type { WebhookJson } from "../../../src/http/v1/routes/webhooks.ts";
import { listing } from "./listing.ts";

export interface MadeToken extends TokenJson {
  readonly token: string;
}

interface TokensView {
  readonly tokens: readonly TokenJson[];
  /** For which tokens can be made. */
  readonly accounts: readonly ApiAccountView[];
}

export interface WebhookRow extends WebhookJson {
  readonly account: string;
}

export interface SessionRow extends Omit<SessionView, "expiresMs"> {
  /** Whom the web server in front has signed in; null: who came by a link. */
  readonly user: string | null;
  readonly expiresMs: number | null;
  /** It is this page's. */
  readonly current: boolean;
}

export interface InviteRow extends Invite {
  readonly gateway: string;
}

export type GuestRow = Placed<RoomGuest>;
export type HeldRow = Placed<HeldMessage>;
export type ReportRow = Placed<GuestReport>;

export const invites = listing<{ readonly invites: readonly InviteRow[] }>("/v1/admin/invites");
export const tokens = listing<TokensView>("/v1/admin/tokens");
export const webhooks = listing<{ readonly webhooks: readonly WebhookRow[] }>("/v1/admin/webhooks");
export const sessions = listing<{ readonly sessions: readonly SessionRow[] }>("/v1/admin/sessions");
export const rooms = listing<{ readonly rooms: readonly GuestRoomView[] }>("/v1/admin/rooms");
export const held = listing<{ readonly held: readonly HeldRow[] }>("/v1/admin/held");
export const guests = listing<{ readonly guests: readonly GuestRow[] }>("/v1/admin/guests");
export const reports = listing<{ readonly reports: readonly ReportRow[] }>("/v1/admin/reports");

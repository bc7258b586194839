import type { SessionView } from "../../../src/access/sessions.ts";
import type { TokenJson } from "../../../src/access/token-json.ts";
import type { Invite } from "../../../src/contract/guests.ts";
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

export interface SessionRow extends SessionView {
  /** It is this page's. */
  readonly current: boolean;
}

export interface InviteRow extends Invite {
  readonly gateway: string;
}

export const invites = listing<{ readonly invites: readonly InviteRow[] }>("/v1/admin/invites");
export const tokens = listing<TokensView>("/v1/admin/tokens");
export const webhooks = listing<{ readonly webhooks: readonly WebhookRow[] }>("/v1/admin/webhooks");
export const sessions = listing<{ readonly sessions: readonly SessionRow[] }>("/v1/admin/sessions");

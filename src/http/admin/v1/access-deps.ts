import type { Webhooks } from "../../../consumers/webhooks.ts";

/** An account of the HTTP API, for which tokens are made and which has webhooks. */
export interface ApiAccountView {
  /** As in the configuration: `api.game`. */
  readonly account: string;
  /** Names of those that it is in. */
  readonly gateways: readonly string[];
}

/** Who comes in at the accounts of the HTTP API, and where they send what happens. */
export interface AccessDeps {
  readonly apis: () => readonly ApiAccountView[];
  /** The webhooks of all accounts that have any, by the account's name. Rejects with a LogError. */
  readonly webhooks: () => Promise<ReadonlyMap<string, Webhooks>>;
}

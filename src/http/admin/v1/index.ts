import { descriptionRoutes } from "../../v1/routes/description.ts";
import { problemsRoutes } from "../../v1/routes/problems.ts";
import type { V1Host, V1Service } from "../../v1/index.ts";
import { RateLimits } from "../../v1/limits.ts";
import { USUAL_QUOTAS } from "../../v1/quotas.ts";
import { Router } from "../../v1/router.ts";
import type { Route } from "../../v1/route.ts";
import type { AdminV1Deps } from "./deps.ts";
import type { OperatorDoorman } from "./doorman.ts";
import { accountsRoutes } from "./routes/accounts.ts";
import { configRoutes } from "./routes/config.ts";
import { connectRoutes } from "./routes/connect.ts";
import { adminEventsRoutes } from "./routes/events.ts";
import { guestsRoutes } from "./routes/guests.ts";
import { invitesRoutes } from "./routes/invites.ts";
import { adminMessagesRoutes } from "./routes/messages.ts";
import { historyRoutes } from "./routes/history.ts";
import { nowRoutes } from "./routes/now.ts";
import { sessionRoutes } from "./routes/session.ts";
import { tokensRoutes } from "./routes/tokens.ts";
import { webhooksOfAllRoutes } from "./routes/webhooks.ts";

/** All of `/v1` at the admin server. */
export const adminV1Routes: readonly Route<AdminV1Deps>[] = [
  ...sessionRoutes,
  ...nowRoutes,
  ...adminEventsRoutes,
  ...adminMessagesRoutes,
  ...configRoutes,
  ...connectRoutes,
  ...tokensRoutes,
  ...webhooksOfAllRoutes,
  ...historyRoutes,
  ...accountsRoutes,
  ...invitesRoutes,
  ...guestsRoutes,
  ...problemsRoutes,
  ...descriptionRoutes(() => adminV1Routes),
];

export interface AdminV1Options {
  readonly deps: AdminV1Deps;
  readonly doorman: OperatorDoorman;
  readonly monoMs: () => number;
  readonly host: V1Host;
  /** Ends what the operations work with. Never rejects. */
  readonly close: () => Promise<void>;
}

export function openAdminV1({ deps, doorman, monoMs, host, close }: AdminV1Options): V1Service {
  return new Router({
    routes: adminV1Routes,
    deps,
    doorman,
    limits: new RateLimits(monoMs),
    quotas: USUAL_QUOTAS,
    serveSocket: null,
    host,
    alerts: () => [],
    hint: () => undefined,
    close,
  });
}

import type { Route } from "../route.ts";
import { eventsRoutes } from "./events.ts";
import { adminRoutes } from "./admin.ts";
import { consumersRoutes } from "./consumers.ts";
import { descriptionRoutes } from "./description.ts";
import { gatewaysRoutes } from "./gateways.ts";
import { historyRoutes } from "./history.ts";
import { meRoutes } from "./me.ts";
import { problemsRoutes } from "./problems.ts";
import { ticketsRoutes } from "./tickets.ts";
import { webhooksRoutes } from "./webhooks.ts";

/** All of `/v1`. */
export const v1Routes: readonly Route[] = [
  ...eventsRoutes,
  ...adminRoutes,
  ...consumersRoutes,
  ...gatewaysRoutes,
  ...historyRoutes,
  ...meRoutes,
  ...problemsRoutes,
  ...ticketsRoutes,
  ...webhooksRoutes,
  ...descriptionRoutes(() => v1Routes),
];

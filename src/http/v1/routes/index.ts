import type { Route } from "../route.ts";
import { eventsRoutes } from "./events.ts";
import { adminRoutes } from "./admin.ts";
import { consumersRoutes } from "./consumers.ts";
import { descriptionRoutes } from "./description.ts";
import { gatewaysRoutes } from "./gateways.ts";
import { historyRoutes } from "./history.ts";
import { meRoutes } from "./me.ts";
import { messagesRoutes } from "./messages.ts";
import { reactionsRoutes } from "./reactions.ts";
import { receiptsRoutes } from "./receipts.ts";
import { filesRoutes } from "./files.ts";
import { typingRoutes } from "./typing.ts";
import { moderationRoutes } from "./moderation.ts";
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
  ...messagesRoutes,
  ...reactionsRoutes,
  ...receiptsRoutes,
  ...filesRoutes,
  ...typingRoutes,
  ...moderationRoutes,
  ...problemsRoutes,
  ...ticketsRoutes,
  ...webhooksRoutes,
  ...descriptionRoutes(() => v1Routes),
];

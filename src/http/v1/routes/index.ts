import type { Route } from "../route.ts";
import { meRoutes } from "./me.ts";
import { problemsRoutes } from "./problems.ts";
import { webhooksRoutes } from "./webhooks.ts";

/** All of `/v1`. */
export const v1Routes: readonly Route[] = [...meRoutes, ...problemsRoutes, ...webhooksRoutes];

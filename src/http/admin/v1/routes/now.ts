import { ok, type Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";

/** How everything is at this moment. */
export const nowRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/status",
    needs: "admin",
    id: "getStatus",
    summary: "How the program, its accounts and its bridges are.",
    answers: { 200: { about: "As `rialto status --json` prints it.", schema: { type: "object" } } },
    handle: async (_call, { operator }) => ok(await operator.status()),
  },
];

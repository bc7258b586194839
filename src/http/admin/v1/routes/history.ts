import { ok, type Route } from "../../../v1/route.ts";
import type { AdminV1Deps } from "../deps.ts";

const run = {
  type: "array",
  prefixItems: [{ enum: ["none", "ok", "degraded", "down"] }, { type: "integer" }],
  description: "A state, and how many stretches in a row were so.",
};
const runs = { type: "array", items: run };
const upTime = { type: "object", properties: { upMs: { type: "integer" }, downMs: { type: "integer" } } };
const time = { type: "object", properties: { day: upTime, quarter: upTime } };
const track = { day: runs, quarter: runs };

/** How everything was. */
export const historyRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/history",
    needs: "admin",
    id: "getHistory",
    summary: "How each account and lane was, over the last day and the last 90 days.",
    about:
      "The worst state of a stretch counts. `day` has 288 stretches of 5 minutes, `quarter` 90 days (UTC); the last " +
      "one is now. `none`: the program did not run, or nobody knows: after a crash, of up to 15 minutes. " +
      "`time` is how long an account was up (also degraded) and down in the last 24 hours and 90 days.",
    answers: {
      200: {
        about: "By accounts, each with its lanes.",
        schema: {
          type: "object",
          properties: {
            nowMs: { type: "integer" },
            slotMs: { type: "integer" },
            accounts: {
              type: "array",
              items: {
                type: "object",
                properties: {
                  account: { type: "string" },
                  ...track,
                  time,
                  lanes: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: { gateway: { type: "string" }, channel: { type: "string" }, ...track },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    handle: async (_call, { now: { history } }) => ok(await history()),
  },
];

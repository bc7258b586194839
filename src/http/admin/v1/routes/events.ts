import { onAbort } from "../../../../lib/abort.ts";
import { ProblemError } from "../../../v1/problems.ts";
import type { Call, Reply, Route } from "../../../v1/route.ts";
import { SseWriter } from "../../../v1/sse.ts";
import type { AdminV1Deps } from "../deps.ts";

/** For all gateways. */
const ALL = "*";

function events(call: Call, { operator, now: { live, clock } }: AdminV1Deps): Reply {
  const lines = call.query.get("lines");
  const why = lines === null || lines === ALL ? null : operator.unknown(lines);
  if (why !== null) throw new ProblemError("not_found", why);
  if (live.isFull) {
    const detail = "too many pages follow the status already: close one of them";
    throw new ProblemError("rate_limited", detail, { headers: { "Retry-After": "10" } });
  }
  const writer = SseWriter.open(call, null, clock);
  const { ended } = writer;
  onAbort(ended, live.watch({ isFull: () => writer.isFull, tell: (type, json) => writer.event(null, type, json) }));
  if (lines === null) return "taken";
  const leave = operator.follow({
    by: "page",
    gateway: lines === ALL ? null : lines,
    unsent: () => writer.unsent,
    write: (line) => writer.event(null, "line", line.trimEnd()),
    end: () => writer.end(),
    // It comes back, and sees what is newest.
    cut: () => writer.cut(),
  });
  if (leave === null) throw new Error("there are more who follow the lines than streams");
  onAbort(ended, leave);
  return "taken";
}

/** How everything is, as it changes. */
export const adminEventsRoutes: readonly Route<AdminV1Deps>[] = [
  {
    method: "GET",
    path: "/v1/admin/events",
    needs: "admin",
    stream: true,
    id: "followStatus",
    summary: "The status as it changes, and the messages of a gateway, as server-sent events.",
    about:
      "`status` comes first: all of it, as of `GET /v1/admin/status`. After that `change`, at most once a second and " +
      "only when something is otherwise: `changed` has keys of the top level with their new values, `accounts` the " +
      "accounts that are new or otherwise, `order` the keys of all accounts when one has come, gone or moved, else " +
      "null. Who does not keep up is told `status` again, which replaces everything. With `lines`, each message is a " +
      "`line`. A comment comes every 15 s. There are 16 streams at most.",
    query: { lines: { type: "string", description: "Name of the gateway whose messages are told; `*`: of all." } },
    answers: {
      200: { about: "A stream (text/event-stream): `event` and `data` (JSON)." },
      404: { about: "There is no such gateway." },
      429: { about: "There are too many streams." },
    },
    handle: events,
  },
];

import type { EventFilter } from "../../../consumers/feed.ts";
import { typesOf } from "../../../consumers/filter.ts";
import { toJson } from "../../../consumers/held.ts";
import type { ApiEvent, HintEvent, SkippedEvent } from "../../../contract/api-v1.ts";
import { onAbort } from "../../../lib/abort.ts";
import { faultOf } from "../../../lib/fault.ts";
import { LogError } from "../../../log/errors.ts";
import type { V1Deps } from "../deps.ts";
import { receiptFor, receiptWatch } from "../receipt-watch.ts";
import { hintFor } from "../hint-view.ts";
import { pumpEvents } from "../pump.ts";
import { ProblemError } from "../problems.ts";
import { positionOf, readableFilter } from "../reading.ts";
import type { Call, Reply, Route } from "../route.ts";
import { SseWriter } from "../sse.ts";

/** Events as server-sent events: what comes after a position, and then what comes. */
async function events(call: Call, deps: V1Deps): Promise<Reply> {
  const { feed, clock, hints, logger } = deps;
  const filter = filterOf(call, deps);
  const given = positionText(call);
  const { head } = feed;
  const after = given === null ? head : positionOf(given.text, head, given.name);
  const gap = await feed.gap(after);
  if (call.signal.aborted) return "taken";
  const writer = SseWriter.open(call, gap === null ? after : gap.to, clock);
  const { ended } = writer;
  onAbort(
    ended,
    hints.listen((hint) => tell(writer, hintFor(hint, filter))),
  );
  const isTold = typesOf(filter.types)("receipt.changed");
  if (isTold)
    onAbort(
      ended,
      receiptWatch(deps).listen((event) => tell(writer, receiptFor(event, filter))),
    );
  const sink = {
    ended,
    room: Infinity,
    ready: async () => await writer.drained(),
    items: writer.items.bind(writer),
    skipped: (event: SkippedEvent) => writer.event(Number(event.to), "skipped", toJson(event)),
    passed: writer.passed.bind(writer),
  };
  pumpEvents({ feed, filter, from: after }, sink).catch((error: unknown) => {
    // The client comes back with its position.
    if (!(error instanceof LogError)) logger.error(faultOf(error), "a stream of events has failed: this is a bug");
    writer.end();
  });
  return "taken";
}

/** What has no place in the log. */
function tell(writer: SseWriter, hint: HintEvent | ApiEvent | null): void {
  if (hint !== null && !writer.isFull) writer.event(null, hint.type, toJson(hint));
}

/** A browser that comes back says where it was by the header; the address is still that of its first request. */
function positionText({ request, query }: Call): { readonly name: string; readonly text: string } | null {
  const header = request.headers["last-event-id"];
  if (typeof header === "string" && header.trim() !== "") return { name: "Last-Event-ID", text: header.trim() };
  const text = query.get("after");
  return text === null ? null : { name: "after", text };
}

function filterOf({ query, access }: Call, deps: V1Deps): EventFilter {
  const list = (name: string): string[] =>
    query
      .getAll(name)
      .flatMap((value) => value.split(","))
      .map((value) => value.trim())
      .filter((value) => value !== "");
  const mine = query.get("mine") ?? "false";
  if (mine !== "true" && mine !== "false") {
    const errors = [{ pointer: "/mine", detail: "must be true or false" }];
    throw new ProblemError("bad_request", "mine must be true or false", { errors });
  }
  const asked = { gateways: list("gateways"), types: list("types"), accounts: list("accounts"), mine: mine === "true" };
  return readableFilter(asked, { access, pointer: "" }, deps);
}

const listed = (description: string) => ({ type: "string", description: `${description}, with commas between them.` });

export const eventsRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/events",
    needs: "read",
    stream: true,
    id: "streamEvents",
    summary: "Events as they come, as server-sent events.",
    about:
      "The position is the client's: `id` of each event is its `seq`, and whoever comes back with the last one as " +
      "`Last-Event-ID` or `after` misses nothing. Without a position the stream begins with what comes next. " +
      "The answer's `Last-Event-ID` says where it really begins; what the log no longer holds is told by an event " +
      "`skipped`. A comment, or an `id` without data, comes every 15 s.",
    query: {
      gateways: listed("Names of gateways"),
      types: listed("Types of events, `message.*` for all that begin so"),
      accounts: listed("Where it was said, `<protocol>.<name>`"),
      mine: { type: "string", enum: ["true", "false"], description: "Also what was said through this account itself." },
      after: { type: "string", pattern: "^(0|[1-9]\\d{0,15})$", description: "The position to go on after." },
    },
    headers: { "Last-Event-ID": "The position to go on after; it counts before `after`." },
    answers: {
      200: {
        about: "A stream (text/event-stream): `id`, `event` (the type) and `data` (the event as JSON).",
        schema: { $ref: "#/components/schemas/StreamEvent" },
      },
      410: { about: "The position is one of another log." },
    },
    handle: events,
  },
  {
    method: "GET",
    path: "/v1/socket",
    needs: "any",
    stream: true,
    id: "openSocket",
    summary: "A WebSocket: events by credit, acks, posts and typing.",
    about:
      "Text frames of JSON, each with its `op`. The server begins with `hello`. A client sends `subscribe` (`id`, " +
      "`consumer`, or `filter` and `after`, and `credit`), `credit`, `unsubscribe`, `ack`, `post`, `typing` and " +
      "`heartbeat`, as far as its scopes go; each with an `id` is answered by `ok` or `error` under it. The server " +
      "sends `event` (its `event` is a StreamEvent), `skipped` (as Skipped) and `heartbeat`, and never more events than " +
      "it was given credit for.",
    answers: {
      101: { about: "The socket is open." },
      426: { about: "The request asks for no WebSocket." },
    },
    handle: () => {
      const headers = { Upgrade: "websocket", Connection: "Upgrade" };
      throw new ProblemError("upgrade_required", "this address is a WebSocket: ask for an upgrade", { headers });
    },
  },
];

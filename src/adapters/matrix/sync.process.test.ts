import { once } from "node:events";
import http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import type { Cursor } from "../../contract/ids.ts";
import { open } from "./session.ts";
import { matrixSettings } from "./settings.suite.ts";
import { until } from "./town.suite.ts";

type Answer = { readonly status?: number; readonly body: object } | "hang";

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * A homeserver of recorded answers: those of /sync in their order, the last one held back. `pages`: of /messages, by
 * room, in their order.
 */
async function homeserver(
  syncs: readonly Answer[],
  others: Readonly<Record<string, object>> = {},
  pages: Readonly<Record<string, Answer[]>> = {},
) {
  const asked: string[] = [];
  const rest = [...syncs];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://x");
    asked.push(`${url.pathname}${url.searchParams.has("since") ? ` ${url.searchParams.get("since")}` : ""}`);
    const page = Object.entries(pages).find(([id]) => url.pathname.includes(`${encodeURIComponent(id)}/messages`))?.[1];
    const known = Object.entries({ ...DEFAULTS, ...others }).find(([end]) => url.pathname.endsWith(end))?.[1];
    const answer: Answer = url.pathname.endsWith("/sync")
      ? (rest.shift() ?? "hang")
      : page?.[0] !== undefined
        ? (page.shift() ?? "hang")
        : known === undefined
          ? { status: 404, body: { errcode: "M_NOT_FOUND" } }
          : { body: known };
    if (answer === "hang") return;
    response.writeHead(answer.status ?? 200, { "Content-Type": "application/json" }).end(JSON.stringify(answer.body));
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { asked, url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}` };
}

const DEFAULTS = { "/versions": { versions: ["v1.11"] }, "/whoami": { user_id: "@rialto:a" } };

async function live(url: string, since: string | null) {
  const host = new RecordingHost();
  const settings = matrixSettings({ Server: url, Token: "t" });
  const opened = await open({ settings, host, since: since as Cursor | null, signal: new AbortController().signal });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  return { host, session: opened.session };
}

const message = (id: string, body: string) => ({
  type: "m.room.message",
  event_id: id,
  sender: "@alice:a",
  origin_server_ts: 1,
  content: { msgtype: "m.text", body },
});
const room = (events: readonly object[], more: object = {}) => ({
  join: { "!r:a": { timeline: { events, ...more } } },
});
const keys = (host: RecordingHost) => host.events.map(({ key }) => key);

describe("the position", () => {
  test("it moves with what is handed over, and the first one is stored before anything happens", async () => {
    const { url, asked } = await homeserver([
      { body: { next_batch: "s1" } },
      { body: { next_batch: "s2", rooms: room([message("$1", "a")]) } },
    ]);
    const { host, session } = await live(url, null);
    await until(() => asked.filter((path) => path.endsWith("/sync s2")).length === 1, "the next question");
    expect(host.cursors).toEqual(["s1", "s2"]);
    expect(keys(host)).toEqual(["$1"]);
    await session.close(AbortSignal.timeout(1_000));
  });

  test("one that the server knows no more: it continues from now, and says what is missing", async () => {
    const gone = { status: 400, body: { errcode: "M_INVALID_PARAM", error: "no such position" } };
    const { url, asked } = await homeserver([gone, { body: { next_batch: "s9" } }]);
    const { host, session } = await live(url, "s1");
    await until(() => asked.includes("/_matrix/client/v3/sync s9"), "the new position");
    expect(host.records.filter(({ level }) => level === "warn")).toHaveLength(1);
    await session.close(AbortSignal.timeout(1_000));
  });

  test("a server that takes none for long is not asked forever", async () => {
    const gone = { status: 400, body: { errcode: "M_INVALID_PARAM", error: "no such position" } };
    const { url } = await homeserver([gone, { body: { next_batch: "s8" } }, gone, { body: { next_batch: "s9" } }]);
    const { session } = await live(url, "s1");
    expect((await session.ended).cause).toBe("lost");
  });

  test("a rate limit is waited out; an answer without a position ends the session", async () => {
    const limited = { status: 429, body: { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 20 } };
    const { url } = await homeserver([limited, { body: { next_batch: "s2" } }, { body: {} }]);
    const { host, session } = await live(url, "s1");
    expect(await session.ended).toMatchObject({ cause: "lost", why: { code: "remote_error" } });
    expect(host.doubts).toMatchObject([{ code: "rate_limited" }, null]);
    expect(host.cursors).toEqual(["s2"]);
  });

  test.each([
    [401, { errcode: "M_UNKNOWN_TOKEN" }, "auth"],
    [500, {}, "lost"],
  ])("HTTP %d ends the session", async (status, body, cause) => {
    const { url } = await homeserver([{ status, body }]);
    const { session } = await live(url, "s1");
    expect((await session.ended).cause).toBe(cause);
  });
});

test("a room that we are back in is told again by the server, and not by us", async () => {
  const us = (id: string, membership: string, before: string) => ({
    ...message(id, ""),
    type: "m.room.member",
    state_key: "@rialto:a",
    content: { membership },
    unsigned: { prev_content: { membership: before } },
  });
  const first = [message("$1", "a"), us("$2", "leave", "join")];
  const { url } = await homeserver([
    { body: { next_batch: "s2", rooms: { leave: { "!r:a": { timeline: { events: first } } } } } },
    {
      body: {
        next_batch: "s3",
        rooms: room([...first, message("$3", "b"), us("$4", "join", "leave"), message("$5", "c")]),
      },
    },
  ]);
  const { host, session } = await live(url, "s1");
  await until(() => host.cursors.includes("s3" as Cursor), "the position");
  expect(keys(host)).toEqual(["$1", "$5"]);
  await session.close(AbortSignal.timeout(1_000));
});

describe("what an answer leaves out", () => {
  const limited = { limited: true, prev_batch: "p1" };

  test("is read backwards, page by page, and comes in order", async () => {
    const pages = {
      "/messages": { chunk: [message("$3", "c"), message("$2", "b"), message("$1", "a")], end: undefined },
    };
    const { url } = await homeserver(
      [{ body: { next_batch: "s2", rooms: room([message("$3", "c"), message("$4", "d")], limited) } }],
      pages,
    );
    const { host, session } = await live(url, "s1");
    await until(() => host.cursors.includes("s2" as Cursor), "the position");
    expect(keys(host)).toEqual(["$1", "$2", "$3", "$4"]);
    await session.close(AbortSignal.timeout(1_000));
  });

  test("is more where an answer is too large to be read", async () => {
    const { url } = await homeserver([
      { body: { next_batch: "s2", padding: "x".repeat(65 << 20) } },
      { body: { next_batch: "s2", rooms: room([message("$1", "a")]) } },
    ]);
    const { host, session } = await live(url, "s1");
    await until(() => host.cursors.includes("s2" as Cursor), "the position");
    expect(keys(host)).toEqual(["$1"]);
    await session.close(AbortSignal.timeout(1_000));
  });

  test("and comes late for one room takes nothing from another", async () => {
    const two = (next: string) => {
      const part = (id: string) => ({ timeline: { events: [message(`$${id}`, id)], ...limited } });
      return { body: { next_batch: next, rooms: { join: { "!one:a": part("1"), "!two:a": part("2") } } } };
    };
    const whole = { body: { chunk: [] } };
    const busy = { status: 429, body: { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 50 } };
    const { url } = await homeserver([two("s2"), two("s3")], {}, { "!one:a": [whole, whole], "!two:a": [busy, whole] });
    const { host, session } = await live(url, "s1");
    await until(() => host.cursors.includes("s3" as Cursor), "the position");
    expect(keys(host)).toEqual(["$1", "$2"]);
    await session.close(AbortSignal.timeout(1_000));
  });

  test("and is kept back by a proxy that wants a login of its own, is fetched later", async () => {
    const missed = { body: { next_batch: "s2", rooms: room([message("$4", "d")], limited) } };
    const { url } = await homeserver([missed], {}, { "!r:a": [{ status: 401, body: {} }] });
    const { host, session } = await live(url, "s1");
    expect(await session.ended).toMatchObject({ cause: "lost", why: { code: "remote_error" } });
    expect(host.cursors).toEqual([]);
  });

  test("and cannot be fetched, is said, and does not stop the rest", async () => {
    const { url } = await homeserver([{ body: { next_batch: "s2", rooms: room([message("$4", "d")], limited) } }]);
    const { host, session } = await live(url, "s1");
    await until(() => host.cursors.includes("s2" as Cursor), "the position");
    expect(keys(host)).toEqual(["$4"]);
    expect(host.records.filter(({ level }) => level === "warn")).toHaveLength(1);
    await session.close(AbortSignal.timeout(1_000));
  });
});

test.each([
  ["a server that is none", { "/versions": [] }, "config"],
  ["another user than MxID says", { "/whoami": { user_id: "@other:a" } }, "config"],
])("%s is no homeserver of ours", async (_, others, cause) => {
  const { url } = await homeserver([], others);
  const settings = matrixSettings({ Server: url, Token: "t", MxID: "@rialto:a" });
  const opened = await open({ settings, host: new RecordingHost(), since: null, signal: new AbortController().signal });
  expect(opened).toMatchObject({ ok: false, ended: { cause } });
});

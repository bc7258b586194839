import { expect, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { applyChange, type StatusChange } from "../admin/changes.ts";
import type { ExplainView, HistoryView, StatusView, Story, TailLine } from "../admin/views.ts";
import { SseClient } from "../http/v1/sse-client.suite.ts";
import { ADMIN_TOKEN, openDashboardStage } from "./admin-v1.suite.ts";

const AS_OPERATOR = { Authorization: `Bearer ${ADMIN_TOKEN}` };

test("a page is told the status, then what changes in it, and the messages of a gateway", async () => {
  const { url, left, ask } = await openDashboardStage();
  const page = await SseClient.open(`${url}/v1/admin/events?lines=g`, AS_OPERATOR);
  expect(page.headers.get("content-type")).toBe("text/event-stream");
  const [first] = await page.until(1);
  expect(first?.event).toBe("status");
  let view = JSON.parse(first?.data ?? "") as StatusView;
  expect(view.accounts.map(({ key }) => key)).toEqual(["irc.net"]);
  await left.say({ gateway: "g", text: "hello" });
  const told = await eventually(
    () => Promise.resolve(page.events),
    (events) => {
      const ofReader = ({ event, data }: (typeof events)[number]): boolean =>
        event === "change" && (JSON.parse(data) as StatusChange).changed.readers !== undefined;
      return events.some(ofReader) && events.some(({ event }) => event === "line");
    },
    () => `a change and a line in ${JSON.stringify(page.events)}`,
  );
  for (const { event, data } of told) {
    if (event === "change") view = applyChange(view, JSON.parse(data) as StatusChange);
  }
  expect(view.readers.find(({ account }) => account === "api.left")?.accepted).toBe(1);
  const now = (await ask("GET", "/v1/admin/status")).body as StatusView;
  expect(view.accounts[0]?.channels[0]?.lanes[0]?.waiting).toBe(now.accounts[0]?.channels[0]?.lanes[0]?.waiting);
  const line = JSON.parse(told.find(({ event }) => event === "line")?.data ?? "") as TailLine;
  expect(line).toMatchObject({ account: "api.left", gateways: ["g"], text: "hello" });
});

test("there are sixteen streams at most, and one that ends makes room", async () => {
  const { url, ask } = await openDashboardStage();
  const pages = await Promise.all(
    Array.from({ length: 16 }, async () => await SseClient.open(`${url}/v1/admin/events?lines=*`, AS_OPERATOR)),
  );
  expect(await ask("GET", "/v1/admin/events")).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(await ask("GET", "/v1/admin/events?lines=none")).toMatchObject({ status: 404 });
  expect((await fetch(`${url}/v1/admin/events`)).status).toBe(401);
  pages[0]?.cut();
  const again = await eventually(
    async () => await fetch(`${url}/v1/admin/events`, { headers: AS_OPERATOR }),
    ({ status }) => status === 200,
    () => "room for another stream",
  );
  await again.body?.cancel();
});

test("messages are found, told of one by one, and said for a test", async () => {
  const { left, ask } = await openDashboardStage("Search = true");
  await left.say({ gateway: "g", text: "the weather is fine", username: "ann" });
  await left.say({ gateway: "g", text: "unrelated", username: "bob" });
  const words = async (path: string): Promise<readonly string[]> =>
    ((await ask("GET", path)).body as ExplainView).stories.map((story) => story.words);
  expect(await words("/v1/admin/messages")).toEqual(["unrelated", "the weather is fine"]);
  expect(await words("/v1/admin/messages?limit=1")).toEqual(["unrelated"]);
  expect(await words("/v1/admin/messages?q=weather%20fine")).toEqual(["the weather is fine"]);
  expect(await words("/v1/admin/messages?q=ann")).toEqual(["the weather is fine"]);
  const said = await ask("POST", "/v1/admin/messages", { gateway: "g", text: "a test" });
  expect(said).toMatchObject({ status: 201, body: { destinations: 3 } });
  const { seq } = said.body as { readonly seq: number };
  const story = (await ask("GET", `/v1/admin/messages/${seq}`)).body as Story;
  expect(story).toMatchObject({ seq, words: "a test", by: "operator" });
  const there = story.destinations.find(({ account }) => account === "irc.net");
  expect(there).toMatchObject({ gateway: "g", channel: "#room", state: "waiting" });
});

test("what cannot be found or said is refused with why", async () => {
  const { ask } = await openDashboardStage();
  const refused = async (method: string, path: string, body?: unknown): Promise<number> =>
    (await ask(method, path, body)).status;
  expect(await refused("GET", "/v1/admin/messages/999")).toBe(404);
  expect(await refused("GET", "/v1/admin/messages/x")).toBe(404);
  expect(await refused("GET", "/v1/admin/messages?limit=51")).toBe(400);
  expect(await refused("GET", `/v1/admin/messages?q=${"x".repeat(1001)}`)).toBe(400);
  expect(await refused("POST", "/v1/admin/messages", { gateway: "none", text: "x" })).toBe(404);
  expect(await refused("POST", "/v1/admin/messages", { gateway: "g", text: " " })).toBe(422);
  expect(await refused("POST", "/v1/admin/messages", { gateway: "g" })).toBe(400);
});

test("how accounts were is kept over a restart", async () => {
  const { ask, restart } = await openDashboardStage();
  const states = async (): Promise<Readonly<Record<string, readonly unknown[] | undefined>>> => {
    const { accounts } = (await ask("GET", "/v1/admin/history")).body as HistoryView;
    return Object.fromEntries(accounts.map(({ account, quarter }) => [account, quarter.at(-1)]));
  };
  const isDown = (found: Awaited<ReturnType<typeof states>>): boolean => found["irc.net"]?.[0] === "down";
  const before = await eventually(states, isDown, () => "an account that is down");
  expect(before).toEqual({ "irc.net": ["down", 1], "api.left": ["ok", 1], "api.right": ["ok", 1] });
  await restart();
  // Before anybody can know how it is now.
  expect(await states()).toEqual(before);
});

test("an account is paused, stays so over a restart, and is resumed; one of the API is not", async () => {
  const { ask, left, restart } = await openDashboardStage();
  const act = async (account: string, what: string) => await ask("POST", `/v1/admin/accounts/${account}/${what}`);
  expect(await act("IRC.net", "pause")).toMatchObject({ status: 200, body: { key: "irc.net", state: "paused" } });
  const paused = (await ask("GET", "/v1/admin/status")).body as StatusView;
  expect(paused.troubles.map(({ of, what }) => `${of} ${what}`)).toContain("irc.net paused by an operator");
  await left.say({ gateway: "g", text: "hello" });
  await restart();
  const later = (await ask("GET", "/v1/admin/status")).body as StatusView;
  expect(later.accounts[0]).toMatchObject({ state: "paused", channels: [{ lanes: [{ waiting: 1 }] }] });
  expect(await act("irc.net", "reconnect")).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect((await act("irc.net", "resume")).status).toBe(200);
  const isOpen = ({ body }: Awaited<ReturnType<typeof ask>>): boolean =>
    (body as StatusView).accounts[0]?.state !== "paused";
  await eventually(
    async () => await ask("GET", "/v1/admin/status"),
    isOpen,
    () => "an account that goes on",
  );
  expect((await act("irc.net", "reconnect")).status).toBe(200);
  expect(await act("api.left", "pause")).toMatchObject({ status: 409 });
  expect(await act("irc.other", "pause")).toMatchObject({ status: 404 });
});

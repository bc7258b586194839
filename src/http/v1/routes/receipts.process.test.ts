import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { Access } from "../../../access/access.ts";
import type { ApiReceipt } from "../../../contract/api-v1.ts";
import type { V1Deps } from "../deps.ts";
import type { Call } from "../route.ts";
import { v1Stage } from "../stage.suite.ts";
import { receiptsRoutes } from "./receipts.ts";

const row = (state: string): ApiReceipt => {
  const place = { gateway: "lobby", account: "net.a", channel: "#x" };
  return { ...place, state, why: null, remedy: null, retry_at: null, tries: null, refs: [], losses: [] };
};

/** A wait over receipts that are these, one after the other; the last goes on. */
function waiting(states: readonly string[], wait: string) {
  const clock = new FakeClock(0);
  const gone = new AbortController();
  let commit: () => void = () => undefined;
  let asked = 0;
  const deps = {
    account: () => ({ key: "api.game" }),
    log: { ids: { get: () => Promise.resolve({ subject: "api.game/lobby" }) } },
    receipts: () => Promise.resolve([row("read"), row(states[Math.min(asked++, states.length - 1)] ?? "")]),
    feed: {
      onCommit: (listener: () => void) => {
        commit = listener;
        return () => (commit = () => undefined);
      },
    },
    clock,
    ingest: {},
  } as unknown as V1Deps;
  const access = { gateways: null } as unknown as Access;
  const query = new URLSearchParams({ wait });
  const call = { params: { id: "7" }, query, access, signal: gone.signal } as unknown as Call;
  const reply = Promise.resolve(receiptsRoutes[0]?.handle(call, deps));
  return { clock, reply, gone, commit: () => commit(), asked: () => asked };
}

const statesOf = async (reply: Promise<unknown>): Promise<readonly string[]> => {
  const { body } = (await reply) as { body: { receipts: readonly ApiReceipt[] } };
  return body.receipts.map(({ state }) => state);
};

test("a wait ends when nothing is on its way any more; what is unread waits for nobody of ours", async () => {
  const { clock, reply, asked } = waiting(["waiting", "sending", "unread"], "30s");
  await clock.advance(1000);
  expect(await statesOf(reply)).toEqual(["read", "unread"]);
  expect(asked()).toBe(3);
});

test("a wait ends with its time, and asks about once a second then", async () => {
  const { clock, reply, asked } = waiting(["waiting"], "10s");
  await clock.advance(10_000);
  expect(await statesOf(reply)).toEqual(["read", "waiting"]);
  expect(asked()).toBeLessThan(22);
});

test("a wait of an hour ends after 55 s, and one of who has gone at once", async () => {
  const long = waiting(["waiting"], "1h");
  await long.clock.advance(55_000);
  expect(await statesOf(long.reply)).toEqual(["read", "waiting"]);
  const left = waiting(["waiting"], "1h");
  left.gone.abort();
  await left.clock.advance(100);
  expect(await statesOf(left.reply)).toEqual(["read", "waiting"]);
});

test("of what the account has said, where the caller sees it", async () => {
  const stage = await v1Stage();
  const { body } = await stage.ask("POST", "/v1/gateways/lobby/messages", { body: { text: "x" } });
  const { receipts: path } = body as { receipts: string };
  const answer = await stage.ask("GET", path);
  expect(answer).toMatchObject({
    status: 200,
    body: { receipts: [{ gateway: "lobby", account: "net.a", channel: "#x" }] },
  });
  const heard = await stage.say("net.a/#x");
  for (const id of ["999999", "0", "abc", String(heard)]) {
    expect((await stage.ask("GET", `/v1/messages/${id}/receipts`)).status).toBe(404);
  }
  const token = await stage.token({ gateways: ["den"] });
  expect((await stage.ask("GET", path, { token })).status).toBe(404);
  for (const wait of ["long", "-1s", "1"]) {
    expect(await stage.ask("GET", `${path}?wait=${wait}`)).toMatchObject({
      status: 400,
      body: { code: "bad_request" },
    });
  }
});

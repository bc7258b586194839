import { expect, test } from "vitest";
import { v1Stage } from "./stage.suite.ts";

const ids = Array.from({ length: 101 }, (_, at) => at + 1).join(",");

test("a parameter that cannot be understood is named by the refusal", async () => {
  const stage = await v1Stage();
  await stage.ask("PUT", "/v1/consumers/bot", { body: {} });
  for (const [path, name] of [
    ["/v1/events?after=x", "after"],
    ["/v1/events?after=-1", "after"],
    ["/v1/events?mine=perhaps", "mine"],
    ["/v1/events?limit=1", "limit"],
    ["/v1/gateways/lobby/history?limit=0", "limit"],
    ["/v1/gateways/lobby/history?before=01", "before"],
    ["/v1/gateways/lobby/history?q=!", "q"],
    ["/v1/messages/1/receipts?wait=long", "wait"],
    [`/v1/messages/1/receipts?also=${ids}`, "also"],
    ["/v1/consumers/bot/dead?after=x", "after"],
  ] as const) {
    const { status, body } = await stage.ask("GET", path);
    expect({ path, status, body }).toMatchObject({
      path,
      status: 400,
      body: { detail: expect.stringContaining(name) as unknown, errors: [{ pointer: `/${name}` }] },
    });
  }
  const header = { headers: { "Last-Event-ID": "x" } };
  expect((await stage.ask("GET", "/v1/events", header)).body).toMatchObject({
    errors: [{ pointer: "/Last-Event-ID" }],
  });
});

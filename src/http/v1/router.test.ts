import { expect, test } from "vitest";
import { v1Stage } from "./stage.suite.ts";

test("the table answers over HTTP", async () => {
  const { ask } = await v1Stage({ token: "secret" });
  expect(await ask("GET", "/v1/me")).toMatchObject({
    status: 200,
    body: { account: "api.game", by: "configuration", scopes: ["read", "write"], gateways: ["lobby", "den"] },
  });
});

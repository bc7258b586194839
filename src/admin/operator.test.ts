import { expect, test } from "vitest";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { compileRoutes } from "../gateway/routes.ts";
import type { Batch } from "../log/log.ts";
import { say } from "./operator.ts";

function stage() {
  const appended: Batch[] = [];
  const config = aConfig([aGateway("g", ["inout net.a #x", "in net.b #x", "out api.web api"])]);
  return {
    appended,
    options: {
      log: { append: (batch: Batch) => (appended.push(batch), Promise.resolve({ is: "stored" as const, seqs: [9] })) },
      routes: compileRoutes(config),
      gateways: () => ["g", "h"],
      nowMs: () => 0,
    },
  };
}

test("what the operator says is appended once, for all that take anything", async () => {
  const { appended, options } = stage();
  const said = await say({ gateway: "g", text: "hello", as: "" }, options);
  expect(said).toEqual({ is: "said", seq: 9, destinations: 2 });
  expect(appended).toHaveLength(1);
  expect(appended[0]?.entries[0]).toMatchObject({ subject: "rialto.operator/g", key: null });
  expect(appended[0]?.entries[0]?.payload).toContain('"username":"operator"');
});

test.each([
  [{ gateway: "x", text: "hello", as: "" }, "unknown", /there are: "g", "h"$/],
  [{ gateway: "g", text: " \n", as: "" }, "bad", /empty/],
  [{ gateway: "g", text: "x".repeat(16_001), as: "" }, "bad", /16000/],
  [{ gateway: "g", text: "x", as: "x".repeat(101) }, "bad", /100/],
])("%# is refused with a reason", async (words, is, message) => {
  const { appended, options } = stage();
  const said = await say(words, options);
  expect(said).toMatchObject({ is, message: expect.stringMatching(message) as string });
  expect(appended).toEqual([]);
});

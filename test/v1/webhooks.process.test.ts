import { once } from "node:events";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { Rialto } from "../../src/client/index.ts";
import { toml } from "../support/config.ts";
import { request } from "../support/http.ts";
import { startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";

const TOKEN = "a long secret";

/** What an endpoint took: each id with how often it was taken. `secret`: it refuses what this does not verify. */
async function endpoint(secret: () => string) {
  const taken = new Map<string, number>();
  const server = createServer((asked, response) => {
    let body = "";
    asked.setEncoding("utf8").on("data", (text: string) => (body += text));
    asked.on("end", () => {
      const header = (name: string): string => String(asked.headers[`webhook-${name}`]);
      const signed = {
        "webhook-id": header("id"),
        "webhook-timestamp": header("timestamp"),
        "webhook-signature": header("signature"),
      };
      new Webhook(secret()).verify(body, signed);
      taken.set(header("id"), (taken.get(header("id")) ?? 0) + 1);
      response.writeHead(200).end();
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { taken, place: `127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}` };
}

test("after kill -9, events go on to the endpoint without anybody asking for it, and none is lost", async () => {
  let secret = "";
  const { taken, place } = await endpoint(() => secret);
  const config = toml({
    general: { AllowPrivate: [place] },
    accounts: { ann: {}, bot: { Token: TOKEN } },
    gateways: { lobby: { inout: ["ann", "bot"] } },
  });
  let rialto = await startRialto({ config });
  const { dataPath } = rialto;
  const first = rialto;
  onTestFinished(async () => {
    await rialto.dispose();
    await first.dispose();
  });
  const made = await request(`${rialto.url("api.bot")}/v1/webhooks/hook`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ url: `http://${place}/`, filter: { types: ["message.posted"] } }),
  });
  expect(made.status).toBe(201);
  ({ secret } = JSON.parse(made.body.toString()) as { secret: string });
  const ids: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const ann = new Rialto({ url: rialto.url("api.ann") });
    for (let count = 0; count < 20; count += 1) {
      const { message } = await ann.post("lobby", { text: `${round}.${count}` });
      ids.push(`evt_hook_${message?.id ?? ""}`);
    }
    await rialto.kill9();
    rialto = await startRialto({ config, dataPath });
  }
  await eventually(
    () => Promise.resolve(ids.filter((id) => !taken.has(id))),
    (missing) => missing.length === 0,
    () => `all events at the endpoint: ${taken.size} of ${ids.length}\n${rialto.output()}`,
    60_000,
  );
  expect(new Set(taken.keys())).toEqual(new Set(ids));
  // What was taken and not yet noted when it was killed, one at a time, comes once more.
  expect([...taken.values()].reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(ids.length + 4);
});

import { expect, test } from "vitest";
import { openStream } from "../../../../test/support/stream.ts";
import { openSocket } from "../../../../test/support/socket.ts";
import { v1Stage } from "../stage.suite.ts";

const TOKEN = "the-long-token-of-the-account";
const PATH = "/v1/consumers/shared";

/** A consumer of gateway lobby that the account has made, and a token that sees lobby only. */
async function shared() {
  const stage = await v1Stage({ token: TOKEN });
  const limited = await stage.token({ gateways: ["lobby"] });
  const made = await stage.ask("PUT", PATH, { body: { start: "new", filter: { gateways: ["lobby"] }, ack: "none" } });
  expect(made.status).toBe(201);
  const etag = made.headers.get("etag") ?? "";
  return { stage, limited, change: { headers: { "If-Match": etag }, body: { ack: "none" } } };
}

test("a limited token that takes the gateways out of a consumer's filter hears of its own only", async () => {
  const { stage, limited, change } = await shared();
  const stream = await openStream(`${stage.url}${PATH}/events`, { Authorization: `Bearer ${limited}` });
  expect((await stage.ask("PUT", PATH, { ...change, token: limited })).status).toBe(200);
  await stage.say("net.b/#y", { text: "secret of den" });
  await stage.say("net.a/#x", { text: "hello" });
  while (!(await stream.nextLine()).includes("hello"));
  expect(stream.lines.join("\n")).not.toContain("secret of den");
  const pulled = await stage.ask("POST", `${PATH}/pull`, { token: limited, body: { wait: "0s" } });
  expect([pulled.status, pulled.text.includes("secret")]).toEqual([200, false]);
});

test("what has a consumer open ends when it is opened to gateways that are not seen there", async () => {
  const { stage, limited, change } = await shared();
  const stream = await openStream(`${stage.url}${PATH}/events`, { Authorization: `Bearer ${limited}` });
  const socket = await openSocket(`${stage.url}/v1/socket`, { Authorization: `Bearer ${limited}` });
  socket.send(JSON.stringify({ op: "subscribe", id: "1", consumer: "shared", credit: 10 }));
  const pulling = stage.ask("POST", `${PATH}/pull`, { token: limited, body: { wait: "50s" } });
  await stage.ask("PUT", PATH, change);
  await stage.say("net.b/#y", { text: "secret of den" });
  await stream.ended;
  while (!(await socket.nextFrame()).data.includes('"not_found"'));
  expect(JSON.stringify(socket.frames)).not.toContain("secret of den");
  expect(stream.lines.join("\n")).not.toContain("secret of den");
  expect((await pulling).text).not.toContain("secret of den");
});

test("a limited token makes no webhook that is told of gateways that it does not see", async () => {
  const stage = await v1Stage({ token: TOKEN });
  const limited = await stage.token({ scopes: ["admin"], gateways: ["lobby"] });
  const body = (gateway: string) => ({ url: "https://example.org/", filter: { gateways: [gateway] } });
  const refused = await stage.ask("PUT", "/v1/webhooks/hook", { token: limited, body: body("den") });
  expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } });
  expect(await stage.ask("GET", "/v1/webhooks")).toMatchObject({ body: { webhooks: [] } });
  expect((await stage.ask("PUT", "/v1/webhooks/hook", { token: limited, body: body("lobby") })).status).toBe(201);
});

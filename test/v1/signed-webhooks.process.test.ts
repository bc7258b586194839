import http from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually, Inbox } from "../support/wait.ts";
import { bodyOf, expectProblem, expectTaken, V1 } from "./client.ts";

interface Knock {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came, by path; and what the endpoint answers there: 200 unless said otherwise. */
const knocks = new Map<string, Inbox<Knock>>();
const answers = new Map<string, number[]>();
const never = new Promise<string>(() => undefined);
const inbox = (path: string): Inbox<Knock> => {
  const found = knocks.get(path) ?? new Inbox<Knock>();
  knocks.set(path, found);
  return found;
};
const next = async (path: string): Promise<Knock> => await inbox(path).next(() => `a request to ${path}`, never);

const server = http.createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const path = request.url ?? "";
    const status = answers.get(path)?.shift() ?? 200;
    response.writeHead(status, status >= 300 && status < 400 ? { Location: "/elsewhere" } : {}).end();
    inbox(path).push({
      path,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(parts).toString("utf8"),
    });
  });
});

let running: Rialto | null = null;
let port = 0;
const owner = (): V1 => new V1(running?.url("api.owner") ?? "", "the-long-token");
const other = (): V1 => new V1(running?.url("api.other") ?? "");

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  running = await startRialto({
    config: toml({
      general: { AllowPrivate: [`127.0.0.1:${port}`] },
      accounts: { owner: { Token: "the-long-token" }, other: {} },
      gateways: { g: { inout: ["owner", "other"] } },
    }),
  });
});
afterAll(async () => {
  await running?.dispose();
  server.closeAllConnections();
  server.close();
});

/** Makes one that calls this path; its secret. */
async function hook(name: string, path: string, more: object = {}): Promise<string> {
  const body = { url: `http://127.0.0.1:${port}${path}`, start: "new", ...more };
  const { secret } = bodyOf<{ secret: string }>(await owner().ask("PUT", `/v1/webhooks/${name}`, { body }), 201);
  return secret;
}

test("the secret is shown once", async () => {
  const secret = await hook("once", "/once");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u);
  const bytes = Buffer.from(secret.slice(6), "base64").length;
  expect(bytes >= 24 && bytes <= 64).toBe(true);
  const again = await owner().ask("PUT", "/v1/webhooks/once", {
    body: { url: `http://127.0.0.1:${port}/once`, start: "new" },
  });
  expect(again.status).toBe(200);
  for (const answer of [
    again,
    await owner().ask("GET", "/v1/webhooks/once"),
    await owner().ask("GET", "/v1/webhooks"),
  ]) {
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(secret);
  }
});

test("an event comes signed, in the body of standard-webhooks", async () => {
  const secret = await hook("signed", "/signed");
  const id = await other().say("g", "hello");
  const { headers, body } = await next("/signed");
  expect(headers["webhook-id"]).toBe(`evt_signed_${id}`);
  expect(headers["content-type"]).toMatch(/^application\/json/u);
  expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({
    type: "message.posted",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as unknown,
    data: { seq: id, message: { text: "hello" } },
  });
  expect(() => new Webhook(secret).verify(body.replace("hello", "hullo"), { ...headers })).toThrow(/signature/iu);
  expect(Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"]))).toBeLessThan(60);
});

test("a failure is tried again with the same id; a redirect is one and is not followed", async () => {
  answers.set("/again", [500]);
  answers.set("/redirect", [302]);
  await hook("again", "/again");
  await hook("redirect", "/redirect");
  await other().say("g", "twice");
  for (const path of ["/again", "/redirect"]) {
    const [first, second] = [await next(path), await next(path)];
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(JSON.parse(second.body)).toMatchObject({ data: (JSON.parse(first.body) as { data: object }).data });
  }
  expect(inbox("/elsewhere").waiting).toEqual([]);
});

test("410 disables it", async () => {
  answers.set("/gone", [410]);
  await hook("gone", "/gone");
  await other().say("g", "for nobody");
  await next("/gone");
  const shown = await eventually(
    async () => await owner().ask("GET", "/v1/webhooks/gone"),
    ({ text }) => text.includes('"disabled"'),
    () => "the webhook to be disabled",
  );
  expect(shown.status).toBe(200);
});

test("addresses of this machine that AllowPrivate does not list are not called", async () => {
  const closed = await owner().ask("PUT", "/v1/webhooks/inside", {
    body: { url: "http://127.0.0.1:1/", start: "new" },
  });
  if (closed.status < 400) {
    await other().say("g", "to nowhere");
    const shown = await eventually(
      async () => await owner().ask("GET", "/v1/webhooks/inside"),
      ({ text }) => /AllowPrivate|private/iu.test(text),
      () => "why it is not called",
    );
    expect(shown.status).toBe(200);
  } else expectProblem(closed, closed.status);
});

test.for(["file:///etc/passwd", "ftp://127.0.0.1/", "not an address", "http://user:pass@127.0.0.1/"])(
  "%s is refused",
  async (url) => {
    const answer = await owner().ask("PUT", "/v1/webhooks/wrong", { body: { url, start: "new" } });
    expect([400, 422]).toContain(answer.status);
    expectProblem(answer, answer.status);
  },
);

test("they are none of the consumers, and can be removed", async () => {
  await hook("removed", "/removed");
  const { consumers } = await owner().get<{ consumers: { name: string }[] }>("/v1/consumers");
  expect(consumers.map(({ name }) => name)).not.toContain("removed");
  expectTaken(await owner().ask("DELETE", "/v1/webhooks/removed"));
  expectProblem(await owner().ask("GET", "/v1/webhooks/removed"), 404, "not_found");
});

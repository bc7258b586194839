import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { eventually, Inbox } from "../../../../test/support/wait.ts";
import { readerView } from "../../../app/api-server.ts";
import { isObject } from "../../../lib/shapes.ts";
import { STAGE_ACCOUNT, type V1Stage, v1Stage } from "../stage.suite.ts";

const TOKEN = "configured-token";

interface Hit {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An endpoint that answers what `status` says, and a stage whose configuration allows it. */
async function staged(status: (hit: Hit) => number = () => 204) {
  const hits = new Inbox<Hit>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const hit = { path: request.url ?? "", headers: request.headers, body };
      response.writeHead(status(hit), { Location: "http://127.0.0.1:1/" }).end();
      hits.push(hit);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const place = `127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
  const stage = await v1Stage({ token: TOKEN });
  const config = { ...stage.config, general: { ...stage.config.general, allowPrivate: [place] } };
  await stage.change(config);
  const never = Promise.withResolvers<string>().promise;
  const take = async (): Promise<Hit> => await hits.next(() => "a request to the endpoint", never);
  return { stage, take, config, url: `http://${place}/hook` };
}

const text = (value: unknown, key: string): string => {
  const field = isObject(value) ? value[key] : undefined;
  return typeof field === "string" ? field : "";
};

const stateOf = async (stage: V1Stage): Promise<unknown> => (await stage.ask("GET", "/v1/webhooks/hook")).body;

test("what is said is sent to the endpoint, and the library of the specification verifies it", async () => {
  const { stage, take, url } = await staged();
  const made = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url, filter: { types: ["message.*"] } } });
  expect(made).toMatchObject({ status: 201, body: { name: "hook", url, ordered: true, timeout: "15s" } });
  const secret = text(made.body, "secret");
  expect(secret).toMatch(/^whsec_/u);
  const seq = await stage.say("net.a/#x", { text: "Grüße" });
  const { headers, body } = await take();
  expect(headers).toMatchObject({ "webhook-id": `evt_hook_${seq}`, "content-type": "application/json" });
  const signed = {
    "webhook-id": String(headers["webhook-id"]),
    "webhook-timestamp": String(headers["webhook-timestamp"]),
    "webhook-signature": String(headers["webhook-signature"]),
  };
  expect(new Webhook(secret).verify(body, signed)).toMatchObject({
    type: "message.posted",
    data: { seq: String(seq), type: "message.posted", gateways: ["lobby"], message: { text: "Grüße" } },
  });
  const view = await eventually(
    () => stateOf(stage),
    (now) => text(now, "floor") === String(seq),
    () => "the acknowledgement",
  );
  expect(view).toMatchObject({ state: "active", in_flight: 0, dead: 0, last_attempt: { status: 204, why: null } });
});

test("the secret is shown once; a rotation gives another, and for now both sign", async () => {
  const { stage, take, url } = await staged();
  const made = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  const old = text(made.body, "secret");
  const same = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  expect(same.status).toBe(200);
  const list = await stage.ask("GET", "/v1/webhooks");
  expect(list).toMatchObject({ status: 200, body: { webhooks: [{ name: "hook" }] } });
  const rotated = text((await stage.ask("POST", "/v1/webhooks/hook/rotate", { body: {} })).body, "secret");
  await stage.say("net.a/#x", { text: "hi" });
  const { headers, body } = await take();
  const signatures = String(headers["webhook-signature"]).split(" ");
  expect(signatures).toHaveLength(2);
  for (const secret of [rotated, old]) {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    expect(signatures).toContain(new Webhook(secret).sign(String(headers["webhook-id"]), at, body));
  }
  const shown = [same.text, list.text, (await stage.ask("GET", "/v1/webhooks/hook")).text, ...stage.logger.lines];
  const all = JSON.stringify(shown);
  expect(all).not.toContain(old.slice(6, 20));
  expect(all).not.toContain(rotated.slice(6, 20));
});

test("another configuration is a conflict without If-Match; with it, what waits goes to the new address", async () => {
  const { stage, take, url } = await staged(({ path }) => (path === "/hook" ? 500 : 200));
  const made = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  const seq = await stage.say("net.a/#x", { text: "hi" });
  expect((await take()).path).toBe("/hook");
  const other = `${url}/new`;
  expect(await stage.ask("PUT", "/v1/webhooks/hook", { body: { url: other } })).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  });
  const stale = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url: other }, headers: { "If-Match": '"x"' } });
  expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
  const headers = { "If-Match": made.headers.get("etag") ?? "" };
  const changed = await stage.ask("PUT", "/v1/webhooks/hook", { body: { url: other }, headers });
  expect(changed).toMatchObject({ status: 200, body: { url: other } });
  expect(await take()).toMatchObject({ path: "/hook/new", headers: { "webhook-id": `evt_hook_${seq}` } });
});

test("an endpoint that is gone is disabled and said in the status; enabled, it gets what it missed", async () => {
  let gone = true;
  const { stage, take, url } = await staged(() => (gone ? 410 : 200));
  await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  const seq = await stage.say("net.a/#x", { text: "hi" });
  await take();
  await eventually(
    () => stateOf(stage),
    (now) => text(now, "state") === "disabled",
    () => "the end",
  );
  gone = false;
  expect(await stage.ask("POST", "/v1/webhooks/hook/enable", { body: {} })).toMatchObject({ status: 200 });
  expect(await take()).toMatchObject({ headers: { "webhook-id": `evt_hook_${seq}` } });
});

test("a deleted webhook is gone, and a new one of its name begins anew", async () => {
  const { stage, take, url } = await staged();
  await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  expect(await stage.ask("DELETE", "/v1/webhooks/hook")).toMatchObject({ status: 204 });
  expect(await stage.ask("GET", "/v1/webhooks/hook")).toMatchObject({ status: 404 });
  expect(await stage.ask("DELETE", "/v1/webhooks/hook")).toMatchObject({ status: 404 });
  await stage.say("net.a/#x", { text: "unheard" });
  await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  const seq = await stage.say("net.a/#x", { text: "heard" });
  expect(await take()).toMatchObject({ headers: { "webhook-id": `evt_hook_${seq}` } });
});

test("a webhook that has failed or hangs holds up no other", async () => {
  const { stage, take, url } = await staged(({ path }) => (path === "/hook/bad" ? 500 : 200));
  await stage.ask("PUT", "/v1/webhooks/bad", { body: { url: `${url}/bad` } });
  await stage.ask("PUT", "/v1/webhooks/good", { body: { url: `${url}/good` } });
  for (const words of ["one", "two", "three"]) await stage.say("net.a/#x", { text: words });
  const seen = [await take(), await take(), await take(), await take()].map(({ path }) => path);
  expect(seen.sort()).toEqual(["/hook/bad", "/hook/good", "/hook/good", "/hook/good"]);
});

test.each([
  [{ url: "http://10.0.0.1/" }, 422],
  [{ url: "http://127.0.0.1:1/" }, 422],
  [{ url: "ftp://example.org/" }, 422],
  [{ url: "https://example.org/", timeout: "5m" }, 422],
  [{ url: "https://example.org/", timeout: 5 }, 400],
  [{ url: "https://example.org/", filter: { types: ["nonsense"] } }, 422],
  [{ url: "https://example.org/", other: 1 }, 400],
  [{}, 400],
])("%j is refused with %i", async (body, status) => {
  const { stage } = await staged();
  expect(await stage.ask("PUT", "/v1/webhooks/hook", { body })).toMatchObject({ status });
});

test("an event that was given up is listed, and sent again when somebody asks for it", async () => {
  let isPoisonous = true;
  const { stage, take, config, url } = await staged(({ body }) =>
    isPoisonous && !body.includes("webhook.test") ? 500 : 204,
  );
  await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  const seq = await stage.say("net.a/#x", { text: "poison" });
  await take();
  const mark = "v1/w/api.game/hook/at";
  const tries = async (): Promise<string> => (await stage.log.marks(mark)).get(mark) ?? "";
  await eventually(
    tries,
    (now) => now.includes(`"${seq}":[1,`),
    () => "the first failure",
  );
  // As at the end of the table.
  await stage.log.mark([{ name: mark, value: `{"disabled":null,"tries":{"${seq}":[9,0]}}` }]);
  await stage.change(config, "api.game");
  await eventually(
    () => stateOf(stage),
    (now) => isObject(now) && now["dead"] === 1,
    () => "the dead letter",
  );
  const dead = await stage.ask("GET", "/v1/webhooks/hook/dead");
  expect(dead).toMatchObject({ status: 200, body: { dead: [{ event: { seq: String(seq) } }] } });
  expect((await stage.ask("GET", `/v1/webhooks/hook/dead?after=${seq}`)).body).toEqual({ dead: [] });
  isPoisonous = false;
  expect(await stage.ask("POST", `/v1/webhooks/hook/dead/${seq}/retry`)).toMatchObject({ status: 200 });
  const sent = await eventually(
    take,
    ({ body }) => !body.includes("webhook.test"),
    () => "the event",
  );
  expect(sent.headers).toMatchObject({ "webhook-id": `evt_hook_${seq}` });
  await eventually(
    () => stateOf(stage),
    (now) => isObject(now) && now["dead"] === 0 && now["in_flight"] === 0,
    () => "the acknowledgement",
  );
  expect((await stage.ask("POST", `/v1/webhooks/hook/dead/${seq}/retry`)).status).toBe(404);
  expect((await stage.ask("POST", "/v1/webhooks/hook/dead/x/retry")).status).toBe(400);
});

test("webhooks need the account's Token or the scope admin, and their consumers are no programs' consumers", async () => {
  const { stage, url } = await staged();
  expect(await stage.ask("PUT", "/v1/webhooks/hook", { body: { url }, token: null })).toMatchObject({ status: 401 });
  const open = await v1Stage();
  expect(await open.ask("GET", "/v1/webhooks")).toMatchObject({ status: 403 });
  await stage.ask("PUT", "/v1/webhooks/hook", { body: { url } });
  expect(await stage.ask("GET", "/v1/consumers")).toMatchObject({ body: { consumers: [] } });
  expect(await stage.ask("GET", "/v1/consumers/hook")).toMatchObject({ status: 404 });
});

test("a webhook that cannot be read is told of, and keeps neither the others nor the rest of /v1 from working", async () => {
  const { stage, take, url, config } = await staged();
  for (const name of ["hook", "torn", "bare"]) await stage.ask("PUT", `/v1/webhooks/${name}`, { body: { url } });
  for (const name of ["bot", "lost"]) await stage.ask("PUT", `/v1/consumers/${name}`, { body: {} });
  const account = STAGE_ACCOUNT;
  await stage.log.mark([
    { name: `v1/w/${account}/torn/spec`, value: '{"spec":{"url":"ht' },
    { name: `v1/w/${account}/hook/at`, value: "{" },
    { name: `v1/c/${account}/lost/spec`, value: "" },
  ]);
  await stage.log.unmark([`v1/h/${account}/bare/spec`]);
  await stage.change(config, account);
  const list = await stage.ask("GET", "/v1/webhooks");
  expect(list).toMatchObject({ status: 200, body: { webhooks: [{ name: "hook" }] } });
  expect(await stage.ask("GET", "/v1/consumers")).toMatchObject({ body: { consumers: [{ name: "bot" }] } });
  const troubles = (): readonly string[] =>
    stage.servers.all.flatMap((server) => (readerView(server, new Map()).troubles ?? []).map(({ what }) => what));
  expect(troubles()).toEqual([
    'the consumer "lost" cannot be read from the log, and is left out: nobody knows where it stood',
    'the webhook "bare" cannot be read from the log: nothing is sent to it',
    'the webhook "torn" cannot be read from the log: nothing is sent to it',
  ]);
  await stage.say("net.a/#x", { text: "hi" });
  expect((await take()).path).toBe("/hook");
  expect((await stage.ask("PUT", "/v1/webhooks/torn", { body: { url } })).status).toBe(201);
  expect((await stage.ask("DELETE", "/v1/webhooks/bare")).status).toBe(204);
  expect((await stage.ask("PUT", "/v1/consumers/lost", { body: {} })).status).toBe(201);
  expect(troubles()).toEqual([]);
  await stage.change(config, account);
  expect((await stage.ask("GET", "/v1/webhooks")).body).toMatchObject({
    webhooks: [{ name: "hook" }, { name: "torn" }],
  });
  expect(troubles()).toEqual([]);
});

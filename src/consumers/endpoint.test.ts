import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { within } from "../../test/support/wait.ts";
import { systemClock } from "../delivery/clock.ts";
import { callEndpoint, urlFlaw } from "./endpoint.ts";

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
}

const options = (allowPrivate: readonly string[], changes: Partial<Parameters<typeof callEndpoint>[1]> = {}) => ({
  headers: { "webhook-id": "evt_x_1" },
  body: '{"a":"ü"}',
  timeoutMs: 15_000,
  allowPrivate,
  signal: new AbortController().signal,
  clock: systemClock,
  ...changes,
});

test("the body and the headers come as they were given, and a 2xx is a success", async () => {
  const seen: unknown[] = [];
  const place = await served((request, response) => {
    request.setEncoding("utf8").on("data", (body: string) => {
      seen.push(request.method, request.url, request.headers["content-type"], request.headers["webhook-id"], body);
      response.writeHead(202).end("thanks");
    });
  });
  const answered = await callEndpoint(`http://${place}/hook?a=1`, options([place]));
  expect(answered).toEqual({ status: 202, why: null, retryAfterMs: null });
  expect(seen).toEqual(["POST", "/hook?a=1", "application/json", "evt_x_1", '{"a":"ü"}']);
});

test.each([
  [301, "it answers 301, and redirects are not followed"],
  [400, "it answers 400"],
  [410, "it answers 410"],
  [503, "it answers 503"],
])("an answer of %i is a failure", async (status, why) => {
  const hits: string[] = [];
  const place = await served((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(status, { Location: "/other", "Retry-After": "7" }).end();
  });
  const answered = await callEndpoint(`http://${place}/hook`, options([place]));
  expect(answered).toEqual({ status, why, retryAfterMs: 7_000 });
  expect(hits).toEqual(["/hook"]);
});

test("what never answers is given up after the time limit", async () => {
  const place = await served(() => undefined);
  const answered = await within(callEndpoint(`http://${place}/`, options([place], { timeoutMs: 50 })), () => "an end");
  expect(answered).toEqual({ status: null, why: "there was no answer within 0.05 s", retryAfterMs: null });
});

test("of an answer without end, a part is read, and its status counts", async () => {
  let sent = 0;
  const place = await served((_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      if (response.destroyed) return;
      sent += 16_384;
      if (response.write(Buffer.alloc(16_384))) setImmediate(more);
      else response.once("drain", more);
    };
    more();
  });
  const calling = callEndpoint(`http://${place}/`, options([place]));
  const answered = await within(calling, () => "an end of an endless answer");
  expect(answered.status).toBe(200);
  expect(sent).toBeLessThan(64 * 1_048_576);
});

test("a connection that is refused, cut or talks something else is a failure with a reason", async () => {
  const cut = await served((request) => request.socket.destroy());
  const cutAnswer = await callEndpoint(`http://${cut}/`, options([cut]));
  expect(cutAnswer.status).toBeNull();
  expect(cutAnswer.why).toMatch(/interrupted|closed/u);
  const secure = await callEndpoint(`https://${cut}/`, options([cut]));
  expect(secure.why).toMatch(/TLS|cannot be reached/u);
  const none = await callEndpoint("http://127.0.0.1:1/", options(["127.0.0.1:1"]));
  expect(none.why).toBe("it cannot be reached: nothing is listening there");
});

test.each([
  "http://127.0.0.1:9000/",
  "http://127.1/",
  "http://0x7f000001/",
  "http://2130706433/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:10.0.0.1]:8080/",
  "http://[64:ff9b::7f00:1]/",
  "http://10.0.0.8/",
  "http://172.16.3.4/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.64.0.1/",
  "http://0.0.0.0/",
  "http://localhost/hook",
  "https://LocalHost./",
  "http://my.localhost/",
  "http://localhost.localdomain/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "https://user:pass@example.org/",
  "ftp://example.org/",
  "file:///etc/passwd",
  "http://example.org:22/",
  "nonsense",
])("%s is refused before anything is sent", async (url) => {
  expect(urlFlaw(url, [])).not.toBeNull();
  expect(await callEndpoint(url, options([]))).toMatchObject({ status: null });
});

test("a name that leads to a private address is refused, also when only one of its addresses is", async () => {
  const hits = vi.fn();
  const place = await served(() => void hits());
  const port = place.split(":")[1];
  const resolve = () =>
    Promise.resolve([
      { address: "93.184.215.14", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ]);
  const answered = await callEndpoint(`http://hooks.example:${port}/`, options([], { resolve }));
  const why = "the address cannot be called: hooks.example is not on the public Internet (see AllowPrivate)";
  expect(answered.why).toBe(why);
  expect(hits).not.toHaveBeenCalled();
});

test("AllowPrivate opens the host and port that it names, as the URL has them, and nothing beside", async () => {
  const place = await served((_request, response) => response.end());
  const port = place.split(":")[1];
  const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  const url = `http://hooks.internal:${port}/`;
  expect(await callEndpoint(url, options([`hooks.internal:${port}`], { resolve }))).toMatchObject({ status: 200 });
  expect(await callEndpoint(url, options([place], { resolve }))).toMatchObject({ status: null });
  expect(urlFlaw("http://localhost:9000/", ["localhost:9000"])).toBeNull();
  expect(urlFlaw("https://localhost.example/", [])).toBeNull();
  expect(urlFlaw("http://169.254.169.254/", ["169.254.169.254:80"])).toContain("not on the public Internet");
});

test("the connection goes to what was looked up, once", async () => {
  const place = await served((_request, response) => response.end());
  const port = place.split(":")[1];
  const resolve = vi.fn(() => Promise.resolve([{ address: "127.0.0.1", family: 4 }]));
  await callEndpoint(`http://nowhere.invalid:${port}/`, options([`nowhere.invalid:${port}`], { resolve }));
  expect(resolve).toHaveBeenCalledTimes(1);
});

test("an end of the program ends the attempt", async () => {
  const place = await served(() => undefined);
  const ending = new AbortController();
  const calling = callEndpoint(`http://${place}/`, options([place], { signal: ending.signal }));
  ending.abort();
  expect(await within(calling, () => "the end")).toMatchObject({ status: null });
});

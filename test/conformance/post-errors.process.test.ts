import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { request } from "../support/http.ts";
import { connectRaw, parseAnswer, rawRequest } from "../support/raw.ts";
import { expectError } from "../support/shape.ts";
import { launch, useRialto } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const accounts = {
  poster: {},
  reader: { Buffer: 1000 },
  several: {},
  listener: {},
  small: { MaxBodySize: 2048 },
};
const rialto = useRialto({
  config: toml({
    accounts,
    gateways: {
      main: { inout: ["poster", "reader", "several", "small"], out: ["listener"] },
      second: { inout: ["several", "reader"] },
      off: { enable: false, inout: ["poster", "reader"] },
      foreign: { inout: ["reader", "several"] },
    },
  }),
});

describe("400", () => {
  test.for([
    ["{bad", /\d/],
    ['{"text":"bad', /\d/],
    ['{"text":"bad","username":', /\d/],
    ["{'text':'bad'}", /\d/],
    ['{\n  "text": "bad",\n}', /\d/],
    ["bad", /\d/],
  ] as const)("for the syntax of %s, with the position", async ([body, mention]) => {
    expectError(await rialto().client("poster").post(body), 400, mention);
  });

  test("for brackets a million deep that do not close, and for those that close it is 200", async () => {
    const deep = 1_000_000;
    const poster = rialto().client("poster");
    expectError(await poster.post("[".repeat(deep)), 400);
    expectError(await poster.post('{"a":'.repeat(deep)), 400);
    expectError(await poster.post(`{"text":"bad","a":${"[".repeat(deep)}${"]".repeat(deep - 1)}}`), 400);
    const body = `{"text":"good depth","a":${"[".repeat(deep)}${"]".repeat(deep)}}`;
    expect((await poster.post(body)).status).toBe(200);
  });

  test.for(["[]", '[{"text":"bad"}]', '"bad"', "5", "true"])("for a body that is not an object: %s", async (body) => {
    expectError(await rialto().client("poster").post(body), 400, /object/);
  });

  const fields = ["text", "username", "userid", "avatar", "gateway", "parent_id", "event"];
  test.for(fields)("for a %s that is not a string, naming it", async (field) => {
    for (const value of [1, true, {}, ["x"]]) {
      expectError(
        await rialto()
          .client("poster")
          .post({ text: "bad", [field]: value }),
        400,
        field,
        /string/,
      );
    }
  });

  test.for([
    ["Extra", "x"],
    ["Extra", 5],
    ["Extra", [1]],
    ["file", { file: "x" }],
    ["file", { file: { Name: "n", Data: "QQ==" } }],
    ["file", { file: ["x"] }],
    ["file", { file: [null] }],
    ["Name", { file: [{ Name: 5, Data: "QQ==" }] }],
    ["Data", { file: [{ Name: "n", Data: 5 }] }],
    ["Data", { file: [{ Name: "n", Data: "%%%" }] }],
    ["Data", { file: [{ Name: "n", Data: "QQ=" }] }],
    ["Data", { file: [{ Name: "n", Data: "Q" }] }],
    ["Data", { file: [{ Name: "n" }] }],
    ["Data", { file: [{ Name: "n", Data: "", URL: "" }] }],
  ] as const)("for a bad file, naming %s: %j", async ([field, Extra]) => {
    expectError(await rialto().client("poster").post({ text: "bad", Extra }), 400, field);
  });

  test("for the second of two files, saying which", async () => {
    const Extra = {
      file: [
        { Name: "a", Data: "QQ==" },
        { Name: "b", Data: "!" },
      ],
    };
    expectError(await rialto().client("poster").post({ text: "bad", Extra }), 400, /file\[1\]/);
  });

  test.for([
    "api_connected",
    "api_error",
    "failure",
    "rejoin_channels",
    "get_channel_members",
    "avatar_download",
    "msg_delete",
    "file_delete",
  ])("for the reserved event %s", async (event) => {
    expectError(await rialto().client("poster").post({ text: "bad", event }), 400, /event/, event);
    expectError(await rialto().client("poster").post({ text: "", event }), 400, /event/, event);
  });

  test("for no gateway when the account is in several, naming them", async () => {
    for (const gateway of [undefined, null, ""]) {
      const answer = await rialto().client("several").post({ text: "bad", gateway });
      expectError(answer, 400, /gateway/, /main/, /second/, /foreign/);
    }
  });

  test("for a request that is not HTTP, and the service goes on", async () => {
    const connection = await connectRaw(rialto().url("api.poster"));
    connection.send("HELLO\r\n\r\n");
    expect((await connection.untilClosed()).toString()).toMatch(/^HTTP\/1\.1 400 /);
    expect((await rialto().client("poster").request("/api/health")).text).toBe("OK");
  });
});

describe("404", () => {
  test("for an unknown gateway, naming it and those the account is in", async () => {
    expectError(
      await rialto().client("several").post({ text: "bad", gateway: "nowhere" }),
      404,
      /nowhere/,
      /main/,
      /second/,
    );
  });

  test("for a disabled gateway, for one the account is not in, for a name in other case", async () => {
    for (const gateway of ["off", "second", "MAIN", "main "]) {
      expectError(await rialto().client("poster").post({ text: "bad", gateway }), 404, gateway, /main/);
    }
  });

  test.for([
    "/",
    "/api",
    "/api/",
    "/api/nothing",
    "/api/messages/",
    "/api/message/",
    "/api/Messages",
    "/API/messages",
    "/api//messages",
    "/api/health/",
  ])("Not Found for GET %s", async (path) => {
    const answer = await rialto().client("poster").request(path);
    expectError(answer, 404);
    expect(answer.json()).toEqual({ message: "Not Found" });
  });

  test("Not Found for a POST elsewhere, whatever its body", async () => {
    for (const type of ["application/json", "text/plain"]) {
      const answer = await rialto()
        .client("poster")
        .request("/api/msg", { method: "POST", headers: { "Content-Type": type }, body: "{bad" });
      expect([answer.status, answer.json()]).toEqual([404, { message: "Not Found" }]);
    }
  });

  test("the log speaks of a wrong gateway, but not for every request of a client that retries", async () => {
    const before = rialto().output().length;
    for (let n = 0; n < 200; n += 1) {
      expect((await rialto().client("poster").post({ text: "bad", gateway: "retry-me" })).status).toBe(404);
    }
    const lines = (): string[] =>
      rialto()
        .output()
        .slice(before)
        .split("\n")
        .filter((line) => line.includes("retry-me"));
    await eventually(
      async () => lines(),
      (found) => found.length > 0,
      () => "a line about the wrong gateway",
    );
    expect(lines().length).toBeLessThan(10);
  });
});

describe("403", () => {
  test("for an account that may only receive, named or not", async () => {
    expectError(
      await rialto().client("listener").post({ text: "bad", gateway: "main" }),
      403,
      /main/,
      /inout|"in"|`in`|receive/,
    );
  });
});

describe("405, OPTIONS and HEAD", () => {
  const routes = [
    ["/api/health", "GET"],
    ["/api/messages", "GET"],
    ["/api/stream", "GET"],
    ["/api/websocket", "GET"],
    ["/api/openapi.json", "GET"],
    ["/api/message", "POST"],
  ] as const;
  const listed = (allow: string | undefined): string[] => (allow ?? "").split(/\s*,\s*/).toSorted();

  test.for(routes)("on %s, which takes %s", async ([path, method]) => {
    const client = rialto().client("poster");
    const wrong = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((each) => each !== method);
    for (const each of wrong) {
      const answer = await client.request(path, { method: each });
      expectError(answer, 405);
      expect(listed(answer.headers.allow)).toEqual([method, "OPTIONS"].toSorted());
    }
    const head = await client.request(path, { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([405, 0]);
    expect(listed(head.headers.allow)).toEqual([method, "OPTIONS"].toSorted());
    const options = await client.request(path, { method: "OPTIONS" });
    expect([options.status, options.body.length]).toEqual([204, 0]);
    expect(listed(options.headers.allow)).toEqual([method, "OPTIONS"].toSorted());
  });

  test("a wrong method with a body of any type is 405 too", async () => {
    const answer = await rialto()
      .client("poster")
      .request("/api/messages", { method: "POST", headers: { "Content-Type": "text/x" }, body: "bad" });
    expectError(answer, 405);
  });

  test("OPTIONS on an unknown path is 404", async () => {
    expect((await rialto().client("poster").request("/api/x", { method: "OPTIONS" })).status).toBe(404);
  });
});

describe("413", () => {
  const bodyOf = (length: number): string => `{"text":"good${"x".repeat(length - 15)}"}`;

  test("over MaxBodySize, not at it", async () => {
    const client = rialto().client("small");
    expect((await client.post(bodyOf(2048))).status).toBe(200);
    expectError(await client.post(`${bodyOf(2048)} `), 413, /2048|MaxBodySize/);
    expectError(
      await client.post(`text=${"x".repeat(3000)}`, { "Content-Type": "application/x-www-form-urlencoded" }),
      413,
    );
  });

  test("as soon as the length is announced, and for chunks without a length", async () => {
    const { url } = rialto().client("small");
    const head = "POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const announced = await rawRequest(url, `${head}Content-Length: 1000000000\r\n\r\n{`);
    expect(announced.statusLine).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `400\r\n${"x".repeat(0x400)}\r\n`;
    const chunked = await rawRequest(url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`);
    expect(chunked.statusLine).toMatch(/^HTTP\/1\.1 413 /);
    expect((JSON.parse(chunked.body.toString()) as { message: string }).message).not.toBe("");
  });
});

describe("415", () => {
  test.for(["text/plain", "application/xml", "multipart/form-data; boundary=x", "application/octet-stream", "json"])(
    "for Content-Type %s",
    async (type) => {
      const body = '{"text":"bad"}';
      const options = { method: "POST", headers: { "Content-Type": type }, body };
      expectError(await rialto().client("poster").request("/api/message", options), 415, /application\/json/);
    },
  );

  test("for a body without a Content-Type", async () => {
    const answer = await rawRequest(
      rialto().url("api.poster"),
      'POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\n\r\n{"text":"bad"}',
    );
    expect(answer.statusLine).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe("requests that break off", () => {
  test("relay nothing", async () => {
    const connection = await connectRaw(rialto().url("api.poster"));
    connection.send(
      'POST /api/message HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"text":"bad"',
    );
    connection.destroy();
    expect((await request(`${rialto().url("api.poster")}/api/health`)).text).toBe("OK");
  });

  test("with a header beyond all measure is an error answer, not a crash", async () => {
    const connection = await connectRaw(rialto().url("api.poster"));
    connection.send(`GET /api/messages HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(200_000)}\r\n\r\n`);
    const answer = parseAnswer(await connection.untilClosed());
    if (answer) expect(answer.statusLine).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await request(`${rialto().url("api.poster")}/api/health`)).text).toBe("OK");
  });
});

test("nothing that was refused has come through, and the service is well", async () => {
  const texts = await rialto().client("reader").texts();
  expect(texts.filter((text) => !text.startsWith("good"))).toEqual([]);
  await rialto().client("poster").say({ text: "good at last" });
  expect(await rialto().client("reader").texts()).toEqual(["good at last"]);
});

test("503 when the log cannot take it; what was answered 200 is kept, and the service lives on", async () => {
  const config = toml({
    accounts: { sender: {}, reader: { Buffer: 1000 } },
    gateways: { g: { inout: ["sender", "reader"] } },
  });
  const full = await launch({ config, fileSizeLimit: 1500 });
  const stored: string[] = [];
  let refused = await full.client("sender").post({ text: "0" });
  for (let n = 1; n < 100 && refused.status === 200; n += 1) {
    stored.push((refused.json() as { text: string }).text);
    refused = await full.client("sender").post({ text: `${n} ${"x".repeat(100_000)}` });
  }
  expectError(refused, 503);
  expect(stored.length).toBeGreaterThan(1);
  expect((await full.client("sender").request("/api/health")).status).toBe(200);
  expect(await full.client("reader").texts()).toEqual(stored);
  await full.kill9();
  const roomy = await launch({ config, dataPath: full.dataPath });
  await roomy.client("sender").say({ text: "room again" });
  expect((await roomy.client("reader").texts()).at(-1)).toBe("room again");
});

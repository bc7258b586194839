import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { rawRequest } from "../support/raw.ts";
import { useRialto } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const accounts = { open: { Buffer: 100 }, closed: { Buffer: 100, Token: "t" } };
const gateways = { g: { inout: Object.keys(accounts) } };
const general = { AllowedHosts: ["Bridge.example."] };
const rialto = useRialto({ config: toml({ general, accounts, gateways }) });

const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const EVIL = "Host: evil.example:4242\r\nOrigin: http://evil.example:4242\r\n";

/** Status and message of the answer to one request; its fields end with a line break each. */
async function ask(line: string, fields: string, account = "api.open", body = ""): Promise<string> {
  const length = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const answer = await rawRequest(rialto().url(account), `${line}\r\n${fields}${length}\r\n${body}`);
  return `${answer.statusLine.slice(9)} ${answer.body.toString()}`;
}

describe("without a Token, a page whose name was made to lead here", () => {
  test.for([
    ["reads nothing", "GET /api/messages HTTP/1.1", EVIL, ""],
    ["streams nothing", "GET /api/stream HTTP/1.1", EVIL, ""],
    ["says nothing", "POST /api/message HTTP/1.1", EVIL, '{"text":"evil"}'],
    ["opens no WebSocket", "GET /api/websocket HTTP/1.1", `${EVIL}${UPGRADE}`, ""],
    ["nor by its port, its case or a dot at its end", "GET /api/messages HTTP/1.1", "Host: EVIL.example.:80\r\n", ""],
    ["nor by a user before the address", "GET /api/messages HTTP/1.1", "Host: evil.example@127.0.0.1\r\n", ""],
    ["nor by a target with a host", "GET http://evil.example/api/messages HTTP/1.1", "Host: 127.0.0.1\r\n", ""],
    ["nor in HTTP/1.0", "GET /api/messages HTTP/1.0", EVIL, ""],
  ] as const)("%s", async ([, line, fields, body]) => {
    await rialto().client("closed", "t").poll();
    expect(await ask(line, fields, "api.open", body)).toMatch(/^421 Misdirected Request .*AllowedHosts/u);
    expect(await rialto().client("closed", "t").poll()).toEqual([]);
  });

  test.for([
    ["its address", "HTTP/1.1", "Host: 127.0.0.1:4242\r\n"],
    ["IPv6", "HTTP/1.1", "Host: [::1]\r\n"],
    ["localhost", "HTTP/1.1", "Host: LocalHost:1\r\n"],
    ["a name under localhost", "HTTP/1.1", "Host: rialto.localhost\r\n"],
    ["a name of AllowedHosts", "HTTP/1.1", "Host: bridge.EXAMPLE:443\r\n"],
    ["nothing, as in HTTP/1.0", "HTTP/1.0", ""],
  ] as const)("others go on: by %s", async ([, version, fields]) => {
    expect(await ask(`GET /api/messages ${version}`, fields)).toMatch(/^200 /u);
  });

  test("with a Token no Host is refused", async () => {
    expect(await ask("GET /api/messages HTTP/1.1", `${EVIL}Authorization: Bearer t\r\n`, "api.closed")).toMatch(
      /^200 /u,
    );
    expect(await ask("GET /api/messages HTTP/1.1", EVIL, "api.closed")).toMatch(/^401 /u);
  });
});

/** What a browser sends for `<img src=http://127.0.0.1:4242/api/messages>` in a page of elsewhere. */
const image = (site: string): string =>
  `Host: 127.0.0.1:4242\r\nAccept: image/*\r\nSec-Fetch-Dest: image\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Site: ${site}\r\n`;

describe("without a Token, a picture in a page of elsewhere", () => {
  test.for([
    ["cross-site", "/api/messages"],
    ["same-site", "/api/messages"],
    ["cross-site", "/%61pi/messages"],
    ["cross-site", "/api/stream"],
  ])("%s takes nothing away by %s", async ([site = "", path = ""]) => {
    const { client } = rialto();
    await client("open").poll();
    await client("closed", "t").say({ text: "kept" });
    expect(await ask(`GET ${path} HTTP/1.1`, image(site))).toMatch(/^403 Forbidden .*another site/u);
    const left = await eventually(
      async () => await client("open").poll(),
      (messages) => messages.length > 0,
      () => "the message",
    );
    expect(left.map(({ text }) => text)).toEqual(["kept"]);
  });

  test("a browser that was told the address itself is served", async () => {
    expect(await ask("GET /api/messages HTTP/1.1", image("none"))).toMatch(/^200 /u);
    expect(await ask("GET /api/messages HTTP/1.1", image("same-origin"))).toMatch(/^200 /u);
  });
});

test.for([
  ["Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", /^400 Bad Request .*more than one `Host`/u],
  ["Host: 127.0.0.1\r\nHost: evil.example\r\n", /^400 Bad Request .*more than one `Host`/u],
  ["Host: 127.0.0.1\r\nContent-Encoding: gzip\r\n", /^415 Unsupported Media Type .*`Content-Encoding: gzip`/u],
] as const)("two hosts, or a body that is packed, are refused by name: %j", async ([fields, answer]) => {
  for (const account of ["api.open", "api.closed"]) {
    const given = `${fields}Authorization: Bearer t\r\n`;
    expect(await ask("POST /api/message HTTP/1.1", given, account, '{"text":"x"}')).toMatch(answer);
  }
});

test("a transfer coding beside chunked is refused by name", async () => {
  const fields = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n";
  const answer = await rawRequest(
    rialto().url("api.open"),
    `POST /api/message HTTP/1.1\r\n${fields}\r\n2\r\n{}\r\n0\r\n\r\n`,
  );
  expect(`${answer.statusLine} ${answer.body.toString()}`).toMatch(
    / 501 Not Implemented .*`Transfer-Encoding: gzip, chunked`/u,
  );
});

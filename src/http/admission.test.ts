import { describe, expect, test } from "vitest";
import { type Caller, compileAdmission, type Doors } from "./admission.ts";

const DOORS: Doors = {
  token: null,
  tokenName: "the account's Token",
  names: () => ({ bound: "127.0.0.1", allowed: [], machine: "box" }),
  openPaths: new Set(["/api/health"]),
};

const headersOf = (fields: readonly (readonly [string, string])[]): Caller["headers"] =>
  Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));

function caller(path: string, fields: readonly (readonly [string, string])[] = [], method = "GET"): Caller {
  const all = fields.some(([name]) => name === "Host") ? fields : [["Host", "127.0.0.1:4242"] as const, ...fields];
  return { method, url: path, path, headers: headersOf(all), rawHeaders: all.flat() };
}

const refusal = (given: Caller, doors: Partial<Doors> = {}) => compileAdmission({ ...DOORS, ...doors })(given);

test.for([
  ["GET", "/api/messages", "cross-site", 403],
  ["GET", "/api/stream", "same-site", 403],
  ["POST", "/api/message", "cross-site", 403],
  ["OPTIONS", "/api/message", "cross-site", 403],
  ["DELETE", "/api/nothing", "cross-site", 403],
  ["GET", "/api/websocket", "cross-site", 403],
  ["GET", "/api/messages", "none, cross-site", 403],
  ["GET", "/api/messages", "Same-Origin", 403],
  ["GET", "/api/messages", "", 403],
  ["GET", "/api/messages", "same-origin", null],
  ["GET", "/api/messages", "none", null],
  ["GET", "/api/health", "cross-site", null],
  ["GET", "/", "cross-site", null],
  ["GET", "/apiary", "cross-site", null],
] as const)("%s %s, Sec-Fetch-Site: %s", ([method, path, site, status]) => {
  const given = caller(path, [["Sec-Fetch-Site", site]], method);
  expect(refusal(given)?.status ?? null).toBe(status);
  const known = caller(
    path,
    [
      ["Sec-Fetch-Site", site],
      ["Authorization", "Bearer t"],
    ],
    method,
  );
  expect(refusal(known, { token: "t" })).toBeNull();
});

describe("a host that is not ours", () => {
  const evil = caller("/api/messages", [
    ["Host", "evil.example:4242"],
    ["Origin", "http://evil.example:4242"],
  ]);

  test("is refused without a token, with the way out", () => {
    const refused = refusal(evil);
    expect(refused?.status).toBe(421);
    expect(refused?.message).toMatch(/"evil\.example:4242".*AllowedHosts of \[general\].*the account's Token/u);
    expect(refusal(caller("/api/health", [["Host", "evil.example"]]))?.status).toBe(421);
  });

  test("counts as soon as it is allowed", () => {
    const allowed: string[] = [];
    const admission = compileAdmission({ ...DOORS, names: () => ({ bound: "127.0.0.1", machine: "box", allowed }) });
    expect(admission(evil)?.status).toBe(421);
    allowed.push("evil.example");
    expect(admission(evil)).toBeNull();
  });

  test("counts with a token, and where no browser gets", () => {
    const known = caller("/api/messages", [
      ["Host", "evil.example"],
      ["Authorization", "Bearer t"],
    ]);
    expect(refusal(known, { token: "t" })).toBeNull();
    expect(refusal(caller("/api/messages", [["Host", "evil.example"]]), { token: "t" })?.status).toBe(401);
    expect(refusal(evil, { names: null })).toBeNull();
  });

  test("is told by the target of the request, where that says one", () => {
    const target = (url: string, host: string): Caller => ({ ...caller("/api/messages", [["Host", host]]), url });
    expect(refusal(target("http://evil.example/api/messages", "127.0.0.1"))?.status).toBe(421);
    expect(refusal(target("http://127.0.0.1/api/messages", "evil.example"))).toBeNull();
  });

  test("is not a missing one, which only HTTP/1.0 can have", () => {
    expect(refusal({ ...caller("/api/messages"), headers: {}, rawHeaders: [] })).toBeNull();
    expect(refusal(caller("/api/messages", [["Host", ""]]))?.status).toBe(421);
  });
});

test.for([
  [
    [
      ["Host", "127.0.0.1"],
      ["HOST", "127.0.0.1"],
    ],
    400,
    /more than one `Host`/,
  ],
  [[["Transfer-Encoding", "gzip, chunked"]], 501, /`Transfer-Encoding: gzip, chunked` is not understood/],
  [[["Transfer-Encoding", " Chunked "]], null, null],
  [
    [
      ["Content-Length", "9"],
      ["Content-Encoding", "gzip"],
    ],
    415,
    /`Content-Encoding: gzip` is not understood/,
  ],
  [
    [
      ["Transfer-Encoding", "chunked"],
      ["Content-Encoding", "br"],
    ],
    415,
    /br/,
  ],
  [
    [
      ["Content-Length", "9"],
      ["Content-Encoding", "Identity"],
    ],
    null,
    null,
  ],
  [[["Content-Encoding", "gzip"]], null, null],
] as const)("%j is refused with %j, token or not", ([fields, status, message]) => {
  for (const token of [null, "t"]) {
    const given = caller("/api/message", [...fields, ["Authorization", "Bearer t"]], "POST");
    const refused = refusal(given, { token });
    expect(refused?.status ?? null).toBe(status);
    if (message !== null) expect(refused?.message).toMatch(message);
  }
});

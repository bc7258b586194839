import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, request } from "../support/http.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

/** The web server's address, and that of somebody else: all of 127.0.0.0/8 is this machine. */
const PROXY = "127.0.0.2";
const ELSEWHERE = "127.0.0.1";
const TOKEN = "the-operators-own-token";

let port = 0;
let rialto: Rialto;
const base = (): string => `http://127.0.0.1:${port}`;

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  const general = `AdminBindAddress = "127.0.0.1:${port}"\nAdminToken = "${TOKEN}"\nTrustProxy = ["${PROXY}"]`;
  const gateway = '[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.a" }, { account = "api.b" }]';
  rialto = await startRialto({ config: `[general]\n${general}\n[api.a]\n[api.b]\n${gateway}` });
});
afterAll(async () => await rialto.dispose());

interface Asked {
  readonly from?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ann = { "Remote-User": "ann" };
const ask = async (path: string, { from = PROXY, method = "GET", headers = ann }: Asked = {}): Promise<Answer> =>
  await request(base() + path, { from, method, headers });

test("whom the web server has signed in is an operator by that name, and listed", async () => {
  const who = await ask("/v1/session");
  expect([who.status, who.json()]).toEqual([200, { name: "ann", by: "proxy", expiresMs: null }]);
  expect(who.headers["set-cookie"]).toBeUndefined();
  expect((await ask("/v1/admin/status")).status).toBe(200);
  // A password that the web server has checked and passes on.
  expect((await ask("/v1/session", { headers: { ...ann, Authorization: "Basic YW5uOng=" } })).status).toBe(200);
  const { sessions } = (await ask("/v1/admin/sessions")).json() as { sessions: readonly object[] };
  expect(sessions).toEqual([expect.objectContaining({ id: "", user: "ann", current: true, expiresMs: null })]);
  const out = await ask("/v1/session", { method: "DELETE", headers: { ...ann, Origin: base(), "X-Rialto": "1" } });
  expect([out.status, out.text]).toEqual([404, expect.stringContaining("sign out there")]);
});

test("from elsewhere the header says nothing, whatever else is claimed", async () => {
  const claims = [
    ann,
    { ...ann, "X-Forwarded-For": PROXY },
    { ...ann, Forwarded: `for=${PROXY}` },
    { ...ann, "X-Real-IP": PROXY },
    { ...ann, Authorization: "Basic YW5uOng=" },
  ];
  for (const headers of claims) {
    for (const path of ["/v1/session", "/v1/admin/status", "/v1/admin/events"])
      expect.soft((await ask(path, { from: ELSEWHERE, headers })).status, JSON.stringify(headers)).toBe(401);
  }
  // Nor does it take a token's rights, or give it a name.
  const answer = await ask("/v1/session", { from: ELSEWHERE, headers: { ...ann, Authorization: `Bearer ${TOKEN}` } });
  expect(answer.json()).toMatchObject({ name: "operator", by: "configuration" });
});

test("from the web server, nobody comes in without a name, by a wrong token, or for another page", async () => {
  expect((await ask("/v1/session", { headers: {} })).status).toBe(401);
  expect((await ask("/v1/session", { headers: { "Remote-User": "" } })).status).toBe(401);
  expect((await ask("/v1/session", { headers: { ...ann, Authorization: "Bearer wrong" } })).status).toBe(401);
  const path = "/v1/admin/accounts/api.a/pause";
  const ours = { ...ann, Origin: base(), "X-Rialto": "1" };
  const forged = [
    { ...ours, Origin: "http://evil.example" },
    { ...ours, "X-Rialto": "0" },
    { ...ours, "Sec-Fetch-Site": "cross-site" },
    ann,
  ];
  for (const headers of forged) expect.soft((await ask(path, { method: "POST", headers })).status).toBe(403);
  const behindTls = { ...ours, Origin: base().replace("http:", "https:"), "X-Rialto": "0" };
  expect((await ask("/v1/session", { headers: behindTls })).status).toBe(200);
  expect((await ask(path, { method: "POST", headers: { ...ours, Host: "evil.example" } })).status).toBe(421);
});

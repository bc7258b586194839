import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, request } from "../../../../test/support/http.ts";
import { freePorts } from "../../../../test/support/ports.ts";
import { type Rialto, startRialto } from "../../../../test/support/rialto.ts";

const TOKEN = "the-token-of-operators";
const SECRET = "hunter2hunter2";
let rialto: Rialto;
let base: string;
let original: string;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  base = `http://127.0.0.1:${port}`;
  const config = `[general]\r
AdminBindAddress = "127.0.0.1:${port}"\r
AdminToken = "${TOKEN}"

[api.left]
Token = "${SECRET}"
# Token = "an-old-secret"

[api.right]

[[gateway]]
name = "lobby"
enable = true
inout = [{ account = "api.left", channel = "api" }, { account = "api.right", channel = "api" }]
`;
  rialto = await startRialto({ config });
  original = readFileSync(rialto.file, "utf8");
});

afterAll(async () => {
  await rialto.dispose();
});

const call = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  await request(`${base}/v1/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

interface Shown {
  readonly text: string;
  readonly etag: string;
  readonly writable: boolean;
  readonly why: string;
  readonly versions: readonly { readonly id: string }[];
}

async function shown(): Promise<Shown> {
  const answer = await call("GET", "/config");
  expect(answer.status).toBe(200);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
  return { ...(answer.json() as Omit<Shown, "etag">), etag: answer.headers.etag ?? "" };
}

/** What Rialto reports about its configuration. */
async function configTroubles(): Promise<readonly unknown[]> {
  const status = (await call("GET", "/status")).json() as { readonly troubles: readonly { readonly of: string }[] };
  return status.troubles.filter(({ of }) => of === "the configuration");
}

const write = async (text: string, etag: string): Promise<Answer> =>
  await call("PUT", "/config", { text }, { "If-Match": etag });

describe("the configuration over the network", () => {
  test("is not shown to who has no credential", async () => {
    const answer = await request(`${base}/v1/admin/config`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([401, "application/problem+json"]);
  });

  test("has no secrets, and written as it is changes nothing", async () => {
    const { text, etag, writable } = await shown();
    expect(writable).toBe(true);
    for (const secret of [SECRET, "an-old-secret", TOKEN]) expect(text).not.toContain(secret);
    expect(text).toContain('name = "lobby"');
    const answer = await write(text, etag);
    expect([answer.status, answer.json()]).toEqual([200, { changes: [], needsRestart: [] }]);
    expect(readFileSync(rialto.file, "utf8")).toBe(original);
    expect((await shown()).versions).toEqual([]);
  });

  test("is checked at the places of the text as it is shown, and nothing is changed", async () => {
    const { text } = await shown();
    const mask = /<kept:\w+>/u.exec(text.split("[api.left]")[1] ?? "")?.[0] ?? "";
    const line = `inout = [{ account = "api.left", channel = "api" }, { account = "api.nobody", channel = "${mask}" }]`;
    const broken = await call("POST", "/check", { text: text.replace(/^inout.*$/mu, line) });
    expect(broken.json()).toMatchObject({
      changes: [],
      problems: [{ code: "kept-secret", line: 16, column: line.indexOf(mask) + 1 }],
    });
    const inline = text.replace(`Token = "${mask}"`, `"Token" = "${mask}"; Oops`);
    const wrong = await call("POST", "/check", { text: inline });
    const row = inline.split("\n").findIndex((each) => each.includes("Oops"));
    const column = (inline.split("\n")[row] ?? "").indexOf(";") + 1;
    expect(wrong.json()).toMatchObject({ problems: [{ severity: "error", line: row + 1, column }] });
    expect(wrong.text).not.toContain(SECRET);
    const many = Array.from({ length: 5_000 }, (_, index) => `[t${index}]\n`).join("");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { problems } = (await call("POST", "/check", { text: `${text}${many}` })).json() as { problems: object[] };
    expect([problems.length, problems.at(-1)]).toMatchObject([101, { code: "more-problems", line: 0 }]);
    const good = await call("POST", "/check", { text: text.replace("[api.right]", '[api.right]\nIgnoreNicks = "R"') });
    expect(good.json()).toEqual({
      problems: [],
      changes: ["api.right goes on with another IgnoreNicks."],
      needsRestart: [],
    });
    expect(readFileSync(rialto.file, "utf8")).toBe(original);
  });

  test("with an error is refused, and so is one that was made of an older file", async () => {
    const { text, etag } = await shown();
    const refused = await write(text.replace("api.right", "api.wrong"), etag);
    expect(refused.status).toBe(422);
    expect(await configTroubles()).toEqual([]);
    expect(refused.json()).toMatchObject({
      code: "unprocessable",
      problems: [{ severity: "warning" }, { severity: "error", line: 16 }],
    });
    const large = await write(`${text}# ${"é".repeat(600_000)}\n`, etag);
    expect([large.status, large.text]).toEqual([422, expect.stringContaining("larger than")]);
    expect((await call("PUT", "/config", { text })).status).toBe(400);
    writeFileSync(rialto.file, `${original}# by hand\n`);
    expect((await write(text, etag)).status).toBe(412);
    expect(readFileSync(rialto.file, "utf8")).toBe(`${original}# by hand\n`);
    writeFileSync(rialto.file, original);
  });

  test("is applied: secrets, mode and link stay, and what it was is kept without them", async () => {
    const real = `${rialto.file}.real`;
    renameSync(rialto.file, real);
    symlinkSync(real, rialto.file);
    chmodSync(real, 0o640);
    const { text, etag } = await shown();
    const answers = await Promise.all(
      ["one", "two"].map(
        async (label) => await write(text.replace("[api.right]", `[api.right]\nLabel = "${label}"`), etag),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 412]);
    expect(answers[0]?.json()).toEqual({ changes: ["api.right goes on with another Label."], needsRestart: [] });
    expect(lstatSync(rialto.file).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readFileSync(real, "utf8")).toBe(original.replace("[api.right]", '[api.right]\nLabel = "one"'));
    const { versions } = await shown();
    expect(versions).toHaveLength(1);
    const folder = join(rialto.dataPath, "config-versions");
    const kept = join(folder, versions[0]?.id ?? "");
    expect([statSync(folder).mode & 0o777, statSync(kept).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(kept, "utf8")).toBe(original);
    const version = await call("GET", `/config/versions/${versions[0]?.id ?? ""}`);
    expect(version.json()).toEqual({ text });
    expect((await call("GET", "/config/versions/..%2Fkey")).status).toBe(404);
  });

  test("keeps ten versions, of which each can be written back with its secrets", async () => {
    for (let at = 0; at < 11; at += 1) {
      const { text, etag } = await shown();
      const answer = await write(text.replace(/Token = "[^"]*"/u, `Token = "another-secret-${at}"`), etag);
      expect([at, answer.status]).toEqual([at, 200]);
    }
    const { versions, etag } = await shown();
    expect(versions).toHaveLength(10);
    const id = versions[5]?.id ?? "";
    const before = readFileSync(join(rialto.dataPath, "config-versions", id), "utf8");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { text } = (await call("GET", `/config/versions/${id}`)).json() as { text: string };
    expect(text).not.toContain("another-secret");
    expect((await write(text, etag)).status).toBe(200);
    expect(readFileSync(rialto.file, "utf8")).toBe(before);
    expect(rialto.output()).not.toContain("another-secret");
  });

  test("is not written where it is not ours, and says why", async () => {
    chmodSync(`${rialto.file}.real`, 0o440);
    const { text, etag, writable, why } = await shown();
    expect([writable, why]).toEqual([false, expect.stringContaining("is read-only")]);
    const answer = await write(text.replace("Label", "# Label"), etag);
    expect([answer.status, answer.json()]).toEqual([409, expect.objectContaining({ detail: why })]);
    chmodSync(`${rialto.file}.real`, 0o640);
  });

  test("what cannot be had when it is applied is undone", async () => {
    const { text, etag } = await shown();
    const before = readFileSync(rialto.file, "utf8");
    const taken = base.split(":").at(-1) ?? "";
    const added = `${text}\n[api.third]\nBindAddress = "127.0.0.2:${taken}"\n[[gateway]]\nname = "more"\nenable = true\ninout = [{ account = "api.third", channel = "api" }, { account = "api.right", channel = "api" }]\n`;
    const clash = await write(added.replace("127.0.0.2", "192.0.2.1"), etag);
    expect([clash.status, clash.text]).toEqual([422, expect.stringContaining("cannot listen")]);
    expect(readFileSync(rialto.file, "utf8")).toBe(before);
    // The file that is refused is gone, so it is no trouble.
    expect((await shown()).etag).toBe(etag);
    expect(await configTroubles()).toEqual([]);
    expect(readdirSync(join(rialto.file, "..")).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

import { createServer, type Server } from "node:net";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addBot } from "../../../../test/servers/mattermost/people.ts";
import { FakeMattermost } from "../../../../test/servers/mattermost/server.ts";
import { eventually } from "../../../../test/support/wait.ts";
import { type Answer, request } from "../../../../test/support/http.ts";
import { freePorts } from "../../../../test/support/ports.ts";
import { type Rialto, startRialto } from "../../../../test/support/rialto.ts";

const TOKEN = "the-token-of-operators";
let rialto: Rialto;
let base: string;
let ports: readonly number[];
const servers: Server[] = [];

beforeAll(async () => {
  ports = await freePorts(3);
  base = `http://127.0.0.1:${ports[0]}`;
  const config = `[general]
AdminBindAddress = "127.0.0.1:${ports[0]}"
AdminToken = "${TOKEN}"
[api.left]
Token = "hunter2hunter2"
[api.right]
[[gateway]]
name = "lobby"
enable = true
inout = [{ account = "api.left", channel = "api" }, { account = "api.right", channel = "api" }]
`;
  rialto = await startRialto({ config });
});

afterAll(async () => {
  for (const server of servers) server.close();
  await rialto.dispose();
});

async function call(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
  return await request(`${base}/v1/admin${path}`, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    patienceMs: 60_000,
  });
}

const containing = (text: string): unknown => expect.stringContaining(text);
const including = (values: readonly unknown[]): unknown => expect.arrayContaining([...values]);
const like = (value: Record<string, unknown>): unknown => expect.objectContaining(value);
const tryIt = async (body: object): Promise<unknown> => (await call("POST", "/check/online", body)).json();
const address = (at: number): string => `127.0.0.1:${ports[at]}`;

describe("linking networks from a page", () => {
  test("what can be asked comes from the manifests", async () => {
    const answer = await call("GET", "/schema");
    expect(answer.json()).toMatchObject({
      protocols: including([
        like({
          protocol: "api",
          first: ["BindAddress", "Token"],
          accounts: ["api.left", "api.right"],
        }),
        like({ protocol: "irc", first: including(["Server", "Nick"]), options: { key: like({ secret: true }) } }),
      ]),
    });
    expect(answer.text).not.toContain("hunter2");
  });

  test("an account is tried as it was typed, each step in words", async () => {
    expect(await tryIt({ protocol: "irc", name: "a", settings: { Nick: "x y" } })).toMatchObject({
      steps: [
        { name: "settings", ok: false },
        { name: "settings", ok: false },
      ],
    });
    const settings = { Server: address(1), Nick: "bot" };
    expect(await tryIt({ protocol: "irc", name: "a", settings, channel: "lobby" })).toMatchObject({
      steps: [{ name: "settings", ok: false, why: containing("must begin with #") }],
    });
    expect(await tryIt({ protocol: "irc", name: "a", settings, channel: "#lobby" })).toMatchObject({
      steps: [
        { name: "settings", ok: true },
        { name: "connect", ok: false, remedy: containing(" ") },
      ],
    });
    const options = { key: "two words", color: "red" };
    const locked = (
      await call("POST", "/check/online", { protocol: "irc", name: "a", settings, channel: "#a", options })
    ).text;
    expect(locked).toMatch(/option key of the channel must not contain spaces.*no option .*color/u);
    expect(locked).not.toContain("two words");
    const typed = { BindAddress: address(2), Token: "<kept:0123456789>" };
    expect(await tryIt({ protocol: "api", name: "x", settings: typed })).toMatchObject({
      steps: [{ ok: false, why: containing("mask") }],
    });
    const shown = (await call("GET", "/config")).text;
    const mask = /<kept:\w+>/u.exec(shown.split("[api.left]")[1] ?? "")?.[0] ?? "";
    const moved = await call("POST", "/check/online", { protocol: "api", name: "x", settings: { BindAddress: mask } });
    expect([moved.json(), moved.text]).toEqual([
      like({ steps: [like({ ok: false, why: containing("mask") })] }),
      expect.not.stringContaining("hunter2"),
    ]);
    expect(await tryIt({ protocol: "api", name: "left" })).toMatchObject({ steps: [{ name: "running", ok: true }] });
  });

  test("the rooms that it could bridge are told, also of an account that runs then", async () => {
    const server = await FakeMattermost.start();
    const team = server.world.addTeam("crew");
    for (const name of ["town", "attic"]) server.world.addChannel(team.id, name);
    const Token = addBot(server, team, "rialto").token();
    const settings = { Server: server.address, NoTLS: true, Team: "crew", Token };
    const account = { protocol: "mattermost", name: "crew" };
    const rooms = { rooms: including(["attic", "town"]) };
    expect(await tryIt({ ...account, settings })).toMatchObject(rooms);
    const bridges = [
      { account: "mattermost.crew", channel: "town" },
      { account: "api.left", channel: "api" },
    ];
    const made = await call("POST", "/connect", {
      accounts: [{ ...account, settings }],
      gateway: { name: "crew", bridges },
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { text } = made.json() as { text: string };
    expect((await call("PUT", "/config", { text }, { "If-Match": made.headers.etag ?? "" })).status).toBe(200);
    await eventually(
      async () => await tryIt(account),
      (answer) => JSON.stringify(answer).includes("it is online"),
      () => "the account to be online",
    );
    expect(await tryIt(account)).toMatchObject(rooms);
    await server.stop();
  });

  test("a mask is the password of a channel that it stands for, and one that stands for none is sent nowhere", async () => {
    const joined: string[] = [];
    const locked = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        const lines = data.toString().split("\r\n");
        if (lines.some((line) => line.startsWith("CAP LS"))) socket.write(":x CAP * LS :\r\n");
        if (lines.some((line) => line.startsWith("USER"))) socket.write(":x 001 bot :hi\r\n:x 376 bot :end\r\n");
        const join = lines.find((line) => line.startsWith("JOIN"));
        if (join === undefined) return;
        joined.push(join);
        socket.write(`:x 475 bot #a :not with ${join}\r\n`);
      });
    });
    servers.push(locked);
    const [port = 0] = await freePorts(1);
    await new Promise<void>((resolve) => locked.listen(port, "127.0.0.1", resolve));
    const settings = { Server: `127.0.0.1:${port}`, Nick: "bot" };
    const tryWith = async (key: string): Promise<Answer> =>
      await call("POST", "/check/online", { protocol: "irc", name: "a", settings, channel: "#a", options: { key } });
    const shown = (await call("GET", "/config")).text;
    const mask = /<kept:\w+>/u.exec(shown.split("[api.left]")[1] ?? "")?.[0] ?? "";
    expect((await tryWith("<kept:0123456789>")).json()).toMatchObject({
      steps: [{ ok: false, why: containing("mask") }],
    });
    const { text } = await tryWith(mask);
    expect(text).toContain("not with JOIN #a [secret]");
    expect(joined).toEqual(["JOIN #a hunter2hunter2"]);
  });

  test("an account that is being tried is not tried a second time", async () => {
    const silent = createServer();
    servers.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const heard = new Promise<void>((resolve) =>
      silent.once("connection", (socket) => {
        resolve();
        socket.on("error", () => undefined);
        again.promise.finally(() => socket.destroy()).catch(() => undefined);
      }),
    );
    const again = Promise.withResolvers<void>();
    const bound = silent.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : 0;
    const asked = { protocol: "irc", name: "slow", settings: { Server: `127.0.0.1:${port}`, Nick: "bot" } };
    const first = tryIt(asked);
    await heard;
    expect((await call("POST", "/check/online", asked)).status).toBe(429);
    again.resolve();
    expect(await first).toMatchObject({ steps: [{ ok: true }, { name: "connect", ok: false }] });
  });

  test("what is added is shown, and applied like any configuration", async () => {
    const accounts = [
      { protocol: "api", name: "third", settings: { BindAddress: address(2), Token: 'a "new" secret' } },
      { protocol: "api", name: "left" },
    ];
    const bridges = [
      { account: "api.third", channel: "api" },
      { account: "api.left", channel: "api" },
    ];
    const made = await call("POST", "/connect", { accounts, gateway: { name: "more", bridges } });
    expect(made.status).toBe(200);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { text, added } = made.json() as { text: string; added: string };
    expect(text).toMatch(/<kept:/u);
    expect(text.endsWith(added)).toBe(true);
    const before = readFileSync(rialto.file, "utf8");
    const written = await call("PUT", "/config", { text }, { "If-Match": made.headers.etag ?? "" });
    expect([written.status, written.json()]).toEqual([
      200,
      {
        changes: [
          "api.third is added.",
          "The gateway more is added.",
          "api.third api joins the gateway more.",
          "api.left api joins the gateway more.",
        ],
        needsRestart: [],
      },
    ]);
    expect(readFileSync(rialto.file, "utf8")).toBe(`${before}\n${added}`);
    expect((await request(`http://${address(2)}/api/health`)).status).toBe(200);
    const twice = await call("POST", "/connect", { accounts, gateway: { name: "again", bridges } });
    expect([twice.status, twice.text]).toEqual([409, containing("api.third already")]);
  });

  test("the password of a channel is written to its gateway, and shown as a mask from then on", async () => {
    const accounts = [{ protocol: "irc", name: "a", settings: { Server: address(1), Nick: "bot" } }];
    const asked = (options: object) => {
      const bridges = [
        { account: "irc.a", channel: "#locked", options },
        { account: "api.left", channel: "api", options: {} },
      ];
      return { accounts, gateway: { name: "locked", bridges } };
    };
    const wrong = await call("POST", "/connect", asked({ color: "red" }));
    expect([wrong.status, wrong.text]).toEqual([409, containing("has no option")]);
    const made = await call("POST", "/connect", asked({ key: 'open "sesame"' }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { text, added } = made.json() as { text: string; added: string };
    const locked = String.raw`{ account = "irc.a", channel = "#locked", options = { key = "open \"sesame\"" } },`;
    expect(added).toContain(locked);
    expect(added).toContain('{ account = "api.left", channel = "api" },');
    expect((await call("PUT", "/config", { text }, { "If-Match": made.headers.etag ?? "" })).status).toBe(422);
    const good = await call("POST", "/connect", asked({ key: "sesame" }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as described
    const { text: whole } = good.json() as { text: string };
    expect((await call("PUT", "/config", { text: whole }, { "If-Match": good.headers.etag ?? "" })).status).toBe(200);
    expect(readFileSync(rialto.file, "utf8")).toContain('options = { key = "sesame" }');
    const shown = (await call("GET", "/config")).text;
    expect([shown.includes("#locked"), shown.includes("sesame")]).toEqual([true, false]);
  });
});

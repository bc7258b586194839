import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiClient } from "../support/client.ts";
import { type Program, startProgram } from "../support/program.ts";
import { within } from "../support/wait.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "rialto-start-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The program in an empty folder of its own. */
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Program =>
  startProgram(folder, args, env);

const example = (port: number): string => `
[api.a]
BindAddress = "127.0.0.1:${port}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a", channel = "api" }]
`;

test.each(["example", "--or-example"])(
  "%s: runs also where its ports are taken, and its two lines work",
  async (arg) => {
    const taken = [4242, 4243, 4290].map(async (port) => {
      const server = createServer();
      // Somebody else may have it.
      await new Promise<void>((resolve) => server.once("error", () => resolve()).listen(port, "127.0.0.1", resolve));
      return server;
    });
    const servers = await Promise.all(taken);
    const program = start([arg]);
    const [, right = ""] = await program.prints(/curl -sN (\S+)\/api\/stream &/);
    const [, left = "", body = ""] = await program.prints(/curl -s (\S+)\/api\/message .* -d '(.*)'/);
    const stream = await new ApiClient(right).stream();
    expect((await new ApiClient(left).post(body)).status).toBe(200);
    expect((await stream.next()).text).toBe("What news on the Rialto?");
    await stream.close();
    program.child.kill("SIGTERM");
    expect(await program.exited()).toBe(0);
    // The dashboard listens as well; a link to it is for terminals.
    expect(program.output()).toMatch(/the admin server listens/u);
    expect(program.output()).not.toContain("login=");
    for (const server of servers) server.close();
  },
);

test("without a configuration file, where nobody sits, it says what to write, and that can be started", async () => {
  const program = start([]);
  expect(await program.exited()).toBe(78);
  const [, text = ""] = /such as\n\n([^]*?)\n\ninto rialto\.toml/.exec(program.output()) ?? [];
  await writeFile(path.join(folder, "rialto.toml"), text);
  const check = start(["check"]);
  expect(await check.exited()).toBe(0);
  expect(check.output()).toBe(
    `lobby: irc.libera #my-channel ↔ api.local\n${path.join(folder, "rialto.toml")}: ok: 1 gateway, 2 accounts\n`,
  );
});

test("a configuration with errors: all of them, and exit 78", async () => {
  await writeFile(
    path.join(folder, "rialto.toml"),
    `[api.a]\nBufer = 3\n[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.b", channel = "api" }]\n`,
  );
  const program = start([]);
  expect(await program.exited()).toBe(78);
  expect(program.output()).toMatch(/rialto\.toml:2:1: warning: .*Buffer/);
  expect(program.output()).toMatch(/rialto\.toml:6:\d+: error: .*api\.b/);
  expect(program.output()).toMatch(/\nrialto: Nothing in the configuration can start\.\n$/u);
});

const degraded = `
[api.a]
BindAddress = "127.0.0.1:0"
Buffer = "many"
[irc.d]
Server = "127.0.0.1:1"
Nick = "relay"
UseTLS = "perhaps"
[api.b]
BindAddress = "127.0.0.1:0"
[api.c]
BindAddress = "127.0.0.1:0"
IgnoreNicks = ["a("]
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a" }, { account = "api.b" }, { account = "api.c" }, { account = "irc.d", channel = "#d" }]
`;

test("a configuration with errors that leave something to run: it runs, and the log, status and check say what is wrong", async () => {
  await writeFile(path.join(folder, "rialto.toml"), degraded);
  const program = start([]);
  await program.prints(/Rialto runs/);
  const logged = program.output();
  expect(logged).toMatch(/rialto\.toml:4:10: error: Buffer of api\.a .*\(the default is used\)/);
  expect(logged).toMatch(/"account":"api\.c".*the account stays down/);
  const status = start(["status"]);
  expect(await status.exited()).toBe(1);
  expect(status.output()).toMatch(/rialto\.toml:4:10: Buffer of api\.a .*\n.*→ Correct it, then run "rialto reload"\./);
  expect(status.output()).toMatch(/api\.c: stays down: IgnoreNicks of api\.c .*\n.*→ Correct IgnoreNicks of api\.c /);
  expect(status.output()).toMatch(/irc\.d .*action-needed: UseTLS of irc\.d .*\n.*→ Correct UseTLS of irc\.d /);
  const check = start(["check"]);
  expect(await check.exited()).toBe(78);
  expect(check.output()).toContain("g: api.a ↔ api.b ↔ api.c (down) ↔ irc.d (down) #d\n");

  const reload = start(["reload"]);
  expect(await reload.exited()).toBe(1);
  expect(reload.output()).toMatch(/refused/);
  await writeFile(
    path.join(folder, "rialto.toml"),
    degraded.replace('"many"', "20").replace("a(", "a").replace('"perhaps"', "false"),
  );
  await program.prints(/the configuration was reloaded/);
  await program.prints(/"account":"api\.c","url":"[^"]+".*the HTTP API listens/);
  await program.prints(/"account":"irc\.d".*the account is offline/);
  const after = start(["status", "--json"]);
  expect(await after.exited()).toBe(1);
  expect(JSON.parse(after.output())).toMatchObject({ troubles: [{ of: "irc.d" }], readers: [{}, {}, { down: null }] });
  program.child.kill("SIGTERM");
  expect(await program.exited()).toBe(0);
});

test.runIf(process.platform === "linux")("a data folder where none can be made, at once", async () => {
  await writeFile(path.join(folder, "x.toml"), `[general]\nDataPath = "/proc/x"\n${example(0)}`);
  const program = start(["-conf", "x.toml"]);
  expect(await program.exited()).toBe(73);
  expect(program.output()).toContain("The data folder /proc/x cannot be written");
});

test("a taken address: names account and address, exit 69", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await writeFile(path.join(folder, "x.toml"), example(port));
  const program = start(["-conf", "x.toml"]);
  expect(await program.exited()).toBe(69);
  expect(program.output()).toContain(`[api.a] cannot listen on 127.0.0.1:${port}`);
  await new Promise((resolve) => server.close(resolve));
});

test("a data folder that cannot be made: names it, exit 73", async () => {
  await writeFile(path.join(folder, "file"), "");
  await writeFile(path.join(folder, "x.toml"), `[general]\nDataPath = "file/data"\n${example(0)}`);
  const program = start(["--conf", "x.toml"]);
  expect(await program.exited()).toBe(73);
  expect(program.output()).toContain(path.join(folder, "file/data"));
});

test("a second program on the same data folder: exit 75, and the first goes on", async () => {
  await writeFile(path.join(folder, "x.toml"), example(0));
  const first = start(["-conf", "x.toml"]);
  const [, url = ""] = await first.prints(/"url":"([^"]+)"/);
  await first.prints(/Rialto runs/);
  const second = start(["-conf", "x.toml"]);
  expect(await second.exited()).toBe(75);
  expect((await new ApiClient(url).post({ text: "still here" })).status).toBe(200);
  first.child.kill("SIGTERM");
  expect(await first.exited()).toBe(0);
});

test("a LogFile that cannot be opened: says so without a stack, exit 73", async () => {
  await writeFile(path.join(folder, "x.toml"), `[general]\nLogFile = "none/rialto.log"\n${example(0)}`);
  const program = start(["-conf", "x.toml"]);
  expect(await program.exited()).toBe(73);
  expect(program.output()).toContain("general.LogFile cannot be opened");
  expect(program.output()).toMatch(/\nCreate the folder none, or set general\.LogFile to another file\.\n$/u);
  expect(program.output()).not.toMatch(/^ +at /mu);
});

test.runIf(process.platform === "linux")("a full disk under LogFile: the program answers as ever", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await writeFile(path.join(folder, "x.toml"), `[general]\nLogFile = "/dev/full"\n${example(port)}`);
  const program = start(["-conf", "x.toml", "-debug"]);
  const client = new ApiClient(`http://127.0.0.1:${port}`);
  const post = (): Promise<number> => client.post({ text: "hello" }).then(({ status }) => status, post);
  expect(await within(post(), program.output)).toBe(200);
  program.child.kill("SIGTERM");
  expect(await program.exited()).toBe(0);
});

test("a stop that is asked for while the program starts: exit 0", async () => {
  await writeFile(path.join(folder, "x.toml"), example(0));
  const hook = `const on = process.on; process.on = (...of) => { on.apply(process, of); if (of[0] === "SIGINT") process.kill(process.pid, "SIGTERM"); return process; };`;
  const program = start(["-conf", "x.toml"], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  });
  expect(await program.exited()).toBe(0);
  expect(program.output()).toMatch(/stopped/u);
});

test.each(["throw new Error('planted')", "Promise.reject(new Error('planted'))"])(
  "a bug while it runs is logged with its stack, exit 70: %s",
  async (bug) => {
    await writeFile(path.join(folder, "x.toml"), example(0));
    const hook = `process.on("SIGUSR2", () => { ${bug}; });`;
    const program = start(["-conf", "x.toml"], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    });
    await program.prints(/Rialto runs/u);
    program.child.kill("SIGUSR2");
    expect(await program.exited()).toBe(70);
    expect(program.output()).toMatch(/"level":"fatal".*"code":"bug".*planted\\n +at /u);
  },
);

test.each([
  [["--nonsense"], 64, /help/],
  [["version"], 0, /^version: \d+\.\d+\.\d+\n$/],
  [["-version"], 0, /^version: /],
  [["--help"], 0, /Usage[\s\S]*Exit codes/],
  [["check"], 64, /rialto check FILE/],
  [["-conf", "missing.toml"], 78, /missing\.toml: error: there is no such file/],
] as const)("%j", async (args, code, output) => {
  const program = start(args);
  expect(await program.exited()).toBe(code);
  expect(program.output()).toMatch(output);
});

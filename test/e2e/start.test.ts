import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiClient } from "../support/client.ts";
import { within } from "../support/wait.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "rialto-start-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The program in an empty folder of its own. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  let printed = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      printed += part.toString();
      for (const check of waiting) check();
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const prints = (pattern: RegExp): Promise<RegExpExecArray> =>
    within(
      new Promise((resolve) => {
        const check = (): void => {
          const match = pattern.exec(printed);
          if (match !== null) resolve(match);
        };
        waiting.add(check);
        check();
      }),
      () => `${pattern} in:\n${printed}`,
    );
  return { child, prints, output: () => printed, exited: () => within(exited, () => `the end; so far:\n${printed}`) };
}

const example = (port: number): string => `
[api.a]
BindAddress = "127.0.0.1:${port}"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a", channel = "api" }]
`;

test("without a configuration file the example runs, and the two lines it prints work", async () => {
  const free = { RIALTO_API_LEFT_BINDADDRESS: "127.0.0.1:0", RIALTO_API_RIGHT_BINDADDRESS: "127.0.0.1:0" };
  const program = start([], free);
  const [, right = ""] = await program.prints(/curl -sN (\S+)\/api\/stream &/);
  const [, left = "", body = ""] = await program.prints(/curl -s (\S+)\/api\/message .* -d '(.*)'/);
  const stream = await new ApiClient(right).stream();
  expect((await new ApiClient(left).post(body)).status).toBe(200);
  expect((await stream.next()).text).toBe("What news on the Rialto?");
  await stream.close();
  program.child.kill("SIGTERM");
  expect(await program.exited()).toBe(0);
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
  expect(program.output()).toMatch(/rialto check/);
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

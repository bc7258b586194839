import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { ExplainView, StatusView } from "../../src/admin/views.ts";
import { parseCommand } from "../../src/cli/args.ts";
import { control } from "../../src/cli/control.ts";
import { toml } from "../support/config.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, type RialtoOptions, startRialto } from "../support/rialto.ts";
import { eventually, Inbox, within } from "../support/wait.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
const PATIENCE_MS = 45_000;

const CONFIG = toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });

async function start(options: Partial<RialtoOptions> = {}): Promise<Rialto> {
  const rialto = await startRialto({ config: CONFIG, ...options });
  onTestFinished(async () => await rialto.dispose());
  return rialto;
}

/** A command in this process, so that a busy machine need not start a program for each. */
function begin(args: readonly string[], cwd = "/nowhere") {
  const command = parseCommand(args, { env: {}, protocols: new Map() });
  if (command.is !== "control") throw new Error(`${args.join(" ")}: ${JSON.stringify(command)}`);
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const output: string[] = [];
  const heard = new Inbox<string>();
  const code = control(command, {
    env: {},
    cwd,
    signal: end.signal,
    screen: () => ({ width: Infinity, colour: false }),
    tell: (text) => void output.push(text),
    write: (text) => {
      output.push(text);
      heard.push(text);
      return Promise.resolve(true);
    },
  });
  const ended = code.then((number) => `exit ${number}`);
  return {
    next: () => heard.next(() => `a line of ${args.join(" ")}`, ended, PATIENCE_MS),
    code: () => within(code, () => `the end of ${args.join(" ")}`, PATIENCE_MS),
    output: () => output.join(""),
    /** Ctrl-C. */
    interrupt: () => end.abort(),
  };
}

const socketOf = (rialto: Rialto): readonly string[] => ["--socket", path.join(rialto.dataPath, "rialto.sock")];

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const command = begin(args);
  return { code: await command.code(), output: command.output() };
}

test("status, send, explain: what the operator says arrives, and its way can be told", async () => {
  const rialto = await start();
  const socket = socketOf(rialto);
  const status = await run("status", ...socket);
  // Whether all is well is for the machine to say: a busy one has a late event loop.
  expect(status.output).toContain("The log accepts messages");
  const json = JSON.parse((await run("status", "--json", ...socket)).output) as StatusView;
  expect(json.readers.map(({ account, url }) => [account, url])).toEqual([
    ["api.left", rialto.url("api.left")],
    ["api.right", rialto.url("api.right")],
  ]);

  const stream = await rialto.client("left").stream();
  const said = await run("send", "--as", "Ann", ...socket, "g", "Hello,", "everybody");
  expect(said).toMatchObject({ code: 0, output: expect.stringMatching(/^no\. 1, for 2 destinations/) as string });
  expect(await stream.next()).toMatchObject({ text: "Hello, everybody", username: "Ann", gateway: "g" });
  const [polled] = await rialto.client("right").poll();
  expect(polled).toMatchObject({ text: "Hello, everybody", account: "rialto.operator", event: "" });

  const found = JSON.parse((await run("explain", "--json", ...socket, "hello")).output) as ExplainView;
  const places = found.stories[0]?.destinations.map(({ account }) => account);
  expect([found.stories.length, places]).toEqual([1, ["api.left", "api.right"]]);
  const explained = await run("explain", ...socket, "1");
  expect(explained).toMatchObject({ code: 0, output: expect.stringContaining("Ann in rialto.operator") as string });
  expect((await run("explain", ...socket, "no such words")).code).toBe(1);
  const refused = await run("send", ...socket, "h", "x");
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('there are: "g"') as string });
  await stream.close();
});

test("tail shows what is accepted; a stop while somebody follows is a good end for both", async () => {
  const rialto = await start();
  const tail = begin(["tail", ...socketOf(rialto), "g"]);
  const shown = new AbortController();
  // Only what comes after it has begun to follow is shown.
  const post = async (): Promise<void> => {
    while (!shown.signal.aborted) {
      await rialto.client("left").post({ gateway: "g", username: "ann", text: "\u001b[31mred" });
      await delay(200);
    }
  };
  const posting = post();
  expect(await tail.next()).toMatch(/ ann: \\u\{1b\}\[31mred\n$/);
  shown.abort();
  // Otherwise a post could be under way when the program stops.
  await posting;
  expect((await rialto.stop()).code).toBe(0);
  expect(await tail.code()).toBe(0);
  expect(rialto.output()).not.toContain("bug");
});

test("health, readiness and metrics over TCP; messages are counted", async () => {
  const [port = 0] = await freePorts(1);
  const general = { AdminBindAddress: `127.0.0.1:${port}`, AdminToken: "s3cret-admin" };
  const config = toml({ general, accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });
  const rialto = await start({ config });
  await rialto.client("left").post({ gateway: "g", text: "one" });
  const url = `http://127.0.0.1:${port}`;
  const get = (at: string) => fetch(url + at, { headers: { Authorization: "Bearer s3cret-admin" } });
  expect([(await get("/healthz")).status, (await get("/readyz")).status]).toEqual([200, 200]);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  const metrics = await (await get("/metrics")).text();
  expect(metrics).toContain('rialto_accepted_total{account="api.left"} 1\n');
  expect(metrics).toContain("rialto_append_seconds_count 1\n");
  expect(metrics).toContain("process_resident_memory_bytes");
  // The dashboard, for everybody: it has no data before somebody signs in.
  const page = await (await fetch(url)).text();
  expect(page).toMatch(/<script type="module"[^>]* src="[^"]*assets\//u);
  expect(page).not.toContain("left");
  expect(rialto.output()).not.toContain("s3cret-admin");
});

test("a reload by command and over HTTP; what is said while it runs arrives once, and in order", async () => {
  const rialto = await start();
  const socket = socketOf(rialto);
  expect(await run("reload", ...socket)).toEqual({ code: 0, output: "nothing has changed\n" });
  const more = await rialto.text(
    toml({ accounts: { left: {}, right: {}, third: {} }, gateways: { g: { inout: ["left", "right", "third"] } } }),
  );
  const fewer = await rialto.text(CONFIG);
  const stream = await rialto.client("left").stream();
  const applied: string[] = [];
  let said = 0;
  for (const text of [more, fewer, more, fewer]) {
    await writeFile(rialto.file, text);
    // The watch of the file may be the first to see it: then there is nothing left for the command.
    const reload = run("reload", "--json", ...socket);
    for (let at = 0; at < 5; at += 1) {
      said += 1;
      expect((await run("send", ...socket, "g", `m${said}`)).code).toBe(0);
    }
    const { code, output } = await reload;
    expect(code).toBe(0);
    applied.push((JSON.parse(output) as { readonly is: string }).is);
  }
  expect(applied).toContain("applied");
  const seen: string[] = [];
  while (seen.length < said) seen.push((await stream.next()).text);
  expect(seen).toEqual(Array.from({ length: said }, (_, at) => `m${at + 1}`));
  await stream.close();

  await writeFile(rialto.file, "[[[");
  const refused = await run("reload", ...socket);
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringContaining("the old configuration") as string,
  });
  expect(refused.output).toMatch(/rialto\.toml:1:/);
  expect((await run("send", ...socket, "g", "still")).code).toBe(0);
});

test("a configuration that is refused is a trouble everywhere, until the file is good again", async () => {
  const [port = 0] = await freePorts(1);
  const general = { AdminBindAddress: `127.0.0.1:${port}`, AdminToken: "s3cret-admin" };
  const config = toml({
    general,
    accounts: { left: {}, right: {}, third: {} },
    gateways: { g: { inout: ["left", "right", "third"] } },
  });
  const rialto = await start({ config });
  const socket = socketOf(rialto);
  const good = await readFile(rialto.file, "utf8");
  const url = `http://127.0.0.1:${port}`;
  const get = async (at: string, token = "s3cret-admin"): Promise<string> =>
    await (await fetch(url + at, { headers: { Authorization: `Bearer ${token}` } })).text();
  const troubles = async (): Promise<readonly string[]> =>
    (JSON.parse((await run("status", "--json", ...socket)).output) as StatusView).troubles
      .filter(({ of }) => of === "the configuration")
      .map(({ what }) => what);
  const until = async (expected: RegExp | null): Promise<void> => {
    const fits = ([what, ...more]: readonly string[]): boolean =>
      more.length === 0 && (expected === null ? what === undefined : expected.test(what ?? ""));
    await eventually(troubles, fits, () => `the trouble ${String(expected)}`);
    const failed = expected === null ? 0 : 1;
    expect(await get("/metrics")).toContain(`rialto_config_reload_failed ${failed}\n`);
  };
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${rialto.file}.new`, text);
    await rename(`${rialto.file}.new`, rialto.file);
  };

  await replace(good.replace("[api.left]", "[api.left"));
  await until(/^the file on disk has \d errors? since .* \(line \d+: .*; Rialto runs .*; a restart would fail$/u);
  const text = await run("status", ...socket);
  expect([text.code, text.output]).toEqual([1, expect.stringContaining("! the configuration for ")]);
  expect(JSON.parse(await get("/readyz"))).toMatchObject({
    ready: true,
    ok: false,
    troubles: [{ of: "the configuration", remedy: expect.stringContaining("rialto reload") as string }],
  });
  expect(JSON.parse(await get("/readyz", "wrong"))).toEqual({ ready: true, ok: false });

  await replace(good.replace("[api.left]", '[api.left]\nIgnoreNicks = ["a("]'));
  await until(/^the file on disk has 1 error since .*; a restart would start without api\.left$/u);
  await replace(good);
  await until(null);

  await rm(rialto.file);
  await until(/^the file on disk cannot be used since .* \(there is no such file\); .*; a restart would fail$/u);
  expect((await run("reload", ...socket)).code).toBe(1);
  await writeFile(rialto.file, good);
  await until(null);
  // The machine may be busy, which is another trouble.
  expect((await run("status", ...socket)).output).not.toContain("the configuration for");
  expect(JSON.parse(await get("/readyz"))).toEqual({ ready: true, ok: true, troubles: [] });
});

test("a question to a Rialto that hangs ends with Ctrl-C; one that follows a gateway that is not there is refused", async () => {
  const rialto = await start();
  expect(await run("tail", ...socketOf(rialto), "typo")).toMatchObject({
    code: 1,
    output: expect.stringContaining('there are: "g"') as string,
  });
  rialto.signal("SIGSTOP");
  onTestFinished(() => rialto.signal("SIGCONT"));
  const asked = begin(["status", ...socketOf(rialto)]);
  asked.interrupt();
  expect(await asked.code()).toBe(130);
  rialto.signal("SIGCONT");
});

test("after a kill the socket that was left behind is no trouble", async () => {
  const first = await start();
  await first.kill9();
  const second = await start({ dataPath: first.dataPath });
  expect((await run("status", ...socketOf(second))).output).toContain("The log accepts messages");
});

test("a socket that cannot be made is said, and the program runs", async () => {
  const dataPath = await mkdtemp(path.join(tmpdir(), "rialto-data-"));
  onTestFinished(async () => await rm(dataPath, { recursive: true, force: true }));
  await mkdir(path.join(dataPath, "rialto.sock", "x"), { recursive: true });
  const rialto = await start({ dataPath });
  expect((await rialto.client("left").post({ gateway: "g", text: "one" })).status).toBe(200);
  expect(rialto.output()).toContain("the control socket cannot be created");
  expect((await rialto.stop()).code).toBe(0);
});

test("the commands find the socket by the configuration, and say clearly when there is nobody, or no configuration", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "rialto-none-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await writeFile(
    path.join(folder, "rialto.toml"),
    CONFIG.replaceAll(/^\[api.*$/gm, '$&\nBindAddress = "127.0.0.1:0"'),
  );
  for (const args of [["status"], ["explain", "x"], ["tail"], ["send", "g", "x"], ["reload"]]) {
    const nobody = begin(args, folder);
    expect(await nobody.code()).toBe(69);
    expect(nobody.output()).toContain(path.join(folder, "rialto-data", "rialto.sock"));
  }
  await writeFile(path.join(folder, "rialto.toml"), "[[[");
  const broken = begin(["status"], folder);
  expect(await broken.code()).toBe(69);
  expect(broken.output()).toMatch(/rialto\.toml has errors \(see "rialto check"\)[\s\S]*no Rialto runs/);
});

test("the installed program has these commands", async () => {
  const rialto = await start();
  const args = [PROGRAM, "status", "--json", ...socketOf(rialto)];
  // Exit code 1 is for a machine that is not well, such as a very busy one.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect((JSON.parse(stdout) as StatusView).gateways).toEqual(["g"]);
});

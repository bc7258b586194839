import { expect, onTestFinished, test } from "vitest";
import { ConfigThread, type ConfigThreadLimits } from "./config-thread.ts";

const RUNS = `[api.a]
BindAddress = "127.0.0.1:4242"
[api.b]
BindAddress = "127.0.0.1:4243"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a" }, { account = "api.b" }]
`;

function threadWith(limits: Partial<ConfigThreadLimits> = {}): ConfigThread {
  const thread = new ConfigThread(limits);
  onTestFinished(() => thread.close());
  return thread;
}

const SIMPLER = "make the configuration shorter or simpler";

const requestOf = (text: string) => ({
  source: { text, format: "toml", name: "x.toml" } as const,
  env: {},
  cwd: "/",
});

const tables = (count: number): string => Array.from({ length: count }, (_, index) => `[t${index}]\n`).join("");

test("a configuration is the same from the thread as from here", async () => {
  const { loadConfig } = await import("../config/load.ts");
  const { capabilitiesOf, protocols } = await import("../adapters/registry.ts");
  const rules = { protocols, capabilitiesOf, checkPattern: () => null, findLoops: () => [] };
  for (const text of [
    RUNS,
    `${RUNS}[api.a]\n`,
    `${RUNS}[general]\nAdminToken = "secret-of-ours"\nTrustProxy = "10.0.0.1"\n`,
  ]) {
    expect(await threadWith().load(requestOf(text))).toEqual(loadConfig({ ...requestOf(text), rules }));
  }
});

test("this thread goes on while a large configuration is read", async () => {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const loaded = await threadWith().load(requestOf(`${RUNS}${tables(5_000)}`));
  isDone = true;
  expect(loaded.problems).toHaveLength(101);
  expect(turns).toBeGreaterThan(10);
});

test("a job that takes too long is given up", async () => {
  const loaded = await threadWith({ jobMs: 1 }).load(requestOf(`${RUNS}${tables(5_000)}`));
  expect(loaded).toMatchObject({
    ok: false,
    problems: [
      { severity: "error", code: "unchecked", file: "x.toml", message: `it takes too long to check; ${SIMPLER}` },
    ],
  });
});

test("a job that takes too much memory is given up, and the next one is done", async () => {
  const thread = threadWith({ heapMb: 64 });
  const source = { text: "a: [1, 2, 3]\n".repeat(200_000), format: "yaml", name: "x.yaml" } as const;
  const [large, small] = await Promise.all([thread.load({ source, env: {}, cwd: "/" }), thread.load(requestOf(RUNS))]);
  expect(large.problems).toMatchObject([
    { code: "unchecked", message: `it takes too much memory to check; ${SIMPLER}` },
  ]);
  expect(small).toMatchObject({ ok: true, problems: [] });
});

test("a bug in a job rejects, and the next job is done", async () => {
  const thread = threadWith();
  // @ts-expect-error -- no format has this name
  const broken = thread.run("mask", { text: "", format: "none", key: new Uint8Array() });
  const next = thread.load(requestOf(RUNS));
  await expect(broken).rejects.toThrow(TypeError);
  expect(await next).toMatchObject({ ok: true });
});

test("only a few jobs may wait, and a thread that closes gives up all of them", async () => {
  const thread = threadWith({ waiting: 2 });
  const jobs = Array.from({ length: 4 }, async () => await thread.load(requestOf(RUNS)));
  expect((await jobs[3])?.problems[0]?.message).toContain("too many configurations are being checked");
  thread.close();
  for (const job of jobs.slice(0, 3)) expect((await job).problems[0]?.message).toContain("Rialto is stopping");
});

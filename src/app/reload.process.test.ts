import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ApiClient } from "../../test/support/client.ts";
import { freePorts } from "../../test/support/ports.ts";
import { load } from "../cli/load.ts";
import type { Loaded } from "../config/load.ts";
import { Scrubber } from "../lib/scrub.ts";
import { createLogger } from "../logger.ts";
import { type App, startApp } from "./app.ts";

let dataPath: string;
let ports: readonly number[];

beforeEach(async () => {
  dataPath = mkdtempSync(join(tmpdir(), "rialto-reload-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  ports = await freePorts(4);
});

interface Gateway {
  readonly name: string;
  /** `account channel` each. */
  readonly bridges: readonly string[];
}

/** With the accounts that the gateways name. */
function textOf(gateways: readonly Gateway[], general = ""): string {
  const lines = ["[general]", `DataPath = "${dataPath}"`, 'Durability = "process"', general];
  const named = new Set(gateways.flatMap(({ bridges }) => bridges.map((bridge) => bridge.split(" ")[0] ?? "")));
  for (const [at, name] of ["api.left", "api.right", "api.third"].entries()) {
    if (named.has(name)) lines.push(`[${name}]`, `BindAddress = "127.0.0.1:${ports[at]}"`, "Buffer = 1000");
  }
  if (named.has("irc.net")) lines.push("[irc.net]", `Server = "127.0.0.1:${ports[3]}"`, 'Nick = "rialto"');
  for (const { name, bridges } of gateways) {
    lines.push("[[gateway]]", `name = "${name}"`, "enable = true");
    for (const bridge of bridges) {
      const [account = "", channel = ""] = bridge.split(" ");
      lines.push("[[gateway.inout]]", `account = "${account}"`, `channel = "${channel}"`);
    }
  }
  return lines.join("\n");
}

const read = (text: string): Loaded => load({ text, format: "toml", name: "t" }, { env: {}, cwd: "/" });

/** The program in this process; `file.text` is what it reads. */
async function running(file: {
  text: string;
  reads?: number;
}): Promise<App & { readonly again: () => NonNullable<ReturnType<App["reload"]>> }> {
  const loaded = read(file.text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const logger = createLogger({ debug: false, format: "json", file: join(dataPath, "log"), scrubber: new Scrubber() });
  const app = await startApp(loaded.config, logger, () => {
    file.reads = (file.reads ?? 0) + 1;
    return read(file.text);
  });
  onTestFinished(() => app.stop());
  const again = (): NonNullable<ReturnType<App["reload"]>> => {
    const reloading = app.reload();
    if (reloading === null) throw new Error("it cannot be reloaded");
    return reloading;
  };
  return { ...app, again };
}

const LEFT_RIGHT: Gateway = { name: "g", bridges: ["api.left api", "api.right api"] };
const base = (): string => textOf([LEFT_RIGHT]);

describe("a reload", () => {
  test("says what has moved, that nothing has, or why not", async () => {
    const file = { text: base() };
    const { again, addresses } = await running(file);
    expect(await again()).toEqual({ is: "unchanged", needsRestart: [] });
    file.text = textOf(
      [LEFT_RIGHT, { name: "h", bridges: ["api.third api", "irc.net #x"] }],
      'MaxAge = "2h"\nRetentionDays = 2',
    );
    expect(await again()).toEqual({
      is: "applied",
      moved: {
        accounts: { added: ["api.third", "irc.net"], removed: [], changed: [], restyled: [] },
        gateways: { added: ["h"], removed: [], changed: [] },
        general: ["MaxAge"],
      },
      needsRestart: ["RetentionDays"],
    });
    expect([...addresses.keys()].toSorted()).toEqual(["api.left", "api.right", "api.third"]);
    const good = file.text;
    file.text = "[general";
    expect(await again()).toMatchObject({ is: "refused", problems: [{ severity: "error", line: 1 }] });
    file.text = good;
    expect(await again()).toEqual({ is: "unchanged", needsRestart: ["RetentionDays"] });
  });

  test("those who ask while one waits for its turn get the same answer, from one more look at the file", async () => {
    const file = { text: base(), reads: 0 };
    const { again } = await running(file);
    file.text = textOf([{ ...LEFT_RIGHT, name: "h" }]);
    const answers = await Promise.all([again(), again(), again(), again()]);
    expect(answers.map(({ is }) => is)).toEqual(["applied", "applied", "applied", "applied"]);
    expect(file.reads).toBe(1);
    const first = again();
    await Promise.resolve();
    await Promise.resolve();
    const others = [again(), again()];
    expect((await Promise.all([first, ...others])).map(({ is }) => is)).toEqual([
      "unchanged",
      "unchanged",
      "unchanged",
    ]);
    expect(file.reads).toBeLessThanOrEqual(3);
  });

  test("nothing moves any more once the program stops", async () => {
    const file = { text: base() };
    const app = await running(file);
    await app.stop();
    file.text = textOf([{ ...LEFT_RIGHT, name: "h" }]);
    expect(await app.again()).toMatchObject({ is: "refused" });
  });

  test("an account takes the address that another one gives up", async () => {
    const file = { text: base() };
    const { again } = await running(file);
    file.text = base().replaceAll("api.right", "api.other");
    expect(await again()).toMatchObject({ is: "applied" });
    const [left, other] = [
      new ApiClient(`http://127.0.0.1:${ports[0]}`),
      new ApiClient(`http://127.0.0.1:${ports[1]}`),
    ];
    await left.say({ text: "one" });
    expect(await other.texts()).toEqual(["one"]);
  });

  test("an address that another program has refuses the change, and nothing has moved", async () => {
    const file = { text: base() };
    const { again, addresses } = await running(file);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen({ host: "127.0.0.1", port: ports[2] }, resolve));
    onTestFinished(() => void other.close());
    file.text = textOf([LEFT_RIGHT, { name: "h", bridges: ["api.third api", "api.left api"] }]);
    expect(await again()).toMatchObject({
      is: "refused",
      problems: [{ message: expect.stringContaining(`[api.third] cannot listen on 127.0.0.1:${ports[2]}`) as string }],
    });
    expect([...addresses.keys()].toSorted()).toEqual(["api.left", "api.right"]);
  });

  test("an account that listens on loopback listens everywhere on the same port", async () => {
    const file = { text: base() };
    const { again } = await running(file);
    file.text = base().replace(`127.0.0.1:${ports[1]}`, `0.0.0.0:${ports[1]}`);
    expect(await again()).toMatchObject({ is: "applied", moved: { accounts: { changed: ["api.right"] } } });
    const [left, right] = [
      new ApiClient(`http://127.0.0.1:${ports[0]}`),
      new ApiClient(`http://127.0.0.1:${ports[1]}`),
    ];
    await left.say({ text: "one" });
    expect(await right.texts()).toEqual(["one"]);
  });
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const openFiles = (): number => readdirSync("/proc/self/fd").length;

/** More of them with RELOADS=200. */
const RELOADS = Number(process.env["RELOADS"] ?? 60);

test(`${RELOADS} reloads leave nothing open and nothing behind`, { timeout: 240_000 }, async () => {
  const more: Gateway = { name: "h", bridges: ["api.left api", "api.third api", "irc.net #y"] };
  const texts = [
    textOf([{ name: "g", bridges: [...LEFT_RIGHT.bridges, "irc.net #x"] }]),
    textOf([{ name: "g", bridges: [...LEFT_RIGHT.bridges, "irc.net #x", "irc.net #z"] }, more]),
  ];
  const file = { text: texts[0] ?? "" };
  const { again } = await running(file);
  const [left, right] = [new ApiClient(`http://127.0.0.1:${ports[0]}`), new ApiClient(`http://127.0.0.1:${ports[1]}`)];
  const stream = await right.stream();
  const look = (): { readonly files: number; readonly heapMiB: number } => {
    collect();
    return { files: openFiles(), heapMiB: process.memoryUsage().heapUsed / 2 ** 20 };
  };
  const looks = [];
  for (let count = 1; count <= RELOADS; count += 1) {
    file.text = texts[count % 2] ?? "";
    expect(await again()).toMatchObject({ is: "applied" });
    await left.say({ text: `m${count}`, gateway: "g" });
    if (count % (RELOADS / 4) === 0) looks.push(look());
  }
  expect(await stream.texts(RELOADS)).toEqual(Array.from({ length: RELOADS }, (_, at) => `m${at + 1}`));
  await stream.close();
  const [first, ...rest] = looks;
  for (const later of rest) {
    // A connection of ours or to the server that is not there may just be open.
    expect(later.files - (first?.files ?? 0)).toBeLessThanOrEqual(5);
    expect(later.heapMiB - (first?.heapMiB ?? 0)).toBeLessThan(12);
  }
});

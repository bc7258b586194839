import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
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
  dataPath = mkdtempSync(join(tmpdir(), "rialto-degrade-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  ports = await freePorts(3);
});

/** Three readers in one gateway; `third` are lines of the last one. */
const textOf = (third = ""): string => `[general]
DataPath = "${dataPath}"
Durability = "process"
[api.left]
BindAddress = "127.0.0.1:${ports[0]}"
[api.right]
BindAddress = "127.0.0.1:${ports[1]}"
[api.third]
BindAddress = "127.0.0.1:${ports[2]}"
${third}
[[gateway]]
name = "pair"
enable = true
inout = [{ account = "api.left" }, { account = "api.right" }]
[[gateway]]
name = "all"
enable = true
inout = [{ account = "api.left" }, { account = "api.right" }, { account = "api.third" }]
`;

const read = (text: string): Loaded => load({ text, format: "toml", name: "t" }, { env: {}, cwd: "/" });

async function running(file: { text: string }): Promise<App> {
  const loaded = read(file.text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const logger = createLogger({ debug: false, format: "json", file: join(dataPath, "log"), scrubber: new Scrubber() });
  const app = await startApp(loaded.config, logger, () => read(file.text));
  onTestFinished(() => app.stop());
  return app;
}

const clientOf = (at: number): ApiClient => new ApiClient(`http://127.0.0.1:${ports[at]}`);

test("what is said while an account stays down waits for it, until the configuration is corrected", async () => {
  const file = { text: textOf() };
  const before = await running(file);
  await clientOf(0).say({ gateway: "all", text: "one" });
  await before.stop();

  file.text = textOf('IgnoreNicks = ["a("]');
  const app = await running(file);
  expect([...app.addresses.keys()]).toEqual(["api.left", "api.right"]);
  await clientOf(0).say({ gateway: "all", text: "two" });
  file.text = textOf('IgnoreNicks = ["a("]\nBuffer = 20');
  expect(await app.reload()).toMatchObject({ is: "refused", problems: [{ severity: "error" }] });
  file.text = textOf("Buffer = 20");
  expect(await app.reload()).toMatchObject({ is: "applied", moved: { accounts: { changed: ["api.third"] } } });
  await clientOf(0).say({ gateway: "all", text: "three" });
  expect(await clientOf(2).texts()).toEqual(["one", "two", "three"]);
});

test("a start with errors forgets nothing of what it leaves out", async () => {
  const file = { text: textOf() };
  const before = await running(file);
  await clientOf(0).say({ gateway: "all", text: "one" });
  await before.stop();

  const without = await running({ text: textOf().replace(/"all"\nenable = true/u, '"all"\nenable = "perhaps"') });
  expect([...without.addresses.keys()]).toEqual(["api.left", "api.right"]);
  await without.stop();

  await running(file);
  expect(await clientOf(2).texts()).toEqual(["one"]);
});

test("nor of what waits in a gateway for somebody who has others", async () => {
  const file = { text: textOf() };
  const before = await running(file);
  await clientOf(0).say({ gateway: "all", text: "one" });
  await before.stop();

  const without = await running({ text: textOf().replace(/"all"\nenable = true/u, '"all"\nenable = "perhaps"') });
  await without.stop();

  await running(file);
  expect(await clientOf(1).texts()).toEqual(["one"]);
});

test("what it left out comes back with a reload as with a start", async () => {
  const file = { text: textOf() };
  const before = await running(file);
  await clientOf(0).say({ gateway: "all", text: "one" });
  await before.stop();

  file.text = textOf().replace(/"all"\nenable = true/u, '"all"\nenable = "perhaps"');
  const app = await running(file);
  file.text = textOf();
  expect(await app.reload()).toMatchObject({ is: "applied" });
  await clientOf(0).say({ gateway: "all", text: "two" });
  expect(await clientOf(2).texts()).toEqual(["one", "two"]);
});

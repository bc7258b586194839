import { closeSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { ExplainView, StatusView } from "../../src/admin/views.ts";
import { ask } from "../../src/cli/client.ts";
import { toml } from "../support/config.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

const CONFIG = toml({ accounts: { left: {}, right: {} }, gateways: { g: { inout: ["left", "right"] } } });

/** A Rialto that has passed on three messages, of which `right` has read none; stopped. */
async function stopped(): Promise<{ readonly dataPath: string; readonly file: string }> {
  const rialto = await startRialto({ config: CONFIG });
  onTestFinished(async () => await rialto.dispose());
  for (const text of ["one", "two", "three"]) await rialto.client("left").say({ text, username: "ann", gateway: "g" });
  await rialto.stop();
  return { dataPath: rialto.dataPath, file: path.join(rialto.dataPath, "log.sqlite") };
}

async function again(dataPath: string): Promise<Rialto> {
  const rialto = await startRialto({ config: CONFIG, dataPath });
  onTestFinished(async () => await rialto.dispose());
  return rialto;
}

test.each([
  ["the first page", 1],
  ["the page of marks", 8],
  ["the root of the entries", 5],
])("a start on a log with %s overwritten ends with a reason, a remedy and an exit code of its own", async (_, page) => {
  const { dataPath, file } = await stopped();
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(fd);
  const error: unknown = await again(dataPath).catch((reason: unknown) => reason);
  const printed = String(error);
  expect(printed).toContain(`The log ${file} is damaged`);
  expect(printed).toContain("rialto log repair");
  expect(printed).toContain('"code":"log_damaged"');
  expect(printed).not.toMatch(/\n {4}at |bug/);
});

test("an entry that cannot be read is skipped by readers and explain, and status says so", async () => {
  const { dataPath, file } = await stopped();
  const db = new BetterSqlite3(file);
  db.exec("UPDATE entry SET payload = substr(payload, 1, 30) WHERE seq = 2");
  db.close();
  const rialto = await again(dataPath);
  expect(await rialto.client("right").texts()).toEqual(["one", "three"]);
  expect(await rialto.client("right").texts()).toEqual([]);
  await rialto.client("left").say({ text: "four", username: "ann", gateway: "g" });
  expect(await rialto.client("right").texts()).toEqual(["four"]);
  const socket = path.join(dataPath, "rialto.sock");
  const found = await ask(socket, { method: "GET", path: "/api/v1/explain?q=t" });
  expect((JSON.parse(found.body) as ExplainView).stories.map(({ words }) => words)).toEqual(["three"]);
  const { troubles } = JSON.parse((await ask(socket, { method: "GET", path: "/api/v1/status" })).body) as StatusView;
  expect(troubles).toEqual([
    expect.objectContaining({ of: "the log", what: "holds an entry that cannot be read and was skipped: no. 2" }),
  ]);
});

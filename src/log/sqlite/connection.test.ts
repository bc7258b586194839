import { expect, test } from "vitest";
import { batchOf, said } from "../suite/kit.suite.ts";
import { WorkerConnection } from "./connection.ts";
import type { CommitRequest } from "./protocol.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";
import { SqliteLog } from "./sqlite-log.ts";

const OPTIONS = { durability: "power", retentionDays: 7, retentionBytes: 1e9, messageIdDays: 30, test: {} } as const;

test("when the worker dies, all who wait are told, and so is everybody later", async () => {
  const dataPath = scratchFolder();
  const connection = await WorkerConnection.open({ dataPath, ...OPTIONS });
  const log = new SqliteLog(connection, { tailBytes: 0, pendingBytes: 1e6, clock: Date.now });
  await log.append(batchOf(said("safe")));
  const broken = connection.call<CommitRequest>({ is: "commit" } as CommitRequest);
  const waiting = [
    broken,
    log.append(batchOf(said("lost"))),
    log.mark([{ name: "a", value: "1" }]),
    log.read({ subjects: [said("").subject], after: 0, limit: 1 }),
    log.ids.find("a", ["m1"]),
  ];
  const dead = { name: "LogError", code: "io", message: expect.stringContaining("worker has stopped") as string };
  for (const outcome of await Promise.allSettled(waiting)) expect(outcome).toMatchObject({ reason: dead });
  expect(await log.failed).toMatchObject(dead);
  await expect(log.append(batchOf(said("later")))).rejects.toMatchObject(dead);
  await expect(log.ids.get(1)).rejects.toMatchObject(dead);
  await expect(log.marks("")).rejects.toMatchObject(dead);
  await log.close();
  const again = await openAt(dataPath);
  expect(again.head).toBe(1);
});

test("closing is not a failure, and cuts reads short", async () => {
  const log = await openAt(scratchFolder(), { tailBytes: 0 });
  let failed = false;
  void log.failed.then(() => (failed = true));
  await log.append(batchOf(...Array.from({ length: 2000 }, () => said("x".repeat(2000)))));
  const read = log.read({ subjects: [said("").subject], after: 0, limit: 1000, bytes: 1e9 });
  const [outcome] = await Promise.allSettled([read, log.close()]);
  expect(outcome).toMatchObject({ status: "rejected", reason: { code: "closed" } });
  expect(failed).toBe(false);
});

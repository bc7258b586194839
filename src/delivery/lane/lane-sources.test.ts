import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { Account } from "../../config/config.ts";
import type { Capabilities } from "../../contract/capabilities.ts";
import { capabilities } from "../../gateway/plan.suite.ts";
import type { Subject } from "../../log/log.ts";
import type { Logger } from "../../logger.ts";
import { Lane } from "./lane.ts";
import { NO_METER } from "../meter.ts";
import { type Disk, emptyDisk, MemoryLog } from "../memory-log.suite.ts";
import { delivered, KEY, LANE, MemoryFiles, outletOf, NO_LOOPS } from "../stage.suite.ts";
import { PLAN } from "../plan.suite.ts";

describe("a bridge that joins the gateway of a lane", () => {
  const SILENT = { debug: () => undefined, warn: () => undefined, info: () => undefined } as unknown as Logger;
  let disk: Disk;
  let heard: string[];

  beforeEach(() => {
    disk = emptyDisk();
    heard = [];
  });

  async function open(...subjects: readonly Subject[]): Promise<Lane> {
    const clock = new FakeClock();
    const lane = await Lane.open({
      name: LANE,
      gateway: "g",
      account: { name: "net.B", key: "net.b", protocol: "net" } as Account,
      channel: "#to",
      subjects,
      plan: PLAN,
      capabilities: { idempotency: KEY, ops: capabilities().ops, limits: { inflightMax: 1 } } as Capabilities,
      log: new MemoryLog(disk),
      files: new MemoryFiles(),
      logger: SILENT,
      clock,
      random: () => 0.5,
      maxAgeMs: 3_600_000,
      outageNoticeMs: 3_600_000,
      catchUp: null,
      meter: NO_METER,
      loops: NO_LOOPS,
      onStalled: () => undefined,
    });
    await settled();
    return lane;
  }

  async function connect(lane: Lane): Promise<void> {
    lane.connect(
      outletOf(({ body }) => {
        heard.push(body.source.text);
        return Promise.resolve(delivered);
      }),
    );
    await settled();
  }

  function say(subject: Subject, payload: string): void {
    const seq = (disk.entries.at(-1)?.seq ?? 0) + 1;
    disk.entries.push({ seq, subject, at: new FakeClock().nowMs(), label: "", payload });
  }

  test("does not bring its past, which the log has for another gateway; what waits for the lane comes", async () => {
    const first = await open("net.a/#open");
    say("net.a/#open", "waits");
    say("net.c/#closed", "said elsewhere");
    await first.stop(AbortSignal.abort());

    const second = await open("net.a/#open", "net.c/#closed");
    say("net.c/#closed", "said here");
    second.wake();
    expect(await second.waiting()).toBe(2);
    await connect(second);
    expect(heard).toEqual(["waits", "said here"]);
  });

  test("also not when nothing was delivered before the next start", async () => {
    await open("net.a/#open");
    say("net.c/#closed", "said elsewhere");
    await open("net.a/#open", "net.c/#closed");
    say("net.c/#closed", "said here");
    const third = await open("net.a/#open", "net.c/#closed");
    await connect(third);
    expect(heard).toEqual(["said here"]);
  });
});

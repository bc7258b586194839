import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FaultGuard } from "./guard.ts";

test("a fault costs one thing, says where it is and not what was said, and does not fill the log", () => {
  const { log, records } = new RecordingHost();
  const guard = new FaultGuard(log, "a thing was skipped");
  const done: number[] = [];
  for (let at = 0; at < 30; at += 1) {
    guard.run(
      () => {
        if (at % 2 === 0) throw new Error("what somebody said");
        done.push(at);
      },
      { which: at },
    );
  }
  expect(done).toHaveLength(15);
  expect(records).toHaveLength(10);
  expect(records[0]).toMatchObject({ level: "warn", message: "a thing was skipped: this is a bug" });
  const fields = JSON.stringify(records[0]?.fields);
  expect(fields).toContain('"which":0,"error":"Error"');
  expect(fields).toContain("guard.test.ts");
  expect(fields).not.toContain("somebody");
});

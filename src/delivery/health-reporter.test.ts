import { expect, test } from "vitest";
import { HealthReporter } from "./health-reporter.ts";
import { MemoryLogger } from "./scripted.suite.ts";

test("equal troubles are told once in ten minutes, with their number, and the end of a trouble only when it was told", () => {
  const memory = new MemoryLogger();
  let now = 0;
  const report = new HealthReporter(memory.logger, { account: "net.a" }, () => now);
  const down = { code: "network", message: "down" };
  report.well({}, "up");
  report.well({}, "up");
  report.trouble(down, {}, "off");
  report.well({}, "up");
  for (let time = 0; time < 3; time += 1) {
    report.trouble(down, {}, "off");
    report.well({}, "up");
  }
  report.trouble({ code: "network", message: "another" }, {}, "off", "error");
  now = 10 * 60_000;
  report.trouble(down, { retryInS: 3 }, "off");
  expect(memory.shown("why", "repeated")).toEqual([
    "info up",
    "warn off down 0",
    "info up",
    "error off another 0",
    "warn off down 3",
  ]);
  expect(memory.lines.at(-1)?.fields).toEqual({
    account: "net.a",
    code: "network",
    why: "down",
    retryInS: 3,
    repeated: 3,
  });
  expect(memory.lines.filter(({ level }) => level === "debug")).toHaveLength(7);
});

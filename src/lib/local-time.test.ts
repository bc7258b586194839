import { afterEach, expect, test, vi } from "vitest";
import { localTime, localTimeOfDay } from "./local-time.ts";

afterEach(() => vi.unstubAllEnvs());

const WINTER = Date.UTC(2026, 0, 2, 23, 30, 5);
const SUMMER = Date.UTC(2026, 6, 2, 23, 30, 5);

test.each([
  ["UTC", WINTER, "2026-01-02 23:30:05+00:00"],
  ["Europe/Berlin", WINTER, "2026-01-03 00:30:05+01:00"],
  ["Europe/Berlin", SUMMER, "2026-07-03 01:30:05+02:00"],
  ["America/St_Johns", WINTER, "2026-01-02 20:00:05-03:30"],
  ["Asia/Kathmandu", WINTER, "2026-01-03 05:15:05+05:45"],
])("in %s", (zone, ms, shown) => {
  vi.stubEnv("TZ", zone);
  expect([localTime(ms), localTimeOfDay(ms)]).toEqual([shown, shown.slice(11)]);
});

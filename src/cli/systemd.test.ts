import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import type { Logger } from "../logger.ts";
import { openSystemd } from "./systemd.ts";

/** A `systemd-notify` that writes down what it is told, and whom. */
const NOTIFY = `#!/bin/sh
printf '%s|' "$NOTIFY_SOCKET" "$@" >>"\${0%/*}/told"
echo >>"\${0%/*}/told"
`;

let folder: string;
let errors: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-systemd-"));
  errors = [];
  writeFileSync(join(folder, "told"), "");
  writeFileSync(join(folder, "systemd-notify"), NOTIFY);
  chmodSync(join(folder, "systemd-notify"), 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function useFakeIntervals(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
}

const told = (): readonly string[] => readFileSync(join(folder, "told"), "utf8").split("\n").slice(0, -1);

function open(env: Readonly<Record<string, string>>, probe: () => Promise<unknown> = () => Promise.resolve()) {
  const logger = { error: ({ why }: { why: string }) => void errors.push(why) } as unknown as Logger;
  const path = `${folder}${delimiter}${process.env["PATH"] ?? ""}`;
  const systemd = openSystemd({ env: { PATH: path, ...env }, logger, probe });
  onTestFinished(() => systemd.stopping());
  return systemd;
}

const untilTold = async (count: number): Promise<readonly string[]> =>
  await eventually(
    () => Promise.resolve(told()),
    (lines) => lines.length >= count,
    () => `${count} words; so far ${JSON.stringify(told())}`,
  );

test("where no systemd listens nothing is run", async () => {
  const systemd = open({ WATCHDOG_USEC: "10000" });
  systemd.ready("runs");
  systemd.reloading();
  await systemd.stopping();
  expect(told()).toEqual([]);
});

test("ready, reloading, ready and stopping are said in this order", async () => {
  const systemd = open({ NOTIFY_SOCKET: "/run/notify" });
  systemd.ready("2 gateways");
  systemd.reloading();
  systemd.ready("3 gateways");
  await systemd.stopping();
  expect(told()).toEqual([
    "/run/notify|--ready|--status=2 gateways|",
    "/run/notify|RELOADING=1|",
    "/run/notify|--ready|--status=3 gateways|",
    "/run/notify|STOPPING=1|",
  ]);
});

test("the watchdog hears from us, also when the log refuses", async () => {
  open({ NOTIFY_SOCKET: "@n", WATCHDOG_USEC: "20000", WATCHDOG_PID: String(process.pid) }, () =>
    Promise.reject(new Error("disk full")),
  );
  expect(new Set(await untilTold(3))).toEqual(new Set(["@n|WATCHDOG=1|"]));
});

test("the watchdog hears nothing while the log does not answer, and again when it does", async () => {
  useFakeIntervals();
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const systemd = open({ NOTIFY_SOCKET: "@n", WATCHDOG_USEC: "20000000" }, () => {
    asked += 1;
    return answer.promise;
  });
  vi.advanceTimersByTime(100_000);
  systemd.ready("stuck");
  await untilTold(1);
  expect([asked, told()]).toEqual([1, ["@n|--ready|--status=stuck|"]]);
  answer.resolve();
  expect((await untilTold(2)).at(-1)).toBe("@n|WATCHDOG=1|");
});

test("the watchdog is asked for twice in its time", () => {
  useFakeIntervals();
  const never = new Promise<never>(() => undefined);
  let asked = 0;
  open({ NOTIFY_SOCKET: "@n", WATCHDOG_USEC: "20000000" }, () => {
    asked += 1;
    return never;
  });
  vi.advanceTimersByTime(9_999);
  expect(asked).toBe(0);
  vi.advanceTimersByTime(1);
  expect(asked).toBe(1);
});

test.each([{ WATCHDOG_PID: "1" }, { WATCHDOG_USEC: "0" }, { WATCHDOG_USEC: "soon" }])(
  "no watchdog waits for this process: %j",
  (env) => {
    useFakeIntervals();
    let asked = 0;
    open({ NOTIFY_SOCKET: "@n", WATCHDOG_USEC: "20000000", ...env }, () => Promise.resolve((asked += 1)));
    vi.advanceTimersByTime(100_000);
    expect(asked).toBe(0);
  },
);

test("without systemd-notify it is said once, with what to do", async () => {
  const systemd = open({ NOTIFY_SOCKET: "@n", PATH: join(folder, "none") });
  systemd.ready("runs");
  await systemd.stopping();
  expect(errors).toEqual(["systemd-notify is not installed"]);
});

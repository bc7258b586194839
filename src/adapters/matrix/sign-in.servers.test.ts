import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { systemClock } from "../../delivery/clock.ts";
import { readLogin, writeLogin } from "./saved-login.ts";
import { open } from "./session.ts";
import { act } from "./sign-in.ts";
import { START_MS, Town } from "./town.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-sign-in-synapse-"));
let town: Town;
beforeAll(async () => {
  town = await Town.start({});
}, START_MS);
afterAll(async () => {
  await town.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  "Synapse without a login service: a password gives a login that each session refreshes",
  { timeout: START_MS },
  async () => {
    const { name, settings } = await town.bot();
    const { signal } = new AbortController();
    const acted = await act({
      settings,
      name: "matrix.home",
      folder,
      clock: systemClock,
      pause: () => Promise.resolve(),
      random: () => "0123456789",
      say: () => undefined,
      signal,
    });
    expect(acted).toEqual({ ok: true });
    const seen: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      const login = readLogin(folder);
      if (login === null) throw new Error("there is no login");
      seen.push(login.accessToken);
      writeLogin(folder, { ...login, endsMs: Date.now() });
      const saved = { ...settings, Login: "", Password: "", SavedLogin: true };
      const opened = await open({ settings: saved, host: new RecordingHost(), since: null, folder, signal });
      if (!opened.ok) throw new Error(opened.ended.why.message);
      expect(opened.session.as).toBe(name);
      await opened.session.close(AbortSignal.timeout(5_000));
    }
    expect(new Set(seen).size).toBe(3);
    expect(readLogin(folder)).toMatchObject({ user: name, device: "RIALTO-0123456789", oauth: null });
  },
);

/** The program in this process with /v1 of its admin server, for tests of what the dashboard asks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ApiClient } from "../../test/support/client.ts";
import { freePorts } from "../../test/support/ports.ts";
import { load } from "../cli/load.ts";
import type { Loaded } from "../config/load.ts";
import { Scrubber } from "../lib/scrub.ts";
import { createLogger } from "../logger.ts";
import { type App, startApp } from "./app.ts";

export const ADMIN_TOKEN = "the-operators-own-token";

interface DashboardAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface DashboardStage {
  readonly app: () => App;
  readonly left: ApiClient;
  readonly right: ApiClient;
  /** Of the admin server. */
  readonly url: string;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<DashboardAnswer>;
  /** Stops it, and starts it again over the same data. */
  readonly restart: () => Promise<void>;
}

/**
 * Accounts `api.left` and `api.right` in gateway `g`, and `irc.net` with `#room` there, whose server does not answer.
 * `general`: more lines of `[general]`.
 */
export async function openDashboardStage(general = ""): Promise<DashboardStage> {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-dashboard-"));
  onTestFinished(() => rmSync(dataPath, { recursive: true, force: true }));
  const [admin = 0, left = 0, right = 0, nobody = 0] = await freePorts(4);
  const text = `[general]
DataPath = "${dataPath}"
Durability = "process"
AdminBindAddress = "127.0.0.1:${admin}"
AdminToken = "${ADMIN_TOKEN}"
${general}
[api.left]
BindAddress = "127.0.0.1:${left}"
[api.right]
BindAddress = "127.0.0.1:${right}"
[irc.net]
Server = "127.0.0.1:${nobody}"
Nick = "rialto"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.left" }, { account = "api.right" }, { account = "irc.net", channel = "#room" }]
`;
  const read = (): Loaded => load({ text, format: "toml", name: "t" }, { env: {}, cwd: "/" });
  const start = async (): Promise<App> => {
    const loaded = read();
    if (!loaded.ok || loaded.config.errors.length > 0) throw new Error(JSON.stringify(loaded));
    const file = join(dataPath, "log");
    return await startApp(
      loaded.config,
      createLogger({ debug: false, format: "json", file, scrubber: new Scrubber() }),
      read,
    );
  };
  let app = await start();
  onTestFinished(async () => await app.stop());
  const url = `http://127.0.0.1:${admin}`;
  return {
    app: () => app,
    left: new ApiClient(`http://127.0.0.1:${left}`),
    right: new ApiClient(`http://127.0.0.1:${right}`),
    url,
    ask: async (method, path, body) => {
      const answer = await fetch(url + path, {
        method,
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const said = await answer.text();
      return { status: answer.status, body: said === "" ? null : (JSON.parse(said) as unknown) };
    },
    restart: async () => {
      await app.stop();
      app = await start();
    },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ApiClient } from "../support/client.ts";
import { request } from "../support/http.ts";
import { freePorts } from "../support/ports.ts";
import { type Program, startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";
import { WebGuest } from "./guest.ts";

const TOKEN = "of-the-operators-alone";

/** The built program with the web account `web.site` and `api.game` in the gateway `lobby`, over one data folder. */
export class WebStage {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-web-stage-"));
  readonly base: string;
  readonly game: ApiClient;
  readonly #admin: string;
  #program: Program | null = null;

  constructor(ports: readonly number[], settings: string, more: string) {
    const [web = 0, api = 0, admin = 0] = ports;
    this.base = `http://127.0.0.1:${web}`;
    this.#admin = `http://127.0.0.1:${admin}`;
    this.game = new ApiClient(`http://127.0.0.1:${api}`);
    const text = `[general]
DataPath = "${this.folder}/data"
AdminBindAddress = "127.0.0.1:${admin}"
AdminToken = "${TOKEN}"
[web.site]
BindAddress = "127.0.0.1:${web}"
${settings}
[api.game]
BindAddress = "127.0.0.1:${api}"
FullEvents = true
Buffer = 100000
[[gateway]]
name = "lobby"
enable = true
inout = [{ account = "web.site", channel = "lobby" }, { account = "api.game" }]
${more}`;
    writeFileSync(join(this.folder, "rialto.toml"), text);
  }

  /** Resolves when the room is open. */
  async start(): Promise<void> {
    this.#program = startProgram(this.folder, ["-conf", "rialto.toml"]);
    const { output } = this.#program;
    const ask = async () => await this.admin("GET", "rooms/lobby/moderation").catch(() => ({ status: 0 }));
    await eventually(
      ask,
      ({ status }) => status === 200,
      () => `the room to open; so far:\n${output()}`,
    );
  }

  async kill(): Promise<void> {
    this.#program?.child.kill("SIGKILL");
    await this.#program?.exited();
  }

  async stop(): Promise<void> {
    this.#program?.child.kill("SIGTERM");
    await this.#program?.exited();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** As an operator types it; what it prints. */
  async command(...args: readonly string[]): Promise<string> {
    const run = startProgram(this.folder, [...args, "-conf", "rialto.toml"]);
    await run.exited();
    return run.output();
  }

  /** The link. */
  async invite(...options: readonly string[]): Promise<string> {
    const printed = await this.command("invite", "lobby", ...options);
    return printed.trim();
  }

  /** Somebody in the room, who watches. */
  async guest(name: string, invite?: string): Promise<WebGuest> {
    const guest = new WebGuest(this.base, name);
    const joined = await guest.join(invite ?? (await this.invite()));
    if (joined.status !== 201) throw new Error(`${name} cannot join: ${joined.bytes.toString()}`);
    await guest.watch();
    onTestFinished(() => guest.unwatch());
    return guest;
  }

  /** What the dashboard asks. */
  async admin(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
    const answer = await request(`${this.#admin}/v1/admin/${path}`, { method, headers, ...content });
    const text = answer.body.toString();
    return { status: answer.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  }
}

/** `settings`: of the web account; `more`: further tables. */
export async function webStage(settings = "", more = ""): Promise<WebStage> {
  const stage = new WebStage(await freePorts(3), settings, more);
  await stage.start();
  return stage;
}

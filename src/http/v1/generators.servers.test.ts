import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { needs, OPENAPI_CLIENTS, pathOf } from "../../../test/servers/installed.ts";
import { describeRoutes } from "./openapi.ts";
import { v1Routes } from "./routes/index.ts";

type Tool = "openapi-typescript" | "@hey-api/openapi-ts" | "typescript of the generators";

const run = promisify(execFile);

const OPTIONS = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
const MODULES = ["--module", "esnext", "--moduleResolution", "bundler"];

/** A folder with the description, in which these tools work. */
function folder() {
  const home = mkdtempSync(path.join(tmpdir(), "rialto-clients-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  symlinkSync(path.join(OPENAPI_CLIENTS, "node_modules"), path.join(home, "node_modules"));
  writeFileSync(path.join(home, "package.json"), '{"type":"module"}');
  writeFileSync(path.join(home, "openapi.json"), JSON.stringify(describeRoutes(v1Routes)));
  const tool = async (name: Tool, ...args: readonly string[]): Promise<void> => {
    await run(process.execPath, [pathOf(name), ...args], { cwd: home });
  };
  /** What the compiler says of this program; empty: nothing. */
  const compile = async (program: string): Promise<string> => {
    writeFileSync(path.join(home, "bot.ts"), program);
    const compiled = tool("typescript of the generators", ...OPTIONS, ...MODULES, "bot.ts");
    return await compiled.then(
      () => "",
      (error: unknown) => (error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)),
    );
  };
  return { tool, compile };
}

const FETCH_BOT = `import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";
const client = createClient<paths>({ baseUrl: "http://127.0.0.1:4242" });
const path = { name: "bot" };
await client.PUT("/v1/consumers/{name}", { params: { path }, body: { start: "new" } });
const { data, error } = await client.POST("/v1/consumers/{name}/pull", { params: { path }, body: { max: 10 } });
if (data === undefined) throw new Error(error.detail);
const seqs: string[] = data.events.map(({ event }) => event.seq);
for (const { event } of data.events) {
  if (!("message" in event) || !("text" in event.message) || event.message.text !== "!ping") continue;
  await client.POST("/v1/gateways/{gateway}/messages", { params: { path: { gateway: "lobby" } }, body: { text: "pong" } });
}
await client.POST("/v1/consumers/{name}/ack", { params: { path }, body: { ack: seqs } });
const dead = await client.GET("/v1/consumers/{name}/dead", { params: { path } });
export const first: components["schemas"]["Event"] | undefined = dead.data?.dead[0]?.event;
export const gap = (event: components["schemas"]["StreamEvent"]): number => ("count" in event ? event.count : 0);
`;

const HEY_BOT = `import { client } from "./client/client.gen.js";
import * as api from "./client/index.js";
client.setConfig({ baseUrl: "http://127.0.0.1:4242" });
const path = { name: "bot" };
const { data } = await api.pullConsumer({ path, body: { max: 10 }, throwOnError: true });
const seqs: string[] = data.events.map(({ event }) => event.seq);
await api.postMessage({ path: { gateway: "lobby" }, body: { text: seqs.join(" ") } });
await api.ackConsumer({ path, body: { ack: seqs } });
export const event: api.Event | undefined = data.events[0]?.event;
export const count = ({ count }: api.Skipped): number => count;
`;

needs(["openapi-typescript", "openapi-fetch", "@hey-api/openapi-ts", "typescript of the generators"], () => {
  test("openapi-typescript and openapi-fetch compile a small bot", async () => {
    const { tool, compile } = folder();
    await tool("openapi-typescript", "openapi.json", "-o", "schema.d.ts");
    expect(await compile(FETCH_BOT)).toBe("");
  });

  test("@hey-api/openapi-ts compiles a small bot", async () => {
    const { tool, compile } = folder();
    await tool("@hey-api/openapi-ts", "-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch");
    expect(await compile(HEY_BOT)).toBe("");
  });
});

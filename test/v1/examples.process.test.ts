import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Rialto } from "../../src/client/index.ts";
import { toml } from "../support/config.ts";
import { useRialto } from "../support/suite.ts";
import { within } from "../support/wait.ts";
import { guard } from "../support/watchdog.ts";

const TOKEN = "a long secret";
const ROOT = path.join(import.meta.dirname, "../..");
const EXAMPLES = path.join(ROOT, "docs/examples");
const rialto = useRialto({
  config: toml({ accounts: { ann: {}, bot: { Token: TOKEN } }, gateways: { lobby: { inout: ["ann", "bot"] } } }),
});

const PROGRAMS = [
  ["bot.mts", process.execPath, "echo-ts"],
  ["bot.py", "python3", "echo-py"],
  ["bot.sh", "sh", "echo-sh"],
] as const;

/** Starts an example as a user does; what it prints goes into the failure of the test. */
function started(file: string, program: string): () => string {
  const env = { PATH: process.env["PATH"] ?? "", RIALTO_URL: rialto().url("api.bot"), RIALTO_TOKEN: TOKEN };
  const child = spawn(program, [path.join(EXAMPLES, file)], { env, cwd: EXAMPLES });
  guard(child);
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (printed += part.toString()));
  child.once("exit", (code) => (printed += `\nit ended with ${code}`));
  return () => printed;
}

test.each(PROGRAMS)("%s answers, once, also what was said while it was away", async (file, program, name) => {
  const ann = new Rialto({ url: rialto().url("api.ann") });
  // An earlier run has made it, and has ended.
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ filter: { types: ["message.posted"] } });
  const made = await fetch(`${rialto().url("api.bot")}/v1/consumers/${name}`, { method: "PUT", headers, body });
  expect(made.status).toBe(201);
  const { message } = await ann.post("lobby", { text: "!echo héllo \"you\" $(id) 'there' \\n" });
  await ann.post("lobby", { text: "no question" });
  await ann.post("lobby", { text: "!echo last" });
  const heard = ann.consumer(`ears-of-${name}`, { start: { after: message?.id ?? "" } });
  const printed = started(file, program);
  const texts: string[] = [];
  const listen = async (): Promise<void> => {
    for await (const event of heard) {
      await event.ack();
      if (event.type !== "message.posted") continue;
      texts.push(event.message.text);
      expect(event.author.name).toBe("echo");
      if (event.message.text === "last") return;
    }
  };
  await within(listen(), () => `the answers of ${file}; it printed:\n${printed()}`, 60_000);
  expect(texts).toEqual(["héllo \"you\" $(id) 'there' \\n", "last"]);
});

test("what the package publishes of its types fits the example, and needs no other package", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rialto-types-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(EXAMPLES, "bot.mts");
  const settings = {
    compilerOptions: {
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable"],
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: [],
    },
    files: [path.join(ROOT, "dist/types/client/index.d.ts")],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(settings));
  const check = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [path.join(ROOT, "node_modules/typescript/bin/tsc"), ...args], { encoding: "utf8" });
  expect(check("-p", folder)).toBe("");
  const options = ["--noEmit", "--module", "nodenext", "--target", "es2024", "--strict", "--types", "node"];
  expect(check("--ignoreConfig", ...options, "--typeRoots", path.join(ROOT, "node_modules/@types"), file)).toBe("");
});

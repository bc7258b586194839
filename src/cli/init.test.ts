import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { protocols } from "../adapters/registry.ts";
import type { Manifest } from "../contract/manifest.ts";
import { init, interview } from "./init.ts";

const manifest: Manifest = {
  protocol: "net",
  title: "Net",
  schema: {
    type: "object",
    properties: {
      Server: { type: "string", description: "Where it is." },
      UseTLS: { type: "boolean", default: false, description: "Encrypted." },
      Password: { type: "string", default: "", secret: true, description: "Word." },
      Colour: { type: "string", default: "red", description: "Not asked." },
    },
  },
  channel: { pattern: "^#\\w+$", hint: "must begin with #", lowerCase: true },
};

async function talk(answers: readonly string[]): Promise<{ readonly text: string; readonly said: string }> {
  const left = [...answers];
  let said = "";
  const say = (text: string): void => void (said += text);
  const ask = (question: string): Promise<string> => {
    said += question;
    const answer = left.shift();
    return answer === undefined ? Promise.reject(new Error(`no answer to ${question}`)) : Promise.resolve(answer);
  };
  const known = new Map([["net", manifest], ...[...protocols].filter(([name]) => name === "api")]);
  return { text: await interview({ ask, say }, known), said };
}

test("asks for what is needed until it fits, and writes it with comments", async () => {
  const first = ["nett", "net", "a b", "one", "", "host:1", "y", 'pass"word', "lobby", "#lobby"];
  const again = ["net", "one", "#lobby"];
  const second = ["api", "", "127.0.0.1:4242", ""];
  const { text, said } = await talk([...first, ...again, ...second, "n", ""]);
  expect(said).toMatch(/There is no "nett"; did you mean net\?[\s\S]*Use letters[\s\S]*A room must begin with #\./);
  expect(said).toContain("That room is already on the list.");
  expect(text).toContain(`# Net
[net.one]
# Where it is.
Server = "host:1"
# Encrypted.
UseTLS = true
# Word.
Password = "pass\\"word"
`);
  expect(text).toContain('[general]\nAdminBindAddress = "127.0.0.1:4290"\n');
  expect(text).toMatch(/\[api\.home\]\n# .*\nBindAddress = "127\.0\.0\.1:4242"\n/);
  expect(text).toContain(`[[gateway]]
name = "lobby"
enable = true

[[gateway.inout]]
account = "net.one"
channel = "#lobby"

[[gateway.inout]]
account = "api.home"
channel = "api"
`);
  expect(text).not.toContain("Colour");
});

const towns = ["town", "square"];

test.each([
  [
    "mattermost",
    ["chat.example.org", "sales", "word", "", "", ""],
    { Server: "chat.example.org", Team: "sales" },
    towns,
  ],
  ["discord", ["word", "Our Town", ""], { Token: "word", Server: "Our Town" }, towns],
  ["slack", ["xoxb-word", "xapp-word", ""], { Token: "xoxb-word", AppToken: "xapp-word" }, towns],
  ["telegram", ["word", ""], { Token: "word" }, ["-1001", "-1002"]],
])("for %s it asks for what has a default and is needed all the same", async (network, settings, written, rooms) => {
  const [room = "", other = ""] = rooms;
  const left = [network, "one", ...settings, room, network, "one", other, "n", ""];
  const ask = (question: string): Promise<string> => Promise.resolve(left.shift() ?? `no answer to ${question}`);
  const text = await interview({ ask, say: () => undefined }, protocols);
  expect(left).toEqual([]);
  for (const [name, value] of Object.entries(written)) expect(text).toContain(`\n${name} = ${JSON.stringify(value)}\n`);
});

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-init-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function run(cwd: string, answers: readonly string[] | null) {
  let told = "";
  const tell = (text: string): void => void (told += text);
  const input = new PassThrough();
  for (const answer of answers ?? []) input.write(`${answer}\n`);
  input.end();
  const output = new PassThrough().resume();
  const terminal = answers === null ? null : { input, output };
  return { code: await init(null, { env: {}, cwd, say: tell, tell, terminal }), told };
}

test("without a terminal, or over a file that is there, nothing is asked and nothing is written", async () => {
  const cwd = scratch();
  expect(await run(cwd, null)).toMatchObject({ code: 64, told: expect.stringContaining("needs a terminal") as string });
  writeFileSync(join(cwd, "rialto.toml"), "mine");
  expect(await run(cwd, [])).toMatchObject({ code: 64, told: expect.stringContaining("already exists") as string });
  expect(readFileSync(join(cwd, "rialto.toml"), "utf8")).toBe("mine");
});

test("answers that come all at once, as when somebody pastes them, are each taken", async () => {
  const cwd = scratch();
  const answers = ["api", "one", "127.0.0.1:4301", "", "api", "two", "127.0.0.1:4302", "", "", ""];
  expect(await run(cwd, answers)).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, "rialto.toml"), "utf8")).toMatch(/4301[^]*4302[^]*name = "lobby"/);
});

test("an end of the input gives up, and writes nothing", async () => {
  const cwd = scratch();
  expect(await run(cwd, ["api"])).toMatchObject({ code: 64, told: expect.stringContaining("cancelled") as string });
  expect(statSync(join(cwd, "rialto.toml"), { throwIfNoEntry: false })).toBeUndefined();
});

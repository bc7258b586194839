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
  expect(text).toMatch(/\[api\.home\]\n(?:# .*\n)+BindAddress = "127\.0\.0\.1:4242"\n/);
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

test("a name with other letters is written so that the file can be read, and the accounts can be tried next", async () => {
  const cwd = scratch();
  const answers = ["api", "büro", "127.0.0.1:4301", "", "api", "two", "127.0.0.1:4302", "", "", ""];
  const { code, told } = await run(cwd, answers);
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "rialto.toml"), "utf8")).toContain('\n[api."büro"]\n');
  expect(told).toContain("rialto check --online ");
});

test("answers that come all at once, as when somebody pastes them, are each taken", async () => {
  const cwd = scratch();
  const answers = ["api", "one", "127.0.0.1:4301", "", "api", "two", "127.0.0.1:4302", "", "", ""];
  expect(await run(cwd, answers)).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, "rialto.toml"), "utf8")).toMatch(/4301[^]*4302[^]*name = "lobby"/);
});

/** Readline moves the cursor behind it. */
const QUESTION = new RegExp(String.raw`: (?:${"\u001b"}\[\d+G)?$`, "u");

/** A terminal as readline sees it; answers are typed when the question is there. */
async function onTerminal(keys: readonly string[]) {
  const cwd = scratch();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let shown = "";
  const left = [...keys];
  let isAsked = false;
  output.on("data", (part: Buffer) => {
    shown += part.toString();
    // A question ends so. It is written in several parts.
    if (isAsked || !QUESTION.test(shown)) return;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
      input.write(left.shift() ?? "\u0003");
    });
  });
  const write = (text: string): void => void output.write(text);
  const code = await init(null, { env: {}, cwd, say: write, tell: write, terminal: { input, output } });
  const path = join(cwd, "rialto.toml");
  const text = statSync(path, { throwIfNoEntry: false }) === undefined ? null : readFileSync(path, "utf8");
  return { code, shown, text };
}

const BACKSPACE = "\u007f";
const LEFT_AND_RIGHT = "\u001b[D\u001b[C";
const toChannel = ["api\r", "two\r", "127.0.0.1:4302\r", "\r", "\r", "\r"];

test("a secret is not shown while it is typed, pasted or corrected, and is written as typed", async () => {
  const typed = `hidden-wordX${BACKSPACE}-pasted${LEFT_AND_RIGHT}\r`;
  const { code, shown, text } = await onTerminal(["api\r", "one\r", "127.0.0.1:4301\r", typed, ...toChannel]);
  expect(code).toBe(0);
  expect(text).toContain('Token = "hidden-word-pasted"');
  expect(shown).toContain("127.0.0.1:4301");
  expect(shown).not.toMatch(/hidden|pasted/u);
});

test("a secret is not shown when all answers are pasted at once", async () => {
  const all = ["api", "one", "127.0.0.1:4301", "hidden-word"].map((answer) => `${answer}\r`).join("");
  const { shown, text } = await onTerminal([all, ...toChannel]);
  expect(text).toContain('Token = "hidden-word"');
  expect(shown).toContain("BindAddress: 127.0.0.1:4301\n");
  expect(shown).not.toContain("hidden");
});

test("the arrow keys do not bring a secret back", async () => {
  const first = ["api\r", "one\r", "127.0.0.1:4301\r", "hidden-word\r"];
  const { shown } = await onTerminal([...first, "\u001b[A\r", "api\r", ...toChannel.slice(1)]);
  expect(shown).not.toContain("hidden");
});

test("Ctrl-C at a question for a secret cancels, and writes nothing", async () => {
  const { code, shown, text } = await onTerminal(["api\r", "one\r", "127.0.0.1:4301\r", "hidden\u0003"]);
  expect([code, text]).toEqual([64, null]);
  expect(shown).toMatch(/\nrialto: cancelled; nothing was written\n$/u);
  expect(shown).not.toContain("hidden");
});

test("a question for yes or no is asked again until it is answered", async () => {
  const { text, said } = await talk([
    "net",
    "one",
    "host:1",
    "#bridge",
    "yes",
    "",
    "#a",
    "net",
    "one",
    "#b",
    "maybe",
    "n",
    "",
  ]);
  expect(said.match(/Answer y or n\./gu)).toHaveLength(2);
  expect(text).toContain("UseTLS = true");
});

test.each([...protocols.keys()])(
  "%s: no line that is said or written is longer than 80 columns or has Markdown",
  async (network) => {
    const said: string[] = [];
    const left = [network, "one"];
    const enough = new Error("enough was asked");
    const ask = (question: string): Promise<string> => {
      said.push(question);
      // After the settings.
      if (said.filter((each) => /(?:Room|Network): $/u.test(each)).length > 1) return Promise.reject(enough);
      return Promise.resolve(left.shift() ?? (/\[y\/N\]/u.test(question) ? "n" : "x"));
    };
    await interview({ ask, say: (text) => void said.push(text) }, protocols).catch((error: unknown) => {
      if (error !== enough) throw error;
    });
    const lines = said.join("\n").split("\n");
    expect(lines.filter((line) => line.length > 80 || line.includes("`"))).toEqual([]);
  },
);

test("an end of the input gives up, and writes nothing", async () => {
  const cwd = scratch();
  expect(await run(cwd, ["api"])).toMatchObject({ code: 64, told: expect.stringContaining("cancelled") as string });
  expect(statSync(join(cwd, "rialto.toml"), { throwIfNoEntry: false })).toBeUndefined();
});

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { launch } from "../support/suite.ts";
import { arrival, gateway } from "./world.ts";

const CHANNEL = "#square";
const COMMANDS = ["QUIT :pwned", "JOIN #secret", "PRIVMSG #secret :pwned", "PART #square", "NICK pwned"];
const BREAKS = ["\r\n", "\n", "\r", "\0", "\u0085", "\u2028", "\r\n\r\n"];

/** Whatever a program can put into a message: text, name, and all else that a POST may hold. */
const TRIES = [
  ...COMMANDS.flatMap((command) => BREAKS.map((gap) => ({ text: `a${gap}${command}`, username: "eve" }))),
  ...COMMANDS.flatMap((command) => BREAKS.map((gap) => ({ text: "by name", username: `eve${gap}${command}${gap}` }))),
  ...COMMANDS.map((command) => ({ text: command, username: "" })),
  ...COMMANDS.map((command) => ({ text: `:${command}`, username: ":" })),
  { text: ": two :colons: ::", username: ":eve:" },
  { text: "\u0001VERSION\u0001", username: "eve" },
  { text: "\u0001ACTION \u0001\r\nQUIT\u0001", username: "\u0001eve\u0001", event: "user_action" },
  { text: "x\r\nQUIT", username: "eve\r\nQUIT", event: "notice" },
  { text: "fields", username: "eve", userid: "a\r\nQUIT", avatar: "http://a/\r\nQUIT", parent_id: "b\r\nQUIT" },
  {
    text: "a file",
    username: "eve",
    Extra: { file: [{ Name: "a\r\nQUIT", Data: "", URL: "http://a/b\r\nQUIT", Comment: "c\r\nQUIT" }] },
  },
  { text: `${"ü".repeat(240)}\r\nQUIT :cut`, username: "eve" },
];

needs(["ngircd", "inspircd", "python3-irc"], () => {
  test.each([
    ["ngircd", startNgircd],
    ["inspircd", startInspircd],
  ] as const)("no message can hold a command for %s", async (name, start) => {
    const server = await onStage(start());
    const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL, "#secret"] }));
    const irc = { net: { port: server.port, channel: CHANNEL } };
    const rialto = await launch({ config: gateway({ irc, api: ["one"] }) });
    await arrival(pia, CHANNEL);
    const answers = new Map<number, number>();
    for (const attempt of TRIES) {
      const { status } = await rialto.client("one").post(attempt);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    await rialto.client("one").say({ text: "the end", username: "anna" });
    await pia.ears.untilText(CHANNEL, "<anna> the end", 20_000);
    const ours = pia.lines.filter((line) => line.startsWith(":rialto"));
    const [join, ...said] = ours;
    expect(join).toMatch(/^:rialto!\S+ JOIN /);
    expect(said.filter((line) => !/^:rialto!\S+ (?:PRIVMSG|NOTICE) #square :/.test(line))).toEqual([]);
    expect(pia.ears.in("#secret").filter(({ nick }) => nick !== "pia")).toEqual([]);
    expect(pia.ears.in(CHANNEL).filter(({ kind }) => kind === "leave" || kind === "nick")).toEqual([]);
    const statuses = [...answers].map(([status, count]) => `${count} x ${status}`).join(", ");
    console.log(
      `figures: injection on ${name}: ${TRIES.length} tries (${statuses}); ${said.length} lines arrived, all of them words in ${CHANNEL}, such as\n` +
        [...new Set(said)]
          .slice(0, 6)
          .map((line) => `  ${JSON.stringify(line)}`)
          .join("\n"),
    );
  });

  test.each(["#a\\r\\nQUIT", "#a\\u0000", "#a b", "#a,#b", "a:b", ":#a", ""])(
    "a channel that is no channel is refused: %j",
    async (channel) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-check-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const file = path.join(folder, "rialto.toml");
      const config = gateway({ irc: { net: { port: 6667, channel } }, api: ["one"] });
      await writeFile(file, config.replaceAll("[api.one]", '[api.one]\nBindAddress = "127.0.0.1:4242"'));
      const program = path.join(import.meta.dirname, "../../bin/rialto.js");
      const ended = Promise.withResolvers<{ code: unknown; output: string }>();
      execFile(process.execPath, [program, "check", file], (error, stdout, stderr) =>
        ended.resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
      );
      const { code, output } = await ended.promise;
      expect(code).not.toBe(0);
      expect(output).toContain("channel");
    },
  );
});

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gateway, numbered, postAll } from "../irc/world.ts";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import type { IrcServer } from "../servers/irc/server.ts";
import { startNats } from "../servers/nats/server.ts";
import type { Person } from "../servers/people/person.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";
import { bodyOf, textOf, V1 } from "../v1/client.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
const CHANNEL = "#square";
type Env = Readonly<Record<string, string>>;

/** The program as an operator calls it. */
function run(env: Env, ...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const settings = { env: { PATH: process.env["PATH"] ?? "", ...env } };
    execFile(process.execPath, [PROGRAM, ...args], settings, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

async function done(env: Env, ...args: readonly string[]): Promise<string> {
  const { code, output } = await run(env, ...args);
  expect(`${code} ${code === 0 ? "" : output}`).toBe("0 ");
  return output;
}

/** What clients have seen, over all lives of the program. */
class Told {
  /** By the polls of `two`, and by its consumer, with the ids. */
  readonly polled: string[] = [];
  readonly pulled: string[] = [];
  readonly ids: string[] = [];
  /** What a post with a key was answered. */
  keyed = "";
  /** The first message, which later ones are about. */
  first = "";
  token = "";
}

interface Life {
  readonly env: Env;
  readonly dataPath: string;
  readonly irc: IrcServer;
}

async function live({ env, dataPath, irc }: Life): Promise<Rialto> {
  const net = { port: irc.port, channel: CHANNEL, settings: "MessageDelay = 0" };
  const config = gateway({ irc: { net }, api: ["one", "two"] });
  const rialto = await startRialto({ config, dataPath, env });
  onTestFinished(async () => await rialto.dispose());
  return rialto;
}

/** Reads what waits for the poll and the consumer of `two`, and repeats the post that has a key. */
async function read(rialto: Rialto, told: Told, max: number): Promise<void> {
  const two = rialto.client("two");
  for (let got = ["-"]; got.length > 0;) {
    got = await two.texts();
    told.polled.push(...got);
  }
  const bot = new V1(rialto.url("api.two"), told.token);
  const { events } = await bot.pull("bot", { max, wait: "0s" });
  told.pulled.push(...events.map(({ event }) => textOf(event) ?? ""));
  told.ids.push(...events.map(({ event }) => event.seq));
  const upto = events.at(-1)?.event.seq;
  if (upto !== undefined) await bot.ack("bot", { upto });
  const answer = await new V1(rialto.url("api.one")).ask("POST", "/v1/gateways/square/messages", {
    body: { text: "keyed", author: { name: "anna" } },
    headers: { "Idempotency-Key": "a key" },
  });
  const { message } = bodyOf<{ message: { id: string } }>(answer, 201);
  if (told.keyed !== "") expect(message.id).toBe(told.keyed);
  told.keyed = message.id;
}

/** What anna and ann said, once this line is among it. */
async function linesUntil({ ears }: Person, line: string): Promise<readonly string[]> {
  const lines = (): string[] =>
    ears.in(CHANNEL).flatMap(({ text }) => (text.startsWith("<ann") ? [text.slice(text.indexOf("> ") + 2)] : []));
  return await eventually(
    () => Promise.resolve(lines()),
    (heard) => heard.includes(line),
    () => `"${line}" among ${JSON.stringify(lines())}`,
    60_000,
  );
}

needs(["nats-server", "ngircd", "python3-irc"], () => {
  test("a log moves from one machine to several and back: nothing is lost or doubled, and all go on where they were", async () => {
    const scratch = mkdtempSync(path.join(os.tmpdir(), "rialto-move-"));
    onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
    const [nats, irc] = [await onStage(startNats(3)), await onStage(startNgircd())];
    const [home, node, back] = ["home", "node", "back"].map((name) => path.join(scratch, name)) as [
      string,
      string,
      string,
    ];
    const [out, again] = ["out", "again"].map((name) => path.join(scratch, name)) as [string, string];
    const cluster = { RIALTO_GENERAL_LOG: `nats://${nats.servers.join(",")}`, RIALTO_GENERAL_NODE: "n1" };
    const told = new Told();

    const wim = await onStage(pythonPerson({ port: irc.port, nick: "wim", channels: [CHANNEL] }));
    const single = await live({ env: {}, dataPath: home, irc });
    const created = ["token", "create", "--account", "api.two", "--quiet", "--data", home, "-conf", single.file];
    told.token = (await done({}, ...created)).trim();
    const [{ file }, one] = [single, new V1(single.url("api.one"))];
    await new V1(single.url("api.two"), told.token).send("PUT", "/v1/consumers/bot", { start: "all" }, 201);
    told.first = await one.say("square", "the first");
    await postAll(single.client("one"), numbered("home", 10));
    await read(single, told, 4);
    expect(await run({}, "log", "export", out, "--data", home, "-conf", file)).toMatchObject({ code: 75 });
    await linesUntil(wim, "keyed");
    await irc.kill();
    await postAll(single.client("one"), numbered("waiting", 20));
    await single.stop();
    const exported = await done({}, "log", "export", out, "--data", home, "-conf", file);
    expect(exported).toMatch(/entries: 32, marks: \d+, .+ SHA-256 [0-9a-f]{64}\n/u);
    expect(await run(cluster, "log", "import", out, "--data", home, "-conf", file)).toMatchObject({
      code: 73,
      output: expect.stringContaining("has a log already (log.sqlite)") as string,
    });
    expect(await done(cluster, "log", "import", out, "--data", node, "-conf", file)).toMatch(/RIALTO_0: entries: 32/u);
    expect(existsSync(node) ? readdirSync(node) : []).toEqual([]);

    const several = await live({ env: cluster, dataPath: node, irc });
    await read(several, told, 15);
    const there = new V1(several.url("api.one"));
    await there.send("PATCH", `/v1/messages/${told.first}`, { text: "the first, edited" });
    await there.say("square", "a reply", { reply_to: told.first });
    await postAll(several.client("one"), numbered("node", 5));
    expect(await run(cluster, "log", "export", again, "--data", node, "-conf", file)).toMatchObject({ code: 75 });
    await several.stop();
    const all = await done(cluster, "log", "export", again, "--data", node, "-conf", file);
    expect(all).toMatch(/entries: 39, [^]+the stream RIALTO_0 of .+: all that the servers have\.\n/u);
    expect(await done({}, "log", "import", again, "--data", back, "-conf", file)).toMatch(
      /back\/log\.sqlite: entries: 39/u,
    );

    await irc.restart();
    const pia = await onStage(pythonPerson({ port: irc.port, nick: "pia", channels: [CHANNEL] }));
    const last = await live({ env: {}, dataPath: back, irc });
    await postAll(last.client("one"), ["the end"]);
    await read(last, told, 1000);
    const heard = await linesUntil(pia, "the end");
    await last.stop();
    const said = [...numbered("home", 10), "keyed", ...numbered("waiting", 20)];
    const later = ["the first, edited", "a reply", ...numbered("node", 5), "the end"];
    expect(told.polled).toEqual(["the first", ...said, ...later]);
    expect(told.pulled).toEqual(["the first", ...said, ...later]);
    expect(told.ids.map(Number)).toEqual([...new Set(told.ids.map(Number))].toSorted((a, b) => a - b));
    // Whom a reply answers, and that it is an edit, is known from before the move.
    const shown = later.map((text) => ({ "the first, edited": `* ${text}`, "a reply": `ann: ${text}` })[text] ?? text);
    expect(heard).toEqual([...numbered("waiting", 20), ...shown]);
  });
});

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { connectNats } from "../../src/log/nats/connect.ts";
import { openStream } from "../../src/log/nats/stream.ts";
import { logFile } from "../../src/log/sqlite/database.ts";
import { gateway, numbered, postAll } from "../irc/world.ts";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { type NatsCluster, startNats } from "../servers/nats/server.ts";
import type { Person } from "../servers/people/person.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { ApiClient } from "../support/client.ts";
import { freePorts } from "../support/ports.ts";
import { type Program, startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";

const CHANNEL = "#square";

/** One machine of several: the built program with a data folder and addresses of its own. */
interface Machine {
  readonly program: Program;
  readonly dataPath: string;
  /** Its configuration. */
  readonly file: string;
  readonly client: (account: "one" | "two") => ApiClient;
  /** What `rialto status` prints. */
  readonly status: () => Promise<string>;
}

async function machine(
  node: string,
  world: {
    readonly nats: Pick<NatsCluster, "servers">;
    readonly ircPort: number;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Machine> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `rialto-${node}-`));
  const dataPath = path.join(folder, "data");
  const [one = 0, two = 0] = await freePorts(2);
  const ports = { one, two };
  const irc = { net: { port: world.ircPort, channel: CHANNEL, settings: "MessageDelay = 20" } };
  const bridges = gateway({ irc, api: ["one", "two"] }).replaceAll(/^\[api\.(one|two)\]$/gm, (header, name: string) => {
    return `${header}\nBindAddress = "127.0.0.1:${name === "one" ? one : two}"`;
  });
  const file = path.join(folder, "rialto.toml");
  writeFileSync(file, `[general]\nLog = "nats://${world.nats.servers.join(",")}"\n${bridges}`);
  const program = startProgram(folder, ["-conf", file], {
    ...world.env,
    RIALTO_GENERAL_NODE: node,
    RIALTO_GENERAL_DATAPATH: dataPath,
  });
  onTestFinished(async () => {
    program.child.kill("SIGCONT");
    program.child.kill("SIGKILL");
    await program.exited();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    program,
    dataPath,
    file,
    client: (account) => new ApiClient(`http://127.0.0.1:${ports[account]}`),
    status: async () => {
      const asked = startProgram(folder, ["status", "--data", dataPath]);
      await asked.exited();
      return asked.output();
    },
  };
}

/** Two of them: the first runs the accounts, and the second waits. */
async function two(servers = 1) {
  const nats = await onStage(startNats(servers));
  const server = await onStage(startNgircd());
  const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }));
  const world = { nats, ircPort: server.port };
  const first = await machine("n1", world);
  await first.program.prints(/Rialto runs/);
  const second = await machine("n2", world);
  await second.program.prints(/this node is a standby/);
  return { first, second, pia, nats };
}

/** What anna said, by whatever nick it came. */
async function linesOf(pia: Person, wanted: readonly string[]): Promise<readonly string[]> {
  const lines = (): string[] =>
    pia.ears.in(CHANNEL).flatMap(({ text }) => (text.startsWith("<anna> ") ? [text.slice("<anna> ".length)] : []));
  const last = wanted.at(-1) ?? "";
  await eventually(
    () => Promise.resolve(lines()),
    (heard) => heard.includes(last),
    () => `"${last}" among ${JSON.stringify(lines())}`,
    60_000,
  );
  return lines();
}

/** Texts that were on their way when a node ended, so that nobody knows whether they arrived. */
function unconfirmedIn(dataPath: string): readonly string[] {
  const db = new BetterSqlite3(logFile(dataPath), { readonly: true });
  try {
    const sql = "SELECT payload FROM receipt JOIN entry USING (seq) WHERE state = 'unconfirmed'";
    const payloads = db.prepare<[], string>(sql).pluck().all();
    return payloads.map((payload) => (JSON.parse(payload) as { readonly text: string }).text);
  } finally {
    db.close();
  }
}

/** Accounts that some node holds, or has held. */
function heldIn(dataPath: string): readonly string[] {
  const db = new BetterSqlite3(logFile(dataPath), { readonly: true });
  try {
    return db.prepare<[], string>("SELECT account FROM stream_epoch").pluck().all();
  } finally {
    db.close();
  }
}

needs(["nats-server", "ngircd", "python3-irc"], () => {
  test("when the one that runs is killed, the standby takes over: what was accepted arrives once, and readers go on where they were", async () => {
    const { first, second, pia, nats } = await two(3);
    const refused = await second.client("one").post({ text: "to a standby", username: "anna", gateway: "square" });
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("2");
    expect(refused.text).toContain("standby");
    expect(await second.status()).toContain("This machine (n2) is a standby: n1 runs the accounts.");
    expect(await first.status()).toContain("This machine (n1) runs the accounts");

    const read = numbered("read", 10);
    const before = numbered("before", 60);
    const after = numbered("after", 10);
    await postAll(first.client("one"), read);
    const told = async (client: ApiClient): Promise<readonly string[]> =>
      (await client.texts()).filter((text) => /^(?:read|before|after) /u.test(text));
    expect(await told(first.client("two"))).toEqual(read);
    // Once it is asked again, it is on the disk that these were taken.
    expect(await told(first.client("two"))).toEqual([]);
    await postAll(first.client("one"), before);
    first.program.child.kill("SIGKILL");
    const begun = performance.now();
    await second.program.prints(/Rialto runs/);
    console.log(`figures: taken over ${Math.round(performance.now() - begun)} ms after kill -9`);
    await postAll(second.client("one"), after);
    const wanted = [...read, ...before, ...after];
    const lines = await linesOf(pia, wanted);
    expect(await told(second.client("two"))).toEqual([...before, ...after]);
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
    expect(lines).toEqual([...new Set(lines)]);
    const unconfirmed = unconfirmedIn(second.dataPath);
    expect(wanted.filter((text) => !lines.includes(text) && !unconfirmed.includes(text))).toEqual([]);
    expect(lines).toEqual(wanted.filter((text) => lines.includes(text)));
    const nc = await connectNats({ servers: nats.servers, node: "test", auth: null, tls: null });
    const { jsm, name } = await openStream(nc, "0", 1);
    for (const stream of [name, `OBJ_${name}`]) {
      expect((await jsm.streams.info(stream)).config.num_replicas).toBe(3);
    }
    await nc.close();
  });

  test("one that is stopped hands over at once, and what waits is delivered by the other, as its configuration is then", async () => {
    const { first, second, pia } = await two();
    const before = numbered("before", 100);
    const [port = 0] = await freePorts(1);
    const bridges = `inout = [{ account = "api.three" }, { account = "api.two" }]`;
    const more = `[api.three]\nBindAddress = "127.0.0.1:${port}"\n[[gateway]]\nname = "more"\nenable = true\n${bridges}\n`;
    appendFileSync(second.file, more);
    await postAll(first.client("one"), before);
    first.program.child.kill("SIGTERM");
    expect(await first.program.exited()).toBe(0);
    const begun = performance.now();
    await second.program.prints(/"gateways":2,.*Rialto runs/);
    console.log(`figures: taken over ${Math.round(performance.now() - begun)} ms after the end of the first`);
    await postAll(second.client("one"), ["after"]);
    const lines = await linesOf(pia, ["after"]);
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
    expect(unconfirmedIn(second.dataPath)).toEqual([]);
    expect(heldIn(second.dataPath)).toContain("api.three");
    expect(lines).toEqual([...before, "after"]);
  });

  test("one that stands still and wakes doubles nothing, takes nothing more, and ends", async () => {
    const { first, second, pia } = await two();
    const before = numbered("before", 60);
    await postAll(first.client("one"), before);
    first.program.child.kill("SIGSTOP");
    await second.program.prints(/Rialto runs/);
    const after = numbered("after", 10);
    await postAll(second.client("one"), after);
    // Not answered yet: it has it in its socket when it wakes.
    const late = first
      .client("one")
      .post({ text: "late", username: "anna" })
      .catch(() => null);
    first.program.child.kill("SIGCONT");
    expect(await first.program.exited()).toBe(75);
    expect(first.program.output()).toContain("n2 has taken over");
    expect((await late)?.status).not.toBe(200);
    await postAll(second.client("one"), ["end"]);
    const lines = await linesOf(pia, ["end"]);
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
    expect(lines).toEqual([...new Set(lines)]);
    const wanted = [...before, ...after, "end"];
    const unconfirmed = unconfirmedIn(second.dataPath);
    expect(lines.filter((text) => !wanted.includes(text))).toEqual([]);
    expect(wanted.filter((text) => !lines.includes(text) && !unconfirmed.includes(text))).toEqual([]);
  });

  test("servers that do not let it in, or are not there, are told with what to do, and without a secret", async () => {
    const nats = await onStage(startNats(1, 'authorization { token: "right" }'));
    const [none = 0, ircPort = 0] = await freePorts(2);
    const token = { RIALTO_GENERAL_LOGTOKEN: "a wrong secret" };
    const password = { RIALTO_GENERAL_LOGUSER: "rialto", RIALTO_GENERAL_LOGPASSWORD: "a wrong secret" };
    for (const [servers, env] of [[nats.servers, token] as const, [[`127.0.0.1:${none}`], password] as const]) {
      const { program } = await machine("n1", { nats: { servers }, ircPort, env });
      expect(await program.exited()).toBe(69);
      expect(program.output()).toContain(`None of the servers of the log (${servers.join(", ")}) takes a connection`);
      expect(program.output()).toContain("LogCredentials say");
      expect(program.output()).not.toContain("a wrong secret");
    }
  });

  test("a standby can be stopped, and so can both when the servers are gone", async () => {
    const { first, second, nats } = await two();
    for (const server of nats.nodes) server.signal("SIGKILL");
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
    first.program.child.kill("SIGTERM");
    expect(await first.program.exited()).toBe(0);
  });
});

import { once } from "node:events";
import { appendFileSync } from "node:fs";
import net from "node:net";
import { isDeepStrictEqual } from "node:util";
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
import { eventually } from "../support/wait.ts";
import { clusterOf, type Machine, startMachine } from "./machines.suite.ts";

const CHANNEL = "#square";

/** One with an IRC account and two of the API. */
interface BridgeMachine extends Machine {
  readonly node: string;
  readonly client: (account: "one" | "two") => ApiClient;
}

async function machine(
  node: string,
  world: {
    readonly nats: Pick<NatsCluster, "servers">;
    readonly ircPort: number;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<BridgeMachine> {
  const [one = 0, two = 0] = await freePorts(2);
  const ports = { one, two };
  const irc = { net: { port: world.ircPort, channel: CHANNEL, settings: "MessageDelay = 20" } };
  const bridges = gateway({ irc, api: ["one", "two"] }).replaceAll(/^\[api\.(one|two)\]$/gm, (header, name: string) => {
    return `${header}\nBindAddress = "127.0.0.1:${name === "one" ? one : two}"`;
  });
  const log = `[general]\nLog = "nats://${world.nats.servers.join(",")}"\n`;
  const started = startMachine(node, log + bridges, world.env);
  return { ...started, node, client: (account) => new ApiClient(`http://127.0.0.1:${ports[account]}`) };
}

/** Two of them, on real servers, once each account runs at one of them. */
async function two(servers = 1) {
  const nats = await onStage(startNats(servers));
  const server = await onStage(startNgircd());
  const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }));
  const world = { nats, ircPort: server.port };
  const first = await machine("n1", world);
  const second = await machine("n2", world);
  await Promise.all([first, second].map(({ program }) => program.prints(/Rialto runs/)));
  await runAt([first, second]);
  return { first, second, pia, nats, world };
}

/** Where each account runs, once all of them do, each at one of these machines, and all of these say the same. */
async function runAt(machines: readonly BridgeMachine[]): Promise<ReadonlyMap<string, string>> {
  const names = new Set(machines.map(({ node }) => node));
  const ask = async (): Promise<readonly (readonly (readonly [string, string | null])[])[]> =>
    await Promise.all(
      machines.map(async (each) =>
        ((await clusterOf(each))?.accounts ?? []).map(({ account, node }) => [account, node] as const),
      ),
    );
  const all = await eventually(
    ask,
    ([one = [], ...others]) =>
      one.length === 3 &&
      one.every(([, node]) => names.has(node ?? "")) &&
      others.every((other) => JSON.stringify(other) === JSON.stringify(one)),
    () => `each account to run at one of ${[...names].join(", ")}`,
    60_000,
  );
  return new Map((all[0] ?? []).map(([account, node]) => [account, node ?? ""]));
}

/** The machine that runs the account, and the other one. */
async function sidesOf(
  account: string,
  one: BridgeMachine,
  other: BridgeMachine,
): Promise<readonly [BridgeMachine, BridgeMachine]> {
  const node = (await runAt([one, other])).get(account);
  return node === one.node ? [one, other] : [other, one];
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

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : error);

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

needs(["nats-server", "ngircd", "python3-irc"], () => {
  test("when one is killed, the other takes over what it ran: what was accepted arrives once, and readers go on where they were", async () => {
    const { first, second, pia, nats } = await two(3);
    const [holder, other] = await sidesOf("irc.net", first, second);
    const read = numbered("read", 10);
    const before = numbered("before", 60);
    const after = numbered("after", 10);
    const told = async (client: ApiClient): Promise<readonly string[]> =>
      (await client.texts()).filter((text) => /^(?:read|before|after) /u.test(text));
    // At whichever machine: each passes on what another runs.
    await postAll(other.client("one"), read);
    expect(await told(holder.client("two"))).toEqual(read);
    // Once it is asked again, it is on the disk that these were taken.
    expect(await told(other.client("two"))).toEqual([]);
    await postAll(holder.client("one"), before);
    holder.program.child.kill("SIGKILL");
    const begun = performance.now();
    await runAt([other]);
    console.log(`figures: taken over ${Math.round(performance.now() - begun)} ms after kill -9`);
    await postAll(other.client("one"), after);
    const wanted = [...read, ...before, ...after];
    const lines = await linesOf(pia, wanted);
    expect(await told(other.client("two"))).toEqual([...before, ...after]);
    other.program.child.kill("SIGTERM");
    expect(await other.program.exited()).toBe(0);
    expect(lines).toEqual([...new Set(lines)]);
    const unconfirmed = unconfirmedIn(other.dataPath);
    expect(wanted.filter((text) => !lines.includes(text) && !unconfirmed.includes(text))).toEqual([]);
    expect(lines).toEqual(wanted.filter((text) => lines.includes(text)));
    const nc = await connectNats({ servers: nats.servers, node: "test", auth: null, tls: null });
    const { jsm, name } = await openStream(nc, "0", 1);
    for (const stream of [name, `OBJ_${name}`]) {
      expect((await jsm.streams.info(stream)).config.num_replicas).toBe(3);
    }
    await nc.close();
  });

  test("one that is stopped hands over at once, and what waits is delivered by the other", async () => {
    const { first, second, pia } = await two();
    const [holder, other] = await sidesOf("irc.net", first, second);
    const before = numbered("before", 100);
    await postAll(other.client("one"), before);
    holder.program.child.kill("SIGTERM");
    expect(await holder.program.exited()).toBe(0);
    const begun = performance.now();
    await runAt([other]);
    console.log(`figures: taken over ${Math.round(performance.now() - begun)} ms after the end of the other`);
    await postAll(other.client("one"), ["after"]);
    const lines = await linesOf(pia, ["after"]);
    other.program.child.kill("SIGTERM");
    expect(await other.program.exited()).toBe(0);
    expect(unconfirmedIn(other.dataPath)).toEqual([]);
    expect(lines).toEqual([...before, "after"]);
  });

  test("who asks for an account of the API while it is handed over waits, and is answered", async () => {
    const { first, second } = await two();
    const [holder, other] = await sidesOf("api.one", first, second);
    // Its client does not answer the close, for which that machine waits a second.
    const { port, host } = new URL(holder.client("one").url);
    const silent = net.connect(Number(port), "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void silent.destroy());
    silent.write(`GET /api/websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n`);
    silent.write("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    expect(String((await once(silent, "data"))[0])).toMatch(/^HTTP\/1\.1 101 /u);
    const answers: unknown[] = [];
    const { program } = holder;
    program.child.kill("SIGTERM");
    do {
      const post = { text: "while it is handed over", username: "anna", gateway: "square" };
      const answer = other.client("one").post(post);
      answers.push(await answer.then(({ status }) => status, codeOf));
      // The first may have waited until that machine has ended.
    } while (program.child.exitCode === null || answers.length < 2);
    expect(await program.exited()).toBe(0);
    // The first may have been passed on to the machine that stops, which refuses it or ends the connection.
    expect([200, 503, "ECONNRESET"]).toContain(answers[0]);
    expect([...new Set(answers.slice(1))]).toEqual([200]);
  });

  test("one that stands still and wakes doubles nothing, and takes part again", async () => {
    const { first, second, pia } = await two();
    const [holder, other] = await sidesOf("irc.net", first, second);
    const before = numbered("before", 60);
    await postAll(other.client("one"), before);
    holder.program.child.kill("SIGSTOP");
    await runAt([other]);
    const after = numbered("after", 10);
    await postAll(other.client("one"), after);
    holder.program.child.kill("SIGCONT");
    await runAt([first, second]);
    await postAll(holder.client("one"), ["end"]);
    const lines = await linesOf(pia, ["end"]);
    for (const { program } of [first, second]) {
      program.child.kill("SIGTERM");
      expect(await program.exited()).toBe(0);
    }
    expect(lines).toEqual([...new Set(lines)]);
    const wanted = [...before, ...after, "end"];
    const unconfirmed = unconfirmedIn(second.dataPath);
    expect(lines.filter((text) => !wanted.includes(text))).toEqual([]);
    expect(wanted.filter((text) => !lines.includes(text) && !unconfirmed.includes(text))).toEqual([]);
  });

  test("one that comes later gets its share, while messages go on", async () => {
    const { first, second, pia, world } = await two();
    const third = await machine("n3", world);
    await third.program.prints(/Rialto runs/);
    const said: string[] = [];
    const unknown = new Set<string>();
    const ofThird = async (): Promise<number> => {
      const text = `while it moves ${said.length + unknown.size}`;
      // While its account moves, a connection may end without an answer.
      const answer = await first
        .client("one")
        .post({ text, username: "anna", gateway: "square" })
        .catch(() => null);
      if (answer?.status === 200) said.push(text);
      else unknown.add(text);
      return (await clusterOf(third))?.nodes.find(({ name }) => name === "n3")?.accounts ?? 0;
    };
    await eventually(
      ofThird,
      (count) => count === 1,
      () => "the third machine to run an account",
      120_000,
    );
    await runAt([first, second, third]);
    await postAll(second.client("one"), ["end"]);
    const lines = await linesOf(pia, ["end"]);
    expect(lines.filter((text) => !unknown.has(text))).toEqual([...said, "end"]);
    expect(lines).toEqual([...new Set(lines)]);
  });

  test("a reload at each of them adds an account, which one of them runs and all serve", async () => {
    const { first, second } = await two();
    const ports = await freePorts(2);
    for (const [at, { file, program }] of [first, second].entries()) {
      const bridges = `inout = [{ account = "api.three" }, { account = "api.two" }]`;
      const more = `[api.three]\nBindAddress = "127.0.0.1:${ports[at]}"\n[[gateway]]\nname = "more"\nenable = true\n${bridges}\n`;
      appendFileSync(file, more);
      program.child.kill("SIGHUP");
      await program.prints(/the configuration was reloaded/);
    }
    const posted = async (port: number | undefined): Promise<number | null> => {
      const client = new ApiClient(`http://127.0.0.1:${port}`);
      const answer = await client.post({ text: `at ${port}`, username: "anna", gateway: "more" }).catch(() => null);
      return answer?.status ?? null;
    };
    for (const port of ports) {
      await eventually(
        () => posted(port),
        (status) => status === 200,
        () => `a post at ${port}`,
      );
    }
    expect(await first.client("two").texts()).toEqual(ports.map((port) => `at ${port}`));
    // Each hears of the other's configuration with its next heartbeat.
    await eventually(
      async () => (await clusterOf(second))?.nodes.map(({ isAlike }) => isAlike),
      (alike) => isDeepStrictEqual(alike, [true, true]),
      () => "both to know that they have the same configuration",
    );
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

  test("both can be stopped when the servers are gone", async () => {
    const { first, second, nats } = await two();
    for (const server of nats.nodes) server.signal("SIGKILL");
    second.program.child.kill("SIGTERM");
    expect(await second.program.exited()).toBe(0);
    first.program.child.kill("SIGTERM");
    expect(await first.program.exited()).toBe(0);
  });
});

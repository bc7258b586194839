import { expect, onTestFinished, test } from "vitest";
import { openDelivery } from "../../src/delivery/delivery.ts";
import { RemoteFiles } from "../../src/delivery/remote-files.ts";
import { MemoryLogger } from "../../src/delivery/scripted.suite.ts";
import type { Files } from "../../src/files/files.ts";
import { compileRoutes } from "../../src/gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../src/gateway/samples.suite.ts";
import type { Log } from "../../src/log/log.ts";
import { openAt, scratchFolder } from "../../src/log/sqlite/scratch.suite.ts";
import { CountingClock } from "../contract/recording-host.ts";
import { logWith } from "../sim/log-with.ts";
import { eventually } from "../support/wait.ts";
import { adapter } from "./toy/index.ts";
import { ToyPerson, toySettings } from "./toy-fixture.ts";
import { ToyServer } from "./toy-server.ts";

/** Nobody sends a file here. */
const NO_FILES: Files = {
  ready: () => Promise.reject(new Error("no file was sent")),
  open: () => Promise.reject(new Error("no file was sent")),
  keep: () => Promise.resolve(null),
  publish: () => Promise.resolve(null),
};

/** Two toy servers, one gateway between the room `one` of the first and `two` of the second; a person in each. */
async function twoServers(through: (log: Log) => Log = (log) => log) {
  const servers = [new ToyServer(), new ToyServer()] as const;
  const accounts = await Promise.all(
    servers.map(async (server, at) => {
      const settings = toySettings(server, await server.listen());
      return { ...anAccount(`toy.${at}`, { remoteNickFormat: "<{NICK}> " }), settings };
    }),
  );
  const config = aConfig([aGateway("g", ["inout toy.0 one", "inout toy.1 two"])], accounts);
  const delivery = await openDelivery({
    config,
    adapters: new Map([[adapter.manifest.protocol, adapter]]),
    routes: compileRoutes(config),
    log: through(await openAt(scratchFolder(), { durability: "process" })),
    files: NO_FILES,
    remoteFiles: new RemoteFiles(),
    logger: new MemoryLogger().logger,
    clock: new CountingClock(),
    random: () => 0,
  });
  onTestFinished(async () => {
    await delivery.quiesce();
    await delivery.close();
    await Promise.all(servers.map(async (server) => await server.stop()));
  });
  delivery.start();
  const rooms = ["one", "two"] as const;
  const people = rooms.map((name, at) => new ToyPerson(servers[at] ?? servers[0], () => ({ id: name, name })));
  for (const [at, room] of rooms.entries()) {
    await people[at]?.join({ name: room, options: {} });
    await eventually(
      () => Promise.resolve(servers[at]?.members(room).length),
      (count) => count === 2,
      () => `us in ${room}`,
    );
  }
  const [left, right] = people;
  if (left === undefined || right === undefined) throw new Error("there are two people");
  return { left, right };
}

/** Waits until the person sees these texts, and nothing else. */
async function sees(person: ToyPerson, channel: string, texts: readonly string[]): Promise<void> {
  const said = (): string[] => person.heard(channel).map(({ text }) => text);
  await eventually(
    () => Promise.resolve(said().join("\n")),
    (all) => all === texts.join("\n"),
    () => `${JSON.stringify(texts)}; there is ${JSON.stringify(said())}`,
  );
}

test("over the whole delivery: said, answered, edited, reacted to, taken back", async () => {
  const { left, right } = await twoServers();
  const first = await left.write("one", "hello");
  await sees(right, "two", ["<one> hello"]);
  const handle = right.heard("two")[0]?.handle ?? "";
  await right.write("two", "hello yourself", { reply: handle });
  await sees(left, "one", ["<two> hello yourself"]);
  expect(left.heard("one")[0]?.reply).toBe(first);
  await left.edit("one", first, "good morning");
  await sees(right, "two", ["<one> good morning"]);
  const answer = left.heard("one")[0]?.handle ?? "";
  await left.react("one", answer, "👍", true);
  await eventually(
    () => Promise.resolve(right.standing("two")),
    (standing) => standing.includes("👍"),
    () => "the reaction",
  );
  await left.erase("one", first);
  await sees(right, "two", []);
});

/**
 * A log on which no receipt with copies is written before `release`. `asked`: how often somebody looked for a message.
 */
class LateReceipts {
  asked = 0;
  readonly #released = Promise.withResolvers<void>();

  readonly through = (log: Log): Log =>
    logWith(log, {
      append: async (batch) => {
        if (batch.receipts?.some(({ copies }) => copies !== undefined) === true) await this.#released.promise;
        return await log.append(batch);
      },
      ids: {
        find: async (place, refs) => {
          this.asked += 1;
          return await log.ids.find(place, refs);
        },
        get: async (seq) => await log.ids.get(seq),
        refs: async (seq, lane) => await log.ids.refs(seq, lane),
        reactions: async (seq) => await log.ids.reactions(seq),
      },
    });

  /** Writes them a second after somebody has looked for one. */
  async release(): Promise<void> {
    await eventually(
      () => Promise.resolve(this.asked),
      (asked) => asked > 0,
      () => "somebody looks for a message",
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    this.#released.resolve();
  }
}

test("an answer to a copy of which the receipt is not written yet is still an answer", async () => {
  const log = new LateReceipts();
  const { left, right } = await twoServers(log.through);
  const first = await left.write("one", "hello");
  await sees(right, "two", ["<one> hello"]);
  await right.write("two", "hello yourself", { reply: right.heard("two")[0]?.handle ?? "" });
  await log.release();
  await sees(left, "one", ["<two> hello yourself"]);
  expect(left.heard("one")[0]?.reply).toBe(first);
});

test("a reaction to a copy of which the receipt is not written yet arrives", async () => {
  const log = new LateReceipts();
  const { left, right } = await twoServers(log.through);
  await left.write("one", "hello");
  await sees(right, "two", ["<one> hello"]);
  await right.react("two", right.heard("two")[0]?.handle ?? "", "👍", true);
  await log.release();
  await eventually(
    () => Promise.resolve(left.standing("one")),
    (standing) => standing.includes("👍"),
    () => "the reaction",
  );
});

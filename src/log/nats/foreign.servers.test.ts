import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../../test/servers/installed.ts";
import { connectNats } from "./connect.ts";
import { caughtUp, entriesOf, node, said, servers, stateOf } from "./nodes.suite.ts";
import type { NatsLog } from "./open.ts";

/** Nodes of one shard that keep their data folders over restarts, and somebody else at their servers. */
async function setting(count: number) {
  const cluster = await servers(count);
  const shard = randomUUID();
  const nc = await connectNats({ servers: cluster.servers, node: "stranger", auth: null, tls: null });
  onTestFinished(() => nc.close());
  const warnings = new Map<string, string[]>();
  const folders = new Map<string, string>();
  const start = async (name: string): Promise<NatsLog> => {
    const dataPath = folders.get(name) ?? mkdtempSync(join(tmpdir(), "rialto-log-"));
    folders.set(name, dataPath);
    const heard = warnings.get(name) ?? [];
    warnings.set(name, heard);
    return await node(cluster, name, { shard, dataPath, warn: ({ message }) => heard.push(message) });
  };
  onTestFinished(() => {
    for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
  });
  const jsm = await jetstreamManager(nc);
  const stream = `RIALTO_${shard}`;
  const lastPlace = async (): Promise<number> => (await jsm.streams.info(stream)).state.last_seq;
  const remove = async (place: number): Promise<unknown> =>
    await nc.request(`$JS.API.STREAM.MSG.DELETE.${stream}`, JSON.stringify({ seq: place }));
  return { nc, shard, start, warnings, lastPlace, remove };
}

const say = async (log: NatsLog, text: string): Promise<void> =>
  void (await log.append({ account: "a", entries: [said(text)] }));

const textsOf = async (log: NatsLog): Promise<readonly string[]> =>
  (await entriesOf(log)).map(({ payload }) => payload);

type Publish = (nc: NatsConnection, subject: string, own: string) => Promise<number>;
/** What another program may publish into the stream: each message is skipped. */
const FOREIGN: readonly (readonly [string, Publish])[] = [
  ["a text", (nc, subject) => store(nc, subject, "hello")],
  ["nothing", (nc, subject) => store(nc, subject, "")],
  ["binary data", (nc, subject) => store(nc, subject, Buffer.alloc(3000, 0xff))],
  ["headers of another program", (nc, subject) => withId(nc, subject, "order-7", "{}")],
  ["headers that are none", (nc, subject) => raw(nc, subject, "\u0000\u0001 no header\r\n: \r\n\r\n", "x")],
  ["a header without a version", (nc, subject) => raw(nc, subject, "\r\n\r\n", "x")],
  ["the id of a commit before a text", (nc, subject, own) => withId(nc, subject, `${own}/commit/900/1/1`, "hello")],
  ["the id of a commit before nothing", (nc, subject, own) => withId(nc, subject, `${own}/commit/901/1/1`, "")],
  ["a commit with wrong columns", (nc, subject, own) => withId(nc, subject, `${own}/commit/902/1/1`, WRONG)],
  ["the id of a claim before a text", (nc, subject) => withId(nc, subject, "x/y/claim/1/1/1", "hello")],
  ["the id of a vote before a text", (nc, subject) => withId(nc, subject, "x/y/vote/1/1/1", "hello")],
  ["an import", (nc, subject) => withId(nc, subject, "x/y/import/1/1/1", `{"sha256":"${"0a".repeat(32)}"}`)],
];
const WRONG =
  '\u0001{"is":"commit","at":0,"counts":[9],"subjects":[],"subjectOf":[],"labels":null,"payloads":[],"notes":null,"extras":[]}';

/** Stores a message in the stream and resolves with its place: the next message gets a later place. */
async function store(nc: NatsConnection, subject: string, body: string | Buffer, made?: MsgHdrs): Promise<number> {
  const answer = await nc.request(subject, body, { timeout: 10_000, ...(made && { headers: made }) });
  return answer.json<{ seq: number }>().seq;
}

async function withId(nc: NatsConnection, subject: string, id: string, body: string): Promise<number> {
  const made = headers();
  made.set("Nats-Msg-Id", id);
  return await store(nc, subject, body, made);
}

/** Bytes in place of headers, as only a client without checks sends them. */
async function raw(nc: NatsConnection, subject: string, block: string, body: string): Promise<number> {
  const made = headers();
  Object.assign(made, { encode: () => Buffer.from(block, "latin1") });
  return await store(nc, subject, body, made);
}

needs(["nats-server"], () => {
  describe.each([1, 3])("on %i servers", (count) => {
    test("nodes skip what others publish, report it once, and restart", async () => {
      const { nc, shard, start, warnings, remove } = await setting(count);
      const [one, two] = [await start("n1"), await start("n2")];
      await say(one, "before");
      for (const [index, [, publish]] of FOREIGN.entries()) {
        const writer = index % 2 === 0 ? one : two;
        await publish(nc, `r.b.${shard}`, `${one.fence.own.node}/${one.fence.own.run}`);
        await say(writer, `after ${index}`);
      }
      const expected = ["before", ...FOREIGN.map((_, index) => `after ${index}`)];
      await Promise.all([caughtUp(two, one), caughtUp(one, two)]);
      for (const log of [one, two]) {
        expect(await textsOf(log)).toEqual(expected);
        expect(log.streamFaults).toEqual({ skipped: FOREIGN.length, gaps: 0 });
      }
      expect(await stateOf(one)).toEqual(await stateOf(two));
      for (const heard of warnings.values()) {
        expect(new Set(heard)).toEqual(new Set([expect.stringContaining("another program wrote")]));
      }
      // The last message is a stranger's, then it is deleted: nodes start all the same, one of them without data.
      const last = await store(nc, `r.b.${shard}`, "last");
      await Promise.all([one.close(), two.close()]);
      const again = await start("n1");
      await remove(last);
      const [other, fresh] = [await start("n2"), await start("n3")];
      await say(again, "at last");
      await Promise.all([caughtUp(other, again), caughtUp(fresh, again)]);
      for (const log of [again, other, fresh]) expect(await textsOf(log)).toEqual([...expected, "at last"]);
      expect(await stateOf(fresh)).toEqual(await stateOf(again));
      expect([other, fresh].map((log) => log.streamFaults.gaps)).toEqual([0, 0]);
    });

    test("a commit that somebody has deleted is reported by each node that lacks it, and they go on", async () => {
      const { start, warnings, lastPlace, remove } = await setting(count);
      const one = await start("n1");
      const two = await start("n2");
      await say(one, "first");
      await caughtUp(two, one);
      await two.close();
      await say(one, "deleted");
      const place = await lastPlace();
      await say(one, "next");
      await remove(place);
      const back = await start("n2");
      const fresh = await start("n3");
      for (const [name, log] of [
        ["n2", back],
        ["n3", fresh],
      ] as const) {
        expect(await textsOf(log)).toEqual(["first", "next"]);
        expect(log.streamFaults).toEqual({ skipped: 0, gaps: 1 });
        const report = "Commits of the node n1 are missing";
        expect(warnings.get(name)).toEqual([expect.stringContaining(report)]);
      }
      await say(back, "more");
      await caughtUp(one, back);
      expect(await textsOf(one)).toEqual(["first", "deleted", "next", "more"]);
      expect(one.streamFaults).toEqual({ skipped: 0, gaps: 0 });
    });

    test("the last commit of a node that was deleted is reported when the node has started again", async () => {
      const { start, warnings, lastPlace, remove } = await setting(count);
      const one = await start("n1");
      await say(one, "deleted");
      const place = await lastPlace();
      await one.close();
      await remove(place);
      const again = await start("n1");
      const two = await start("n2");
      await say(again, "next");
      await caughtUp(two, again);
      expect(two.streamFaults).toEqual({ skipped: 0, gaps: 1 });
      expect(warnings.get("n2")).toEqual([expect.stringContaining("Commits of the node n1 are missing")]);
    });
  });
});

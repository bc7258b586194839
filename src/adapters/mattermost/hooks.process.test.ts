import { describe, expect, onTestFinished, test } from "vitest";
import { toldBy, until } from "../../../test/contract/life.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { freePorts } from "../../../test/support/ports.ts";
import { eventually } from "../../../test/support/wait.ts";
import { open } from "./session.ts";
import { mattermostSettings } from "./settings.suite.ts";
import type { MattermostSettings } from "./settings.ts";
import { mattermostTown } from "./town.suite.ts";

const signal = new AbortController().signal;

async function hooks(settings: Partial<MattermostSettings>) {
  const host = new RecordingHost();
  const [port = 0] = await freePorts(1);
  const given = mattermostSettings({ WebhookBindAddress: `127.0.0.1:${port}`, ...settings });
  const opened = await open({ settings: given, host, since: null, signal });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  onTestFinished(async () => await opened.session.close(signal));
  expect(await opened.session.join({ name: "town", options: {} }, signal)).toMatchObject({
    ok: true,
    without: ["edit", "delete", "react", "topic"],
  });
  const send = async (body: string, type = "application/x-www-form-urlencoded", method = "POST") =>
    await fetch(`http://127.0.0.1:${port}/`, {
      method,
      ...(method === "POST" && { body, headers: { "content-type": type } }),
    });
  return { host, port, send, session: opened.session };
}

test.each([true, false])("what an outgoing webhook of the server posts is told, as JSON: %j", async (json) => {
  const { server, team, channel, alice } = await mattermostTown();
  const { host, port } = await hooks({ WebhookToken: ["secret"] });
  const url = `http://127.0.0.1:${port}/`;
  server.world.outgoing.push({ token: "secret", team: team.id, channel: channel.id, words: [], json, url });
  await alice.say(channel, "hello & *more*");
  await until(host, "alice: hello & *more*");
  expect(host.posted[0]).toMatchObject({ messages: [], channel: "town", author: { id: alice.id } });
});

test("what has no token or another, is no post, or is too long is refused", async () => {
  const { host, send } = await hooks({ WebhookToken: ["secret"] });
  const form = "channel_name=town&user_name=alice&text=hi";
  const answers = [
    await send(form),
    await send(`${form}&token=other`),
    await send("{", "application/json"),
    await send(`${form}&token=secret`, "text/plain"),
    await send("", "", "GET"),
    await send(`${form}&token=secret`),
    await send(`${form}&token=secret`.replace("town", "elsewhere")),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 200, 200]);
  const long = await send(`${form}&token=secret${"x".repeat(2 << 20)}`).catch(() => ({ status: 413 }));
  expect(long.status).toBe(413);
  expect(toldBy(host)).toEqual(["alice: hi"]);
});

test("it is acknowledged when it is on disk", async () => {
  const { host, send } = await hooks({});
  host.hold();
  let status = 0;
  const answered = send("channel_name=town&user_name=alice&text=hi&token=x").then((answer) => (status = answer.status));
  await eventually(
    async () => await Promise.resolve(host.pending),
    (pending) => pending === 1,
    () => "the post to wait",
  );
  expect(status).toBe(0);
  host.release();
  expect(await answered).toBe(200);
});

describe("what comes before the channels are joined", () => {
  async function early() {
    const clock = new FakeClock();
    const host = new RecordingHost(clock);
    const [port = 0] = await freePorts(1);
    const settings = mattermostSettings({ WebhookBindAddress: `127.0.0.1:${port}` });
    const opened = await open({ settings, host, since: null, signal });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    onTestFinished(async () => await opened.session.close(signal));
    const body = new URLSearchParams({ token: "x", channel_name: "town", user_name: "alice", text: "hi" });
    const answer = fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
    await eventually(
      async () => await Promise.resolve(clock.waiting),
      (waiting) => waiting === 1,
      () => "the post to wait",
    );
    return { clock, host, answer, session: opened.session };
  }

  test("waits for them", async () => {
    const { host, answer, session } = await early();
    for (const name of ["square", "town"]) await session.join({ name, options: {} }, signal);
    expect((await answer).status).toBe(200);
    expect(toldBy(host)).toEqual(["alice: hi"]);
  });

  test("is refused when they are not joined in time, and the log says so", async () => {
    const { clock, host, answer, session } = await early();
    await clock.advance(20_000);
    expect((await answer).status).toBe(503);
    expect(host.records.map(({ level }) => level)).toEqual(["warn"]);
    await session.join({ name: "town", options: {} }, signal);
    expect(toldBy(host)).toEqual([]);
  });
});

test("an address that is taken is said", async () => {
  const { port } = await hooks({});
  const settings = mattermostSettings({ WebhookBindAddress: `127.0.0.1:${port}` });
  const opened = await open({ settings, host: new RecordingHost(), since: null, signal });
  const message = expect.stringMatching(/another program listens there; choose another port/u) as string;
  expect(opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { message } } });
});

import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { toml } from "../support/config.ts";
import { connectRaw, rawRequest } from "../support/raw.ts";
import { expectWhole } from "../support/shape.ts";
import { launch, useRialto, useRooms } from "../support/suite.ts";
import { eventually } from "../support/wait.ts";

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);

describe("the answer of GET /api/messages", () => {
  const room = useRooms(15);

  test("is [] and a newline when nothing is waiting", async () => {
    const { reader } = room();
    const answer = await reader.request("/api/messages");
    expect([answer.status, answer.reason, answer.text]).toEqual([200, "OK", "[]\n"]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  test("is a compact array and a newline", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "one, two", username: "bob" });
    await sender.say({ text: "three", username: "bob" });
    const { text } = await reader.request("/api/messages");
    expect(text).toBe(`${JSON.stringify(JSON.parse(text))}\n`);
  });

  test("holds whole messages that describe their origin", async () => {
    const { sender, reader, gateway, senderAccount } = room();
    await sender.say({ text: "hello", username: "bob", userid: "u1", avatar: "https://example.org/a.png" });
    const messages = await reader.poll();
    expect(messages).toHaveLength(1);
    expectWhole(messages[0]);
    expect(messages[0]).toMatchObject({
      text: "hello",
      channel: "api",
      username: "bob",
      userid: "u1",
      avatar: "https://example.org/a.png",
      account: senderAccount,
      event: "",
      protocol: "api",
      gateway,
      parent_id: "",
      id: "",
      Extra: null,
    });
  });

  test("has the oldest first", async () => {
    const { sender, reader } = room();
    const texts = numbered("m", 30);
    for (const text of texts) await sender.say({ text });
    expect(await reader.texts()).toEqual(texts);
  });

  test("shows a message that was answered 200 at once", async () => {
    const { sender, reader } = room();
    for (const text of numbered("now", 20)) {
      await sender.say({ text });
      expect(await reader.texts()).toEqual([text]);
    }
  });

  test("is [] on the second read", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "once" });
    expect(await reader.texts()).toEqual(["once"]);
    expect(await reader.poll()).toEqual([]);
    expect((await reader.request("/api/messages")).text).toBe("[]\n");
  });

  test("does not change for being read by another account of the gateway", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "for the reader" });
    expect(await sender.poll()).toEqual([]);
    expect(await reader.texts()).toEqual(["for the reader"]);
  });

  test("never shows an account its own posts", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "mine" });
    await reader.say({ text: "theirs" });
    expect(await sender.texts()).toEqual(["theirs"]);
  });

  test("does not depend on query parameters or a Content-Type", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "asked" });
    const answer = await reader.request("/api/messages?limit=0&x=%F0", { headers: { "Content-Type": "text/html" } });
    expect((answer.json() as Message[]).map((message) => message.text)).toEqual(["asked"]);
  });

  test("is plain for a client of HTTP/1.0", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "old" });
    const connection = await connectRaw(reader.url);
    connection.send("GET /api/messages HTTP/1.0\r\n\r\n");
    const text = (await connection.untilClosed()).toString("utf8");
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).not.toMatch(/transfer-encoding/i);
    const body = text.slice(text.indexOf("\r\n\r\n") + 4);
    expect((JSON.parse(body) as Message[]).map((message) => message.text)).toEqual(["old"]);
  });

  test("comes in order for requests in one go on one connection", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "first" });
    const connection = await connectRaw(reader.url);
    const one = `GET /api/messages HTTP/1.1\r\nHost: ${new URL(reader.url).host}\r\n\r\n`;
    connection.send(one + one);
    const first = await connection.answer();
    expect((JSON.parse(first.body.toString()) as Message[]).map((message) => message.text)).toEqual(["first"]);
    await connection.until((bytes) => bytes.subarray(-3).toString() === "[]\n", "the second answer");
    connection.destroy();
  });

  test("does not double for two polls at once", async () => {
    const { sender, reader } = room();
    const texts = numbered("p", 100);
    const answers: Message[][] = [];
    for (let at = 0; at < texts.length; at += 10) {
      await Promise.all(texts.slice(at, at + 10).map(async (text) => await sender.say({ text })));
      answers.push(...(await Promise.all(Array.from({ length: 6 }, async () => await reader.poll()))));
    }
    const seen = answers.flat().map((message) => message.text);
    expect(seen.toSorted()).toEqual(texts.toSorted());
  });
});

describe("Buffer", () => {
  const accounts = { sender: {}, small: { Buffer: 3 }, usual: {}, zero: { Buffer: 0 }, large: { Buffer: 50 } };
  const rialto = useRialto({ config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }) });

  test("is the number of newest messages kept: 3, 10 by default and for 0, 50; and it keeps its size for life", async () => {
    for (const round of ["a", "b", "c"]) {
      const texts = numbered(round, 60);
      for (const text of texts) await rialto().client("sender").say({ text });
      expect(await rialto().client("small").texts()).toEqual(texts.slice(-3));
      expect(await rialto().client("usual").texts()).toEqual(texts.slice(-10));
      expect(await rialto().client("zero").texts()).toEqual(texts.slice(-10));
      expect(await rialto().client("large").texts()).toEqual(texts.slice(-50));
    }
  });

  test("says in its log that messages fell out of it, and not once per message", async () => {
    for (const text of numbered("lost", 60)) await rialto().client("sender").say({ text });
    const before = rialto().output().length;
    await rialto().client("small").poll();
    const about = await eventually(
      async () => rialto().output().slice(before).split("\n").concat(rialto().output().split("\n")),
      (lines) => lines.some((line) => line.includes("api.small")),
      () => "a line about api.small",
    );
    expect(
      rialto()
        .output()
        .split("\n")
        .filter((line) => line.includes("api.small")).length,
    ).toBeLessThan(10);
    expect(about.join("\n")).toMatch(/57|skipped/);
  });
});

describe("across a restart", () => {
  const config = toml({
    accounts: { sender: {}, reader: { Buffer: 100 } },
    gateways: { g: { inout: ["sender", "reader"] } },
  });

  test("what was not read is still there, what was read does not come back", async () => {
    const first = await launch({ config });
    await first.client("sender").say({ text: "read before" });
    expect(await first.client("reader").texts()).toEqual(["read before"]);
    await first.client("sender").say({ text: "unread 1" });
    await first.client("sender").say({ text: "unread 2" });
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    const second = await launch({ config, dataPath: first.dataPath });
    expect(await second.client("reader").texts()).toEqual(["unread 1", "unread 2"]);
    expect(await second.client("reader").poll()).toEqual([]);
  });

  test("kill -9 loses nothing that was answered", async () => {
    const first = await launch({ config });
    for (const text of numbered("k", 20)) await first.client("sender").say({ text });
    expect(await first.kill9()).toEqual({ code: null, signal: "SIGKILL" });
    const second = await launch({ config, dataPath: first.dataPath });
    expect(await second.client("reader").texts()).toEqual(numbered("k", 20));
  });

  test("an account that is new in the configuration is not handed what was said before it", async () => {
    const first = await launch({ config });
    await first.client("sender").say({ text: "before" });
    await first.stop();
    const accounts = { sender: {}, reader: {}, late: {} };
    const second = await launch({
      config: toml({ accounts, gateways: { g: { inout: Object.keys(accounts) } } }),
      dataPath: first.dataPath,
    });
    await second.client("sender").say({ text: "after" });
    expect(await second.client("late").texts()).toEqual(["after"]);
    expect(await second.client("reader").texts()).toEqual(["before", "after"]);
  });
});

describe("a request for messages", () => {
  const room = useRooms(1);

  test("is answered with the literal status line HTTP/1.1 200 OK and a length", async () => {
    const { reader } = room();
    const answer = await rawRequest(reader.url, "GET /api/messages HTTP/1.1\r\nhOsT: localhost\r\n\r\n");
    expect(answer.statusLine).toBe("HTTP/1.1 200 OK");
    expect(answer.headers.get("content-length")).toBe("3");
  });
});

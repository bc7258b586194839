import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { expectError, expectGreeting, expectWhole } from "../support/shape.ts";
import { type ApiSocket, openSocket } from "../support/socket.ts";
import { launch, useRialto, useRooms } from "../support/suite.ts";
import { within } from "../support/wait.ts";

const room = useRooms(33);

describe("from the service", () => {
  test("the greeting is the first text frame, one whole object", async () => {
    const socket = await openSocket(`${room().reader.url}/api/websocket`);
    const frame = await socket.nextFrame();
    expect(frame.binary).toBe(false);
    expectGreeting(JSON.parse(frame.data));
    await socket.close();
  });

  test("each message is one text frame of compact JSON", async () => {
    const { sender, reader, senderAccount, gateway } = room();
    const socket = await reader.socket();
    for (const text of ["a", "b", "c"]) await sender.say({ text, username: "bob" });
    for (const text of ["a", "b", "c"]) {
      const frame = await socket.nextFrame();
      const message = JSON.parse(frame.data) as object;
      expectWhole(message);
      expect(message).toMatchObject({ text, username: "bob", account: senderAccount, gateway });
      expect(frame.data.trimEnd()).toBe(JSON.stringify(message));
    }
    expect(socket.frames.every((frame) => !frame.binary)).toBe(true);
    await socket.close();
  });

  test("the first one of an account has no history, and neither polls nor streams lose by it", async () => {
    const { sender, reader } = room();
    await sender.say({ text: "before" });
    const socket = await reader.socket();
    await sender.say({ text: "after" });
    expect((await socket.next()).text).toBe("after");
    const stream = await reader.stream();
    expect(await stream.texts(2)).toEqual(["before", "after"]);
    expect(await reader.texts()).toEqual(["before", "after"]);
    await Promise.all([socket.close(), stream.close()]);
  });

  test("every socket of the account gets every message", async () => {
    const { sender, reader } = room();
    const sockets = await Promise.all(Array.from({ length: 4 }, async () => await reader.socket()));
    await sender.say({ text: "to all" });
    for (const socket of sockets) expect((await socket.next()).text).toBe("to all");
    await Promise.all(sockets.map(async (socket) => await socket.close()));
  });

  test("a ping is answered with its payload", async () => {
    const socket = await room().reader.socket();
    expect(await socket.ping("are you there")).toBe("are you there");
    await socket.close();
  });

  test("a request without upgrade is 400 with a JSON message", async () => {
    expectError(await room().reader.request("/api/websocket"), 400, /websocket/i);
  });
});

describe("where a WebSocket starts", () => {
  const texts = async (socket: ApiSocket, count: number): Promise<string[]> => {
    const all: string[] = [];
    while (all.length < count) all.push((await socket.next()).text);
    return all;
  };

  test("one that is alone gets what was said since the last one closed", async () => {
    const { sender, reader } = room();
    for (const round of [1, 2, 3]) {
      const socket = await reader.socket();
      expect(await texts(socket, round === 1 ? 0 : 2)).toEqual(round === 1 ? [] : [`${round - 1} a`, `${round - 1} b`]);
      await sender.say({ text: `${round} live` });
      expect((await socket.next()).text).toBe(`${round} live`);
      await socket.close();
      await sender.say({ text: `${round} a` });
      await sender.say({ text: `${round} b` });
    }
  });

  test("one beside another is live from its beginning", async () => {
    const { sender, reader } = room();
    await (await reader.socket()).close();
    await sender.say({ text: "missed" });
    const first = await reader.socket();
    expect((await first.next()).text).toBe("missed");
    const second = await reader.socket();
    await sender.say({ text: "live" });
    expect((await first.next()).text).toBe("live");
    expect((await second.next()).text).toBe("live");
    await Promise.all([first.close(), second.close()]);
  });

  test("with ?backlog=0 it is live from its beginning, and what it passed over is not shown again", async () => {
    const { sender, reader } = room();
    await (await reader.socket()).close();
    await sender.say({ text: "missed" });
    const socket = await reader.socket("?backlog=0");
    await sender.say({ text: "live" });
    expect((await socket.next()).text).toBe("live");
    await socket.close();
    await sender.say({ text: "next" });
    const next = await reader.socket();
    expect((await next.next()).text).toBe("next");
    await next.close();
  });

  test("polls and streams neither take from its backlog nor lose by it", async () => {
    const { sender, reader } = room();
    await (await reader.socket()).close();
    for (const text of ["a", "b"]) await sender.say({ text });
    expect(await reader.texts()).toEqual(["a", "b"]);
    const socket = await reader.socket();
    expect(await texts(socket, 2)).toEqual(["a", "b"]);
    await sender.say({ text: "c" });
    expect(await texts(socket, 1)).toEqual(["c"]);
    const stream = await reader.stream();
    expect(await stream.texts(1)).toEqual(["c"]);
    expect(await reader.texts()).toEqual(["c"]);
    await Promise.all([socket.close(), stream.close()]);
  });

  test("a client that breaks the connection with unread messages gets them again", async () => {
    const { sender, reader } = room();
    const socket = await reader.socket();
    await sender.say({ text: "read" });
    expect((await socket.next()).text).toBe("read");
    socket.pause();
    // More than the client's own buffers hold, so that the kernel has the rest when it closes.
    for (const length of [300_000, 300_001]) await sender.say({ text: "x".repeat(length) });
    await socket.break();
    const next = await reader.socket();
    // What was read within the second before may come again.
    let text = (await next.next()).text;
    if (text === "read") text = (await next.next()).text;
    expect([text, (await next.next()).text].map(({ length }) => length)).toEqual([300_000, 300_001]);
    await next.close();
  });

  test("what another socket of the account says comes to those that are open, and is in no backlog", async () => {
    const { sender, reader } = room();
    const talker = await reader.socket();
    const other = await reader.socket();
    talker.post({ text: "ours" });
    expect((await other.next()).text).toBe("ours");
    await Promise.all([talker.close(), other.close()]);
    await sender.say({ text: "theirs" });
    const next = await reader.socket();
    expect((await next.next()).text).toBe("theirs");
    await next.close();
  });

  test("a backlog of many megabytes comes whole", async () => {
    const { sender, reader } = room();
    await (await reader.socket()).close();
    const filler = "x".repeat(1_000_000);
    for (let n = 0; n < 20; n += 1) await sender.say({ text: `${n} ${filler}` });
    const socket = await reader.socket();
    const got = await texts(socket, 20);
    expect(got.map((text) => Number(text.split(" ", 1)[0]))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    await socket.close();
  });
});

test.each(["stop", "kill9"] as const)(
  "a client that comes back after a restart (%s) has all 80 messages",
  async (end) => {
    const accounts = { sender: {}, reader: { Buffer: 100 } };
    const config = toml({ accounts, gateways: { g: { inout: ["sender", "reader"] } } });
    const all = Array.from({ length: 80 }, (_, n) => `m${n}`);
    const got: string[] = [];
    const take = async (socket: ApiSocket, last: string): Promise<void> => {
      while (got.at(-1) !== last) got.push((await socket.next()).text);
    };
    let rialto = await launch({ config });
    let socket = await rialto.client("reader").socket();
    for (const [n, text] of all.entries()) {
      await rialto.client("sender").say({ text });
      if (n === 20 || n === 60) {
        // Some were said after the client had gone, some before it comes again.
        await take(socket, text);
        await socket.break();
      }
      if (n === 40) {
        await rialto[end]();
        rialto = await launch({ config, dataPath: rialto.dataPath });
      }
      if (n === 30 || n === 50 || n === 70) {
        socket = await rialto.client("reader").socket();
        await take(socket, text);
      }
      if (n === 30) await socket.close();
    }
    await take(socket, "m79");
    await socket.close();
    expect(got.filter((text, at) => got.indexOf(text) === at)).toEqual(all);
    // A crash may repeat what was written in its last moment; nothing was.
    expect(got).toHaveLength(80);
  },
);

test("an account whose first WebSocket had nothing to take has had one, also after a restart", async () => {
  const accounts = { sender: {}, reader: {} };
  const config = toml({ accounts, gateways: { g: { inout: ["sender", "reader"] } } });
  const none = await launch({ config });
  await none.client("sender").say({ text: "before the first" });
  await none.stop();
  const first = await launch({ config, dataPath: none.dataPath });
  await (await first.client("reader").socket()).close();
  await first.client("sender").say({ text: "missed" });
  await first.stop();
  const second = await launch({ config, dataPath: none.dataPath });
  const socket = await second.client("reader").socket();
  expect((await socket.next()).text).toBe("missed");
  await socket.close();
});

describe("to the service", () => {
  test("a text frame is accepted as a POST is", async () => {
    const { sender, reader, gateway, senderAccount } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    socket.post({ text: "by frame", username: "bob", gateway, channel: "x", account: "y", protocol: "z", id: "1" });
    const message = await stream.next();
    expectWhole(message);
    expect(message).toMatchObject({
      text: "by frame",
      username: "bob",
      gateway,
      channel: "api",
      protocol: "api",
      id: "",
    });
    expect(message.account).toBe(senderAccount);
    await Promise.all([socket.close(), stream.close()]);
  });

  test("it comes back on the account's other sockets, not on its own, and not in the account's polls", async () => {
    const { sender, reader, senderAccount, gateway } = room();
    const socket = await sender.socket();
    const other = await sender.socket();
    socket.post({ text: "loop", username: "bob" });
    const message = await other.next();
    expectWhole(message);
    expect(message).toMatchObject({ text: "loop", username: "bob", account: senderAccount, gateway });
    await reader.say({ text: "sentinel" });
    expect((await socket.next()).text).toBe("sentinel");
    expect(await sender.texts()).toEqual(["sentinel"]);
    await Promise.all([socket.close(), other.close()]);
  });

  test("what the account POSTs does not come back on its sockets", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    await sender.say({ text: "posted" });
    await reader.say({ text: "sentinel" });
    expect((await socket.next()).text).toBe("sentinel");
    await socket.close();
  });

  test("frames far above 512 bytes pass", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    for (const size of [480, 600, 70_000, 5_000_000]) {
      socket.post({ text: "y".repeat(size) });
      expect((await stream.next()).text).toHaveLength(size);
    }
    await Promise.all([socket.close(), stream.close()]);
  });

  test("files arrive decoded, checked and measured", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    socket.post({ text: "", extra: { file: [{ Name: "a.txt", Data: "aGVsbG8=" }] } });
    const message = await stream.next();
    expectWhole(message);
    expect(message.Extra?.file[0]).toMatchObject({ Name: "a.txt", Data: "aGVsbG8=", Size: 5 });
    await Promise.all([socket.close(), stream.close()]);
  });

  test.for([
    ["broken JSON", '{"text":', /\d/],
    ["an array", "[]", /object/],
    ["a wrong type", '{"text":5}', /text/],
    ["an unknown gateway", '{"text":"x","gateway":"nowhere"}', /nowhere/],
    ["a reserved event", '{"text":"x","event":"failure"}', /event/],
    ["bad base64", '{"text":"x","Extra":{"file":[{"Name":"n","Data":"%%%"}]}}', /Data/],
  ] as const)("%s is answered by an error frame, and the connection goes on", async ([, data, mention]) => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    socket.send(data);
    const message = await socket.next();
    expectWhole(message);
    expect(message.event).toBe("api_error");
    expect(message.text).toMatch(mention);
    socket.post({ text: "better" });
    const polled = await within(until(reader.texts.bind(reader)), () => "the message after the error");
    expect(polled).toEqual(["better"]);
    await socket.close();
  });

  test("a binary frame is answered by an error frame, and the connection goes on", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    socket.send(Buffer.from('{"text":"binary"}'));
    expect(await socket.next()).toMatchObject({ event: "api_error" });
    socket.post({ text: "text" });
    expect((await stream.next()).text).toBe("text");
    await Promise.all([socket.close(), stream.close()]);
  });

  test("an empty message is no error and goes nowhere", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    socket.post({ text: "", username: "bob" });
    socket.post({ text: "something", username: "bob" });
    expect((await stream.next()).text).toBe("something");
    await reader.say({ text: "sentinel" });
    expect((await socket.next()).text).toBe("sentinel");
    await Promise.all([socket.close(), stream.close()]);
  });

  test("many frames in one go arrive in order", async () => {
    const { sender, reader } = room();
    const socket = await sender.socket();
    const stream = await reader.stream();
    const texts = Array.from({ length: 200 }, (_, n) => `f${n}`);
    for (const text of texts) socket.post({ text });
    expect(await stream.texts(texts.length)).toEqual(texts);
    await Promise.all([socket.close(), stream.close()]);
  });

  async function until(texts: () => Promise<string[]>): Promise<string[]> {
    for (;;) {
      const found = await texts();
      if (found.length > 0) return found;
    }
  }
});

describe("limits and rights", () => {
  const accounts = { small: { MaxBodySize: 2048 }, closed: { Token: "s3cret" }, listener: {} };
  const rialto = useRialto({
    config: toml({ accounts, gateways: { g: { inout: ["small", "closed"], out: ["listener"] } } }),
  });

  test("a frame over MaxBodySize closes the socket with 1009", async () => {
    const socket = await rialto().client("small").socket();
    socket.post({ text: "z".repeat(1500) });
    socket.post({ text: "z".repeat(3000) });
    expect(await within(socket.closed, () => "the close")).toMatch(/^1009/);
  });

  test("an account that may only receive gets an error frame that says so", async () => {
    const socket = await rialto().client("listener").socket();
    socket.post({ text: "may I", gateway: "g" });
    let answer = await socket.next();
    while (answer.event === "") answer = await socket.next();
    expect(answer).toMatchObject({ event: "api_error" });
    expect(answer.text).toMatch(/g/);
    await socket.close();
  });

  test("the upgrade needs the token in its Authorization header", async () => {
    const url = `${rialto().client("closed").url}/api/websocket`;
    await expect(openSocket(url)).rejects.toThrow(/refused: 401/);
    await expect(openSocket(url, { Authorization: "Bearer wrong" })).rejects.toThrow(/refused: 401/);
    await expect(openSocket(`${url}?token=s3cret`)).rejects.toThrow(/refused: 401/);
    const socket = await rialto().client("closed", "s3cret").socket();
    await socket.close();
  });

  test("an upgrade on another path is refused", async () => {
    const { url } = rialto().client("small");
    await expect(openSocket(`${url}/api/other`)).rejects.toThrow(/refused: 404/);
    await expect(openSocket(`${url}/api/websocket/`)).rejects.toThrow(/refused: 404/);
  });
});

import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { expectError, expectGreeting, expectWhole } from "../support/shape.ts";
import { openSocket } from "../support/socket.ts";
import { useRialto, useRooms } from "../support/suite.ts";
import { within } from "../support/wait.ts";

describe("from the service", () => {
  const room = useRooms(7);

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

  test("there is no history, and neither polls nor streams lose by it", async () => {
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

describe("to the service", () => {
  const room = useRooms(12);

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
    const { sender, reader } = bad();
    const socket = await sender.socket();
    await reader.poll();
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

  const shared = toml({ accounts: { sender: {}, reader: {} }, gateways: { g: { inout: ["sender", "reader"] } } });
  const badRialto = useRialto({ config: shared });
  const bad = () => ({ sender: badRialto().client("sender"), reader: badRialto().client("reader") });
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

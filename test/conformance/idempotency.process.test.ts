import { describe, expect, test } from "vitest";
import { toml } from "../support/config.ts";
import { expectError } from "../support/shape.ts";
import { launch, useRooms } from "../support/suite.ts";

const key = (value: string): Record<string, string> => ({ "Idempotency-Key": value });

describe("Idempotency-Key", () => {
  const room = useRooms(9);

  test("the same key with the same body gives the first answer, byte for byte, and one message", async () => {
    const { sender, reader } = room();
    const first = await sender.post({ text: "once", username: "bob" }, key("a"));
    const again = await sender.post({ text: "once", username: "bob" }, key("a"));
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
    expect(await reader.texts()).toEqual(["once"]);
  });

  test("the same key with another body is 422 and stores nothing", async () => {
    const { sender, reader } = room();
    await sender.post({ text: "first" }, key("a"));
    expectError(await sender.post({ text: "second" }, key("a")), 422, /Idempotency-Key/i);
    expect((await sender.post({ text: "first" }, key("a"))).status).toBe(200);
    expect(await reader.texts()).toEqual(["first"]);
  });

  test("a body that differs only in its file is another body", async () => {
    const { sender } = room();
    const withFile = (Data: string): object => ({ text: "x", Extra: { file: [{ Name: "n", Data }] } });
    expect((await sender.post({ ...withFile("QQ==") }, key("f"))).status).toBe(200);
    expectError(await sender.post({ ...withFile("Qg==") }, key("f")), 422);
  });

  test("different keys, and no key, are different messages", async () => {
    const { sender, reader } = room();
    for (const headers of [key("a"), key("b"), {}, {}]) await sender.post({ text: "same" }, headers);
    expect(await reader.texts()).toEqual(["same", "same", "same", "same"]);
  });

  test("keys are per account", async () => {
    const { sender, reader } = room();
    await sender.post({ text: "mine" }, key("shared"));
    expect((await reader.post({ text: "theirs" }, key("shared"))).status).toBe(200);
    expect(await sender.texts()).toEqual(["theirs"]);
    expect(await reader.texts()).toEqual(["mine"]);
  });

  test("ten at once with one key store one message and all get its answer", async () => {
    const { sender, reader } = room();
    const posts = Array.from({ length: 10 }, async () => await sender.post({ text: "race" }, key("r")));
    const answers = await Promise.all(posts);
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await reader.texts()).toEqual(["race"]);
  });

  test("a refused request does not use its key up", async () => {
    const { sender, reader } = room();
    expectError(await sender.post({ text: 5 }, key("k")), 400);
    expectError(await sender.post({ text: "x", gateway: "nowhere" }, key("k")), 404);
    expect((await sender.post({ text: "good" }, key("k"))).status).toBe(200);
    expect(await reader.texts()).toEqual(["good"]);
  });

  test("a form with a key is honoured too", async () => {
    const { sender, reader } = room();
    const headers = { ...key("form"), "Content-Type": "application/x-www-form-urlencoded" };
    const first = await sender.post("text=a+form", headers);
    expect((await sender.post("text=a+form", headers)).text).toBe(first.text);
    expect(await reader.texts()).toEqual(["a form"]);
  });

  test("an empty message with a key gets its first answer again", async () => {
    const { sender } = room();
    const first = await sender.post({ username: "bob" }, key("e"));
    const again = await sender.post({ username: "bob" }, key("e"));
    expect([again.status, again.text]).toEqual([200, first.text]);
  });
});

test("a key is remembered across kill -9", async () => {
  const config = toml({ accounts: { sender: {}, reader: {} }, gateways: { g: { inout: ["sender", "reader"] } } });
  const first = await launch({ config });
  const answer = await first.client("sender").post({ text: "durable" }, key("d"));
  expect(answer.status).toBe(200);
  await first.kill9();
  const second = await launch({ config, dataPath: first.dataPath });
  const again = await second.client("sender").post({ text: "durable" }, key("d"));
  expect([again.status, again.text]).toEqual([200, answer.text]);
  expectError(await second.client("sender").post({ text: "other" }, key("d")), 422);
  expect(await second.client("reader").texts()).toEqual(["durable"]);
});

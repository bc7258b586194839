import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import { TypingRequests } from "./typing-requests.ts";

const at = (name: string): ChannelRef => name as ChannelRef;

class Requests {
  readonly clock = new FakeClock();
  readonly sent: string[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #answers: PromiseWithResolvers<boolean>[] = [];
  readonly typing: TypingRequests;

  constructor(ends = true) {
    const send = async (channel: ChannelRef, on: boolean, signal: AbortSignal): Promise<boolean> => {
      this.sent.push(`${channel} ${on ? "on" : "off"}`);
      this.signals.push(signal);
      const answer = Promise.withResolvers<boolean>();
      this.#answers.push(answer);
      return await answer.promise;
    };
    this.typing = new TypingRequests({ clock: this.clock, lastsMs: 5_000, ends, send });
  }

  async answer(answer: boolean | Error = true): Promise<void> {
    const [next] = this.#answers.splice(0, 1);
    if (answer instanceof Error) next?.reject(answer);
    else next?.resolve(answer);
    await settled();
  }
}

test("one request at a time goes out for a channel, and off follows the on that it ends", async () => {
  const it = new Requests();
  for (const on of [true, true, false]) it.typing.show(at("a"), on);
  expect(it.sent).toEqual(["a on"]);
  await it.answer();
  expect(it.sent).toEqual(["a on", "a off"]);
  await it.answer();
  it.typing.show(at("a"), true);
  expect(it.sent.slice(2)).toEqual(["a on"]);
});

test("an on that came while one was under way is dropped", async () => {
  const it = new Requests();
  for (const on of [true, false, true]) it.typing.show(at("a"), on);
  await it.answer();
  expect([it.sent, it.clock.waiting]).toEqual([["a on"], 0]);
});

test.each([false, new Error("broken")])("a channel that answers %s rests for a minute", async (answer) => {
  const it = new Requests();
  it.typing.show(at("a"), true);
  await it.answer(answer);
  it.typing.show(at("a"), true);
  it.typing.show(at("b"), true);
  await it.clock.advance(60_000);
  it.typing.show(at("a"), true);
  expect(it.sent).toEqual(["a on", "b on", "a on"]);
});

test("four requests are under way at most", async () => {
  const it = new Requests();
  for (const name of ["a", "b", "c", "d", "e"]) it.typing.show(at(name), true);
  expect(it.sent).toHaveLength(4);
  await it.answer();
  it.typing.show(at("e"), true);
  expect(it.sent.at(-1)).toBe("e on");
});

test("off is not sent where the network ends it by itself", () => {
  const it = new Requests(false);
  it.typing.show(at("a"), false);
  expect(it.sent).toEqual([]);
});

test("a request that is not answered is given up, and all are at the end", async () => {
  const it = new Requests();
  it.typing.show(at("a"), true);
  await it.clock.advance(9_999);
  expect(it.signals[0]?.aborted).toBe(false);
  await it.clock.advance(1);
  expect(it.signals[0]?.aborted).toBe(true);
  it.typing.show(at("b"), true);
  it.typing.end();
  expect(it.signals[1]?.aborted).toBe(true);
  it.typing.show(at("c"), true);
  expect(it.sent).toEqual(["a on", "b on"]);
});

import { expect, onTestFinished, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { Ended } from "../../contract/session.ts";
import { type Json, numberIn, objectIn, textIn } from "../kit/json.ts";
import { apiOn, type TelegramGate, telegramGate } from "./gate.suite.ts";
import { TelegramPoll } from "./poll.ts";

interface Polling {
  readonly host: RecordingHost;
  readonly texts: string[];
  readonly ended: Promise<Ended>;
  readonly stop: () => void;
}

/** What comes is taken at once. */
function poll(gate: TelegramGate, isTaken: () => boolean = () => true): Polling {
  const host = new RecordingHost();
  const stop = new AbortController();
  const texts: string[] = [];
  let at = 0;
  const take = (update: Json): void => {
    texts.push(textIn(objectIn(update, "message"), "text") ?? "");
    if (isTaken()) at = numberIn(update, "update_id") ?? at;
  };
  const polling = new TelegramPoll({
    api: apiOn(gate, { host }),
    host,
    at: () => at,
    onUpdates: (updates) => {
      for (const update of updates) take(update);
    },
    ready: async () => await new Promise<boolean>((resolve) => setTimeout(resolve, 5, false)),
    signal: stop.signal,
  });
  onTestFinished(() => stop.abort());
  return { host, texts, ended: polling.run(), stop: () => stop.abort() };
}

const heard = async ({ texts }: Polling, text: string): Promise<void> => {
  await eventually(
    async () => await Promise.resolve(texts.includes(text)),
    (is) => is,
    () => `${text}; had ${texts.join()}`,
  );
};

test("what is said comes once, in order, and is confirmed", async () => {
  const gate = await telegramGate();
  const polling = poll(gate);
  for (let at = 0; at < 120; at += 1) gate.alice.say(gate.group, `line ${at}`);
  await heard(polling, "line 119");
  expect(polling.texts).toEqual(Array.from({ length: 120 }, (_, at) => `line ${at}`));
  gate.alice.say(gate.group, "live");
  await heard(polling, "live");
  await eventually(
    async () => await Promise.resolve(gate.server.updates.waiting(gate.bot)),
    (waiting) => waiting === 0,
    () => "all to be confirmed",
  );
  polling.stop();
  expect((await polling.ended).cause).toBe("asked");
});

test("what is not taken comes again", async () => {
  const gate = await telegramGate();
  let tries = 0;
  const polling = poll(gate, () => (tries += 1) > 2);
  gate.alice.say(gate.group, "again");
  await eventually(
    async () => await Promise.resolve(polling.texts.length),
    (count) => count === 3,
    () => "three times",
  );
});

test("a server in trouble is asked again, and that is said once it lasts", async () => {
  const gate = await telegramGate();
  gate.server.faults.fail({ path: "/getUpdates" }, 502, 2);
  const polling = poll(gate);
  gate.alice.say(gate.group, "after");
  await heard(polling, "after");
  expect(polling.host.doubts).toMatchObject([{ code: "remote_error" }, null]);
});

test("another program that asks, too, is named", async () => {
  const gate = await telegramGate();
  gate.server.refuse("getUpdates", 409, "Conflict: terminated by other getUpdates request");
  const polling = poll(gate);
  gate.alice.say(gate.group, "after");
  await heard(polling, "after");
  const message = expect.stringContaining("another program asks") as string;
  expect(polling.host.doubts).toMatchObject([{ code: "config", message }]);
});

/** Until the next question waits for its answer. */
async function waiting({ server }: TelegramGate, asked: number): Promise<void> {
  const count = (): number => server.requests.filter((one) => one === "POST /getUpdates").length;
  await eventually(
    async () => await Promise.resolve(count()),
    (now) => now > asked,
    () => "another poll",
  );
}

test.each([
  ["is cut", (gate: TelegramGate) => gate.server.wire.cut(), "lost"],
  ["is refused: the token was revoked", (gate: TelegramGate) => gate.server.revoke(gate.bot), "auth"],
])("a poll that %s ends the session", async (_, happens, cause) => {
  const gate = await telegramGate();
  const polling = poll(gate);
  gate.alice.say(gate.group, "before");
  await heard(polling, "before");
  await waiting(gate, 1);
  happens(gate);
  const ended = await polling.ended;
  expect(ended.cause).toBe(cause);
  expect(JSON.stringify(ended)).not.toContain(gate.bot.token);
});

test("a webhook that somebody sets ends the session with what to do", async () => {
  const gate = await telegramGate();
  const polling = poll(gate);
  gate.alice.say(gate.group, "before");
  await heard(polling, "before");
  gate.bot.webhook = "https://hooks.example.org/x";
  gate.alice.say(gate.group, "wakes the poll");
  expect(await polling.ended).toMatchObject({
    cause: "config",
    why: { message: expect.stringContaining("webhook") as string },
  });
});

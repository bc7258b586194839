import { expect, test, vi } from "vitest";
import { openSocket } from "../../../test/support/socket.ts";
import type { Appended, Batch } from "../../log/log.ts";
import { LogError } from "../../log/errors.ts";
import { UnknownOutcome } from "../../log/unknown-outcome.ts";
import { v1Stage, type V1Stage } from "./stage.suite.ts";

/** What is appended from now on is stored, and nobody is told so. Returns what ends that. */
function doubt({ log }: V1Stage): () => void {
  const appendThen = log.appendThen.bind(log);
  const mark = log.mark.bind(log);
  log.appendThen = (batch: Batch, done: (outcome: Appended | LogError) => void): void => {
    appendThen(batch, (outcome) => done(new UnknownOutcome("not known", Promise.resolve(outcome))));
  };
  log.mark = async (marks) => {
    await mark(marks);
    throw new LogError("unknown", "not known");
  };
  return () => Object.assign(log, { appendThen, mark });
}

const key = (value: string) => ({ headers: { "Idempotency-Key": value } });

test("a post that may be stored has no status, and is answered when it is repeated with its key", async () => {
  const stage = await v1Stage();
  const v1 = { ...key("a"), body: { text: "one" } };
  const api = { ...key("b"), body: { text: "two", gateway: "lobby" } };
  const end = doubt(stage);
  await expect(stage.ask("POST", "/v1/gateways/lobby/messages", v1)).rejects.toThrow("fetch failed");
  await expect(stage.ask("POST", "/api/message", api)).rejects.toThrow("fetch failed");
  end();
  expect(await stage.ask("POST", "/v1/gateways/lobby/messages", v1)).toMatchObject({ status: 201, body: {} });
  expect(await stage.ask("POST", "/api/message", api)).toMatchObject({ status: 200, body: { text: "two" } });
  expect(stage.log.head).toBe(2);
  expect(stage.logger.shown().filter((line) => line.startsWith("error"))).toEqual([]);
});

test.each([
  ["/api/websocket", { text: "one", gateway: "lobby" }],
  ["/v1/socket", { op: "post", id: "1", gateway: "lobby", text: "one" }],
])("%s is closed when a message may be stored, and nothing after it is taken", async (path, post) => {
  const stage = await v1Stage();
  const socket = await openSocket(stage.url.replace("http", "ws") + path);
  await socket.nextFrame();
  doubt(stage);
  socket.post(post);
  expect(await socket.closed).toMatch(/^1011 /u);
  expect(stage.log.head).toBe(1);
});

test("many frames of which nobody knows whether they are stored close the socket once", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  const stage = await v1Stage();
  const socket = await openSocket(`${stage.url.replace("http", "ws")}/v1/socket`);
  await socket.nextFrame();
  const waiting: ((outcome: LogError) => void)[] = [];
  stage.log.appendThen = (_batch, done) => {
    // All of one commit are told at once.
    if (waiting.push(done) < 20) return;
    for (const tell of waiting) tell(new UnknownOutcome("not known", new Promise(() => undefined)));
  };
  for (let id = 0; id < 20; id += 1) socket.post({ op: "post", id: `${id}`, gateway: "lobby", text: "one" });
  expect(await socket.closed).toMatch(/^1011 /u);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

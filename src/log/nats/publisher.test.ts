import { expect, onTestFinished, test, vi } from "vitest";
import { Publisher } from "./publisher.ts";
import type { CommitStream } from "./stream.ts";

const ID = { node: "n1", run: "r", is: "commit", number: 1 } as const;
const BODY = Buffer.from("commit");

/** Servers that answer each attempt with this error. */
function publisherOf(refusal: Error) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const attempts = vi.fn().mockRejectedValue(refusal);
  const status = async function* () {
    yield await new Promise<never>(() => undefined);
  };
  const stream = { nc: { status }, js: { publish: attempts }, subject: "s", name: "S" } as unknown as CommitStream;
  const publisher = new Publisher(stream);
  const outcome = vi.fn();
  const doubt = vi.fn();
  const publish = (): void => void publishOne();
  const publishOne = async (): Promise<void> => {
    outcome(await publisher.publish(ID, BODY, { isWanted: () => true, doubt }));
  };
  return { publisher, publish, attempts, outcome, doubt };
}

const withoutLeader = Object.assign(new Error("jetstream is not enabled"), { name: "JetStreamNotEnabled" });
const late = new Error("timeout");
const refused = expect.objectContaining({ code: "unreachable" }) as unknown;

test("a commit that the servers certainly lack is refused once the node is cut off", async () => {
  const { publisher, publish, outcome } = publisherOf(withoutLeader);
  publish();
  await vi.advanceTimersByTimeAsync(12_000);
  expect(outcome).not.toHaveBeenCalled();
  publisher.isCutOff = () => true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(outcome).toHaveBeenCalledExactlyOnceWith(refused);
});

test("a commit that the servers may have is not refused when the node is cut off", async () => {
  const { publisher, publish, outcome, doubt } = publisherOf(late);
  publish();
  await vi.advanceTimersByTimeAsync(1000);
  publisher.isCutOff = () => true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(outcome).not.toHaveBeenCalled();
  expect(doubt).not.toHaveBeenCalled();
});

test("a node that is cut off publishes no new commit, so that nothing more is in doubt", async () => {
  const { publisher, publish, attempts, outcome } = publisherOf(late);
  publisher.isCutOff = () => true;
  publish();
  await vi.advanceTimersByTimeAsync(1000);
  expect(outcome).toHaveBeenCalledExactlyOnceWith(refused);
  expect(attempts).not.toHaveBeenCalled();
});

test("appends that wait behind a commit are refused at once while the node is cut off", () => {
  const { publisher } = publisherOf(late);
  expect(publisher.patienceMs).toBe(15_000);
  publisher.isCutOff = () => true;
  expect(publisher.patienceMs).toBe(0);
});

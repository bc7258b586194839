import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { emptyDisk, MemoryLog } from "../../delivery/memory-log.suite.ts";
import { MemoryLogger } from "../../delivery/scripted.suite.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../gateway/samples.suite.ts";
import type { View } from "../../gateway/view.ts";
import { ApiAccount, type PollAnswer } from "./account.ts";

const OWN = anAccount("api.own");
const SUBJECT = "net.a/#x";
const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** The readers of an account that is in a gateway with a network; `disk.writing`: no commit ends before it. */
async function open() {
  const disk: { writing: PromiseWithResolvers<void> | null } = { writing: null };
  const stored = emptyDisk();
  const account = await ApiAccount.open({
    account: OWN,
    buffer: 100,
    log: new MemoryLog(stored, async () => await disk.writing?.promise),
    routes: compileRoutes(aConfig([aGateway("g", [`inout ${SUBJECT.replace("/", " ")}`, "inout api.own api"])], [OWN])),
    view,
    logger: new MemoryLogger().logger,
    clock: new FakeClock(),
  });
  const say = (seq: number): void => {
    account.push({ seq, subject: SUBJECT, at: 0, label: "", payload: String(seq) }, "g");
    account.flush();
  };
  const poll = async (): Promise<PollAnswer> => {
    const answer = await account.poll();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { disk, say, poll, positions: () => [...stored.marks].filter(([name]) => name.endsWith("poll")) };
}

test("a poll is answered only when the disk knows of the one before it: a crash brings back one answer, not two", async () => {
  const { disk, say, poll, positions } = await open();
  say(1);
  const first = await poll();
  expect(first.body).toBe("[1]\n");
  disk.writing = Promise.withResolvers();
  first.delivered();
  say(2);
  let second: PollAnswer | null = null;
  const polled = poll().then((answer) => (second = answer));
  await settled();
  expect(second).toBeNull();
  disk.writing.resolve();
  expect((await polled).body).toBe("[2]\n");
  expect(positions()).toEqual([[expect.any(String), "1"]]);
});

test("an answer that did not arrive comes again, and waits for no disk", async () => {
  const { disk, say, poll } = await open();
  say(1);
  const first = await poll();
  disk.writing = Promise.withResolvers();
  first.broken();
  expect((await poll()).body).toBe("[1]\n");
});

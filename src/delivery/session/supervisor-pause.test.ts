import { expect, test } from "vitest";
import { MemoryLane, refOf, ScriptedSession } from "../scripted.suite.ts";
import { RESUME } from "./pause-switch.ts";
import { MINUTE, Supervised } from "./supervised.suite.ts";

async function aStage() {
  const lane = new MemoryLane();
  const first = new Supervised();
  const stage = new Supervised([first.channel("#a", [lane])]);
  await stage.start();
  const pass = async (ms: number): Promise<void> => await stage.clock.advance(ms);
  const turn = async (isPaused: boolean): Promise<void> => {
    stage.supervisor.pause(isPaused);
    await pass(0);
  };
  return { lane, stage, network: stage.network, pass, turn };
}

test("a pause ends the session in good order, and none is opened until it is over", async () => {
  const { lane, stage, network, pass, turn } = await aStage();
  await turn(true);
  expect(network.session.steps).toEqual(["quiesce", "close"]);
  expect([...new Set(lane.told)]).toEqual(["+ref:#a", "-an operator has paused the account"]);
  await pass(10 * 60 * MINUTE);
  expect(network.opens).toHaveLength(1);
  expect(await stage.status()).toMatchObject({
    state: "paused",
    as: null,
    why: { message: "an operator has paused the account" },
    remedy: RESUME,
    retryMs: null,
    channels: [{ state: "offline", why: { message: "an operator has paused the account" } }],
  });
  await turn(false);
  expect(network.opens).toHaveLength(2);
  expect(await stage.status()).toMatchObject({ state: "online", why: null, remedy: null });
  expect(lane.sink).not.toBeNull();
});

test("what is under way may come to its end before the session is closed, within a time", async () => {
  const { lane, network, pass, turn } = await aStage();
  const ending = Promise.withResolvers<void>();
  lane.underWay = () => ending.promise;
  await turn(true);
  expect(network.session.steps).toEqual(["quiesce"]);
  ending.resolve();
  await pass(0);
  expect(network.session.steps).toEqual(["quiesce", "close"]);
  await turn(false);
  lane.underWay = () => new Promise(() => undefined);
  await turn(true);
  await pass(5_000);
  expect(network.session.steps).toEqual(["quiesce", "close"]);
});

test("a pause also holds while a session is being opened, and while another try is waited for", async () => {
  const { stage, network, pass, turn } = await aStage();
  network.plans.push(() => new Promise(() => undefined));
  network.session.end();
  await pass(2_000);
  expect([network.opens.length, (await stage.status()).state]).toEqual([2, "connecting"]);
  await turn(true);
  expect((await stage.status()).state).toBe("paused");
  expect(network.opens[1]?.signal.aborted).toBe(true);
  await turn(false);
  expect((await stage.status()).state).toBe("online");
  network.refuse({ cause: "auth", why: { code: "auth", message: "wrong password" } });
  network.session.end();
  await pass(2_000);
  expect((await stage.status()).state).toBe("action-needed");
  await turn(true);
  await pass(120 * MINUTE);
  expect([network.opens.length, (await stage.status()).state]).toEqual([4, "paused"]);
});

test("one that is paused from the start connects when it is resumed, and can be stopped meanwhile", async () => {
  const lane = new MemoryLane();
  const stage = new Supervised([new Supervised().channel("#a", [lane])], null, () => undefined, true);
  await stage.start();
  expect([stage.network.opens.length, (await stage.status()).state]).toEqual([0, "paused"]);
  expect(lane.told).toEqual(["-an operator has paused the account"]);
  stage.supervisor.pause(false);
  await stage.clock.advance(0);
  expect((await stage.status()).state).toBe("online");
  stage.supervisor.pause(true);
  await stage.clock.advance(0);
  await stage.supervisor.quiesce();
  await stage.supervisor.close();
  expect(stage.network.opens).toHaveLength(1);
});

test("who asks for another connection gets it at once, whatever is waited for", async () => {
  const { stage, network, pass, turn } = await aStage();
  expect(stage.supervisor.reconnect()).toBe(true);
  await pass(0);
  expect([network.opens.length, (await stage.status()).state]).toEqual([2, "online"]);
  // What an operator asks for is no trouble, and not counted as one.
  expect([(await stage.status()).reconnects, stage.reconnected]).toEqual([0, []]);
  network.refuse({ cause: "auth", why: { code: "auth", message: "wrong password" } });
  network.session.end();
  await pass(2_000);
  expect((await stage.status()).state).toBe("action-needed");
  expect(stage.supervisor.reconnect()).toBe(true);
  await pass(0);
  expect((await stage.status()).state).toBe("online");
  network.plans.push(() => new Promise(() => undefined));
  network.session.end();
  await pass(2_000);
  expect(stage.supervisor.reconnect()).toBe(true);
  await pass(0);
  expect((await stage.status()).state).toBe("online");
  await turn(true);
  expect(stage.supervisor.reconnect()).toBe(false);
});

test("a resume while the session is still being closed opens the next one after that", async () => {
  const { stage, network, pass } = await aStage();
  const { session } = network;
  session.endsOnClose = false;
  stage.supervisor.pause(true);
  await pass(0);
  stage.supervisor.pause(false);
  await pass(0);
  expect(network.opens).toHaveLength(1);
  await pass(1_500);
  expect(network.session).toBeInstanceOf(ScriptedSession);
  expect([network.opens.length, (await stage.status()).state]).toEqual([2, "online"]);
});

test("an account that is resumed before its pause has begun says nothing of the pause any more", async () => {
  const { stage, network, pass } = await aStage();
  network.session.endsOnClose = false;
  network.plans.push(() => new Promise(() => undefined));
  stage.supervisor.pause(true);
  await pass(0);
  stage.supervisor.pause(false);
  await pass(1_500);
  expect(network.opens).toHaveLength(2);
  expect((await stage.status()).why?.message).not.toContain("paused");
});

test("what an operator asks while the program stops leaves the session its goodbye", async () => {
  for (const act of ["pause", "reconnect", "restart"] as const) {
    const { stage, network, pass } = await aStage();
    await stage.supervisor.quiesce();
    if (act === "pause") stage.supervisor.pause(true);
    else if (act === "reconnect") expect(stage.supervisor.reconnect()).toBe(false);
    else stage.supervisor.restart({ code: "timeout", message: "it hangs" });
    await pass(0);
    await stage.supervisor.close();
    expect([act, network.session.steps]).toEqual([act, ["quiesce", "close"]]);
  }
});

test.each(["stop", "pause"] as const)("a channel that a %s leaves is not reported as lost", async (how) => {
  const { lane, stage, network, turn } = await aStage();
  // The network confirms that Rialto has left, as XMPP does, before it closes the connection.
  const session: ScriptedSession = network.session;
  const close = session.close.bind(session);
  session.close = async () => {
    stage.host.lost(refOf("#a"), { code: "remote_error", message: "removed from the room" }, 1000);
    await close();
  };
  if (how === "pause") await turn(true);
  else {
    await stage.supervisor.quiesce();
    await stage.supervisor.close();
  }
  expect(session.steps).toEqual(["quiesce", "close"]);
  expect(lane.told).not.toContain("-removed from the room");
  expect(stage.memory.shown("channel").join()).not.toContain("a channel was lost");
});

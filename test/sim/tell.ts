import type { NetMessage, Server } from "./server.ts";
import type { Step } from "./steps.ts";
import { textFor, tokensIn } from "./tokens.ts";
import type { SimHarness } from "./harness.ts";

/** Most timers that a program of this size may have. */
const TIMERS_MAX = 500;

/** Lets one step happen, and looks at what holds at any time. */
export async function tell(harness: SimHarness, step: Step): Promise<void> {
  await happen(harness, step);
  await harness.loop.flush();
  const { waiting } = harness.loop;
  harness.oracle.check("limits", waiting <= TIMERS_MAX, () => `${waiting} timers wait after ${JSON.stringify(step)}`);
}

async function happen(harness: SimHarness, step: Step): Promise<void> {
  if ("net" in step) return onNetwork(harness, step);
  switch (step.is) {
    case "wait":
      return await harness.pass(step.ms);
    case "start":
      return void (await harness.start());
    case "stop":
      return await harness.stop();
    case "kill":
      return kill(harness, step.after);
    case "jump":
      harness.counts.fault(step.ms < 0 ? "clock set back" : "clock set forward");
      harness.jumpedMs = harness.loop.monotonicMs;
      return harness.loop.jump(step.ms);
    case "reload":
      harness.counts.fault("reload");
      return harness.reload(step.plan);
    case "disk":
      return harness.disk.become(step.mode);
    case "post":
      return harness.api.post(step.account, step.gateway, harness.number());
    case "poll":
      return harness.api.poll(step.account, step.breaks);
  }
}

function kill(harness: SimHarness, after: number): void {
  if (!harness.isUp) return;
  harness.counts.fault("kill");
  if (after === 0) harness.kill();
  else harness.life.killAfter(after);
}

type NetStep = Extract<Step, { readonly net: string }>;

function onNetwork(harness: SimHarness, step: NetStep): void {
  const network = harness.networks.get(step.net);
  if (network === undefined) return;
  const { server } = network;
  if ("room" in step) return inRoom(harness, server, step);
  switch (step.is) {
    case "cut":
      harness.counts.fault("cut");
      return network.cut();
    case "hush":
      harness.counts.fault("silence");
      return network.hush();
    case "down":
      harness.counts.fault("network down");
      server.isDown = true;
      return network.cut();
    case "up":
      server.isDown = false;
      return;
    case "lock":
      harness.counts.fault("wrong password");
      server.isLocked = true;
      return network.cut();
    case "unlock":
      server.isLocked = false;
      return;
    case "stutter":
      server.stutters = true;
      return;
    case "fault":
      return void server.faults.push(...step.faults);
    case "open fault":
      return void server.openFaults.push(...step.faults);
    case "join fault":
      return void server.joinFaults.push(...step.faults);
  }
}

type RoomStep = Extract<Step, { readonly room: string }>;

function inRoom(harness: SimHarness, server: Server, step: RoomStep): void {
  if ("by" in step || step.is === "delete") return byPerson(harness, server, step);
  switch (step.is) {
    case "kick":
      harness.counts.fault("kick");
      return server.kick(step.room);
    case "ban":
      harness.counts.fault("ban");
      server.room(step.room).banned = true;
      return server.kick(step.room);
    case "unban":
      server.room(step.room).banned = false;
      return;
    case "forget":
      harness.counts.fault("history lost");
      return server.forget(step.room);
  }
}

type PersonStep = Extract<RoomStep, { readonly is: "say" | "edit" | "delete" | "react" | "topic" }>;

function byPerson(harness: SimHarness, server: Server, step: PersonStep): void {
  const { order } = server.room(step.room);
  const pick = (which: number, mayBe: (message: NetMessage) => boolean): NetMessage | undefined => {
    const found = order.filter((message) => !message.gone && mayBe(message));
    return found[Math.floor(which * found.length)];
  };
  if (step.is === "say") {
    const replyTo = step.reply === null ? null : (pick(step.reply, () => true)?.ref ?? null);
    server.say(step.room, step.by, textFor({ message: harness.number(), edit: 0, parts: step.parts }), replyTo);
    return;
  }
  if (step.is === "topic") {
    return server.newTopic(step.room, step.by, textFor({ message: harness.number(), edit: 0, parts: 1 }));
  }
  if (!server.traits.rich) return;
  if (step.is === "edit") return edit(harness, server, step, pick(step.which, isBy(step)));
  if (step.is === "react") {
    const target = pick(step.which, () => true);
    if (target === undefined) return;
    const { ref } = target;
    return server.change(step.room, { is: "reacted", by: step.by, ref, emoji: "👍", on: step.on });
  }
  const target = pick(step.which, ({ ours }) => step.moderator || !ours);
  if (target === undefined) return;
  const by = step.moderator ? "moderator" : target.by;
  server.change(step.room, { is: "deleted", by, ref: target.ref, vouched: step.moderator });
}

/** People edit what they wrote; a forged edit is of what somebody else did. */
function isBy({ by, forged, which }: Extract<Step, { readonly is: "edit" }>): (message: NetMessage) => boolean {
  return forged && which > 0.3
    ? ({ by: author, ours }) => !ours && author !== by
    : (message) => (message.by === by) !== forged;
}

function edit(
  { oracle, number }: SimHarness,
  server: Server,
  { room, by, forged }: Extract<Step, { readonly is: "edit" }>,
  target: NetMessage | undefined,
): void {
  const token = tokensIn(target?.text ?? "").at(-1);
  if (target === undefined || token === undefined) return;
  const { message } = token;
  const edit = number();
  if (forged) oracle.forged.add(`${message}e${edit}`);
  const text = textFor({ message, edit, parts: 1 });
  if (!forged) target.text = text;
  server.change(room, { is: "edited", by, ref: target.ref, text });
}

import type { NetMessage, Server } from "./server.ts";
import type { Step } from "./steps.ts";
import { textFor, tokensIn } from "./tokens.ts";
import type { World } from "./world.ts";

/** Most timers that a program of this size may have. */
const TIMERS_MAX = 500;

/** Lets one step happen, and looks at what holds at any time. */
export async function tell(world: World, step: Step): Promise<void> {
  await happen(world, step);
  await world.loop.flush();
  const { waiting } = world.loop;
  world.witness.check("limits", waiting <= TIMERS_MAX, () => `${waiting} timers wait after ${JSON.stringify(step)}`);
}

async function happen(world: World, step: Step): Promise<void> {
  if ("net" in step) return onNetwork(world, step);
  switch (step.is) {
    case "wait":
      return await world.pass(step.ms);
    case "start":
      return void (await world.start());
    case "stop":
      return await world.stop();
    case "kill":
      return kill(world, step.after);
    case "jump":
      world.counts.fault(step.ms < 0 ? "clock set back" : "clock set forward");
      world.disturbedMs = world.loop.monotonicMs;
      return world.loop.jump(step.ms);
    case "reload":
      world.counts.fault("reload");
      return world.reload(step.plan);
    case "disk":
      return world.disk.become(step.mode);
    case "post":
      return world.api.post(step.account, step.gateway, world.number());
    case "poll":
      return world.api.poll(step.account, step.breaks);
  }
}

function kill(world: World, after: number): void {
  if (!world.isUp) return;
  world.counts.fault("kill");
  world.disturbedMs = world.loop.monotonicMs;
  world.life.onDeath(() => (world.disturbedMs = world.loop.monotonicMs));
  if (after === 0) world.kill();
  else world.life.killAfter(after);
}

type NetStep = Extract<Step, { readonly net: string }>;

function onNetwork(world: World, step: NetStep): void {
  const network = world.networks.get(step.net);
  if (network === undefined) return;
  const { server } = network;
  if ("room" in step) return inRoom(world, server, step);
  switch (step.is) {
    case "cut":
      world.counts.fault("cut");
      return network.cut();
    case "hush":
      world.counts.fault("silence");
      return network.hush();
    case "down":
      world.counts.fault("network down");
      server.isDown = true;
      return network.cut();
    case "up":
      server.isDown = false;
      return;
    case "lock":
      world.counts.fault("wrong password");
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

function inRoom(world: World, server: Server, step: RoomStep): void {
  if ("by" in step || step.is === "delete") return byPerson(world, server, step);
  switch (step.is) {
    case "kick":
      world.counts.fault("kick");
      return server.kick(step.room);
    case "ban":
      world.counts.fault("ban");
      server.room(step.room).banned = true;
      return server.kick(step.room);
    case "unban":
      server.room(step.room).banned = false;
      return;
    case "forget":
      world.counts.fault("history lost");
      return server.forget(step.room);
  }
}

type PersonStep = Extract<RoomStep, { readonly is: "say" | "edit" | "delete" | "react" }>;

function byPerson(world: World, server: Server, step: PersonStep): void {
  const { order } = server.room(step.room);
  const pick = (which: number, mayBe: (message: NetMessage) => boolean): NetMessage | undefined => {
    const found = order.filter((message) => !message.gone && mayBe(message));
    return found[Math.floor(which * found.length)];
  };
  if (step.is === "say") {
    const replyTo = step.reply === null ? null : (pick(step.reply, () => true)?.ref ?? null);
    server.say(step.room, step.by, textFor({ message: world.number(), edit: 0, parts: step.parts }), replyTo);
    return;
  }
  if (!server.traits.rich) return;
  if (step.is === "edit") return edit(world, server, step, pick(step.which, isBy(step)));
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
  { witness, number }: World,
  server: Server,
  { room, by, forged }: Extract<Step, { readonly is: "edit" }>,
  target: NetMessage | undefined,
): void {
  const token = tokensIn(target?.text ?? "").at(-1);
  if (target === undefined || token === undefined) return;
  const { message } = token;
  const edit = number();
  if (forged) witness.forged.add(`${message}e${edit}`);
  const text = textFor({ message, edit, parts: 1 });
  if (!forged) target.text = text;
  server.change(room, { is: "edited", by, ref: target.ref, text });
}

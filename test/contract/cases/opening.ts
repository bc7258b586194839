import { expect } from "vitest";
import type { Ended } from "../../../src/contract/session.ts";
import type { Stage } from "../stage.ts";
import type { Case } from "./case.ts";
import { expectNothingLeft, sockets } from "./leftovers.ts";

async function opensAndSaysWhoItIs(stage: Stage): Promise<void> {
  const { session } = await stage.open();
  expect(session.as, "`as` names who we are, for people").not.toBe("");
  expect(session.as).toBe(session.as.trim());
}

async function handlersAreThoseDeclared(stage: Stage): Promise<void> {
  const { session } = await stage.open();
  const { ops } = stage.capabilities;
  const declared = (["edit", "delete", "react", "topic"] as const).filter((kind) => ops[kind] !== "none");
  expect(Object.keys(session.handlers).sort(), "handlers are exactly those the capabilities declare").toEqual(
    [...declared, "post"].sort(),
  );
}

async function endsWith(stage: Stage, flaw: "auth" | "config" | "unreachable", cause: Ended["cause"]): Promise<void> {
  const settings = stage.harness.wrong[flaw];
  if (settings === undefined) throw new Error(`the harness offers ${flaw}, but \`wrong.${flaw}\` is not there`);
  const before = sockets();
  const { opened, host } = await stage.tryOpen(settings);
  if (opened.ok) throw new Error("a session opened, although it cannot");
  expect(opened.ended.cause, `the cause; the reason given was: ${opened.ended.why.message}`).toBe(cause);
  expect(opened.ended.why.message).not.toBe("");
  for (const secret of [...stage.harness.secrets, ...secretsIn(settings)]) {
    expect(opened.ended.why.message, "a secret in a message for people").not.toContain(secret);
    expect(JSON.stringify(host.records), "a secret in the log").not.toContain(secret);
  }
  await expectNothingLeft(stage, host, before);
}

function secretsIn(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const named = Object.entries(settings).filter(([name]) => /password|token|secret/i.test(name));
  return named.flatMap(([, value]) => (typeof value === "string" && value !== "" ? [value] : []));
}

async function aTryGivenUpEnds(stage: Stage): Promise<void> {
  const before = sockets();
  const early = await stage.tryOpen(stage.harness.settings, AbortSignal.abort());
  expect(early.opened.ok, "a session opened although its signal had been aborted").toBe(false);
  await expectNothingLeft(stage, early.host, before);
  const giveUp = new AbortController();
  const trying = stage.tryOpen(stage.harness.settings, giveUp.signal);
  setImmediate(() => giveUp.abort());
  const late = await trying;
  if (late.opened.ok) await stage.within(late.opened.session.close(AbortSignal.timeout(2_000)), "close()");
  await expectNothingLeft(stage, late.host, before);
}

async function aSecondSessionDoesNoHarm(stage: Stage): Promise<void> {
  const first = await stage.room();
  const { opened } = await stage.tryOpen();
  const live = opened.ok ? opened.session : first.session;
  const ref = await stage.join(live, first.channel);
  await stage.deliver({ session: live, ref }, { text: "still there" });
  await stage.heard(first, 1);
}

async function aLaterSessionWorks(stage: Stage): Promise<void> {
  const first = await stage.room();
  await stage.within(first.session.close(AbortSignal.timeout(2_000)), "close()");
  const { session } = await stage.open();
  const ref = await stage.join(session, first.channel);
  await stage.deliver({ session, ref }, { text: "here again" });
  await stage.heard(first, 1);
}

export const opening: readonly Case[] = [
  { name: "a session opens and says who it is", run: opensAndSaysWhoItIs },
  { name: "its handlers are those the capabilities declare", run: handlersAreThoseDeclared },
  {
    name: "wrong credentials end as a value, and need a person",
    when: (_, features) => features.has("auth"),
    run: async (stage) => await endsWith(stage, "auth", "auth"),
  },
  {
    name: "impossible settings end as a value, and need a person",
    when: (_, features) => features.has("config"),
    run: async (stage) => await endsWith(stage, "config", "config"),
  },
  {
    name: "a server that is not there ends as a value, and may heal by itself",
    when: (_, features) => features.has("unreachable"),
    run: async (stage) => await endsWith(stage, "unreachable", "lost"),
  },
  { name: "a try to open that is given up ends as a value, and leaves nothing", run: aTryGivenUpEnds },
  { name: "a second session while the first lives does no harm", run: aSecondSessionDoesNoHarm },
  { name: "after a session was closed another one works", run: aLaterSessionWorks },
];

import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { RoomLimits } from "../../contract/session.ts";
import { encode } from "../../gateway/codec.ts";
import { ABLE, planOf, refs } from "../../gateway/plan.suite.ts";
import { aMessage } from "../../gateway/samples.suite.ts";
import { deferred, Stage, unknown } from "../stage.suite.ts";

const PLAN = planOf({ reactionFallback: "line" }, [], ABLE);
const DOWN = { code: "network", message: "down" } as const;

function made(...messages: readonly string[]): Outcome {
  return { is: "delivered", receipt: { messages: refs(...messages), losses: [] } };
}

/** Connected to a channel with these limits, with one message of which `a` is the copy. */
async function stageOf(limits: RoomLimits): Promise<Stage> {
  const stage = new Stage({ plan: PLAN });
  await stage.open();
  await stage.connect(stage.sink([], limits));
  await stage.say(encode(aMessage({ text: "one" })));
  await stage.end(1, made("a"));
  return stage;
}

function asked(stage: Stage): readonly string[] {
  return stage.calls.slice(1).map(({ op, text }) => `${op.kind} ${op.kind === "react" ? op.emoji : text}`);
}

test.each([
  ["that may have gone out stays one", unknown, "edit two"],
  ["that certainly did not go out is said in words", deferred(20_000), "post * two"],
])("an edit in time is one; tried again too late, what %s", async (_name, outcome, again) => {
  const stage = await stageOf({ editWithinMs: 60_000 });
  await stage.clock.advance(50_000);
  await stage.act("edit", 2, "two");
  await stage.end(2, outcome);
  await stage.clock.advance(20_000);
  await stage.end(3, made("b"));
  await stage.act("edit", 2, "three");
  expect(asked(stage)).toEqual(["edit two", again, "post * three"]);
});

test("of reactions that wait, those that are not allowed are said together, and each of the others is shown", async () => {
  const limits = { reactions: ["👍"] };
  const stage = await stageOf(limits);
  stage.lane.disconnect(DOWN);
  for (const emoji of ["🎉", "👍", "❤"]) await stage.act("reaction", 2, "", { emoji, on: true }, `of ${emoji}`);
  await stage.connect(stage.sink([], limits));
  await stage.end(2, made("line"));
  await settled();
  expect(asked(stage)).toEqual(["post 🎉 o\u200bf 🎉 · ❤ o\u200bf ❤", "react 👍"]);
  expect(stage.call(3).op).toMatchObject({ standing: [{ emoji: "👍", names: ["of 👍"] }] });
});

test("a channel that is joined anew may have other limits", async () => {
  const stage = await stageOf({ textMax: 100 });
  stage.lane.disconnect(DOWN);
  await stage.connect(stage.sink([], { textMax: 200 }));
  await stage.say(encode(aMessage({ text: "two" })));
  expect(stage.calls.map(({ op }) => ("textMax" in op ? op.textMax : null))).toEqual([100, 200]);
});

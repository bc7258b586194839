import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import { deferred, delivered, NONE, Stage } from "../stage.suite.ts";

test("where it became uncertain who runs the account while an intent was stored, no byte leaves, and the message goes later", async () => {
  let isSure = true;
  const stage = new Stage({ idempotency: NONE, mayCall: () => isSure });
  await stage.open();
  await stage.connect();
  await stage.say("one");
  const asked = stage.call(1).attempt.sending(END);
  isSure = false;
  expect(await asked).toBe(false);
  stage.call(1).end(deferred(0));
  await settled();
  await stage.clock.advance(5_000);
  expect(stage.calls).toHaveLength(1);
  isSure = true;
  await stage.clock.advance(1_000);
  await settled();
  expect(await stage.call(2).attempt.sending(END)).toBe(true);
  stage.call(2).end(delivered);
  await settled();
  expect(stage.calls.map(({ text }) => text)).toEqual(["one", "one"]);
});

import { expect, test } from "vitest";
import { doOp, topicOf } from "../../../test/contract/ops.ts";
import { sending, sendingTown } from "./sending.suite.ts";
import { renderTopic } from "./topic.ts";

test("a topic is set as plain text, and one that is too long is cut", async () => {
  const town = await sendingTown();
  const life = sending(town);
  expect((await doOp(life, topicOf(life.dock, "tide <3 & *high*"))).outcome).toEqual({
    is: "delivered",
    receipt: { messages: [], losses: [] },
  });
  expect(town.dock.topic.value).toBe("tide &lt;3 &amp; *high*");
  const long = await doOp(life, topicOf(life.dock, "x".repeat(300)));
  expect(long.outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "length" }] } });
  expect(town.dock.topic.value).toBe("x".repeat(250));
  expect((await doOp(life, topicOf(life.dock, ""))).outcome.is).toBe("delivered");
  expect(town.dock.topic.value).toBe("");
});

test.each([
  ["missing_scope", "rejected"],
  ["restricted_action", "rejected"],
  ["too_long", "rejected"],
  ["ratelimited", "deferred"],
  ["internal_error", "unknown"],
])("%s is %s", async (error, is) => {
  const town = await sendingTown();
  const life = sending(town);
  town.server.refuse("conversations.setTopic", error);
  expect((await doOp(life, topicOf(life.dock, "tide"))).outcome.is).toBe(is);
});

test.each([
  ["&".repeat(100), 50],
  ["😀".repeat(300), 250],
  [`${"x".repeat(245)}<>`, 246],
])("%s is cut behind what fits with its escapes", (given, signs) => {
  const { topic } = renderTopic(given);
  const shown = topic.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">");
  expect(Array.from(shown)).toHaveLength(signs);
  expect(Array.from(topic).length).toBeLessThanOrEqual(250);
});

import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { EventLabel } from "../../contract/message.ts";
import type { OptionalKind } from "../../contract/ops.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { encode } from "../../gateway/codec.ts";
import { ABLE, planOf, refs } from "../../gateway/plan.suite.ts";
import { aMessage } from "../../gateway/samples.suite.ts";
import { payloadOf } from "../plan.suite.ts";
import {
  deferred,
  delivered,
  KEY,
  LANE,
  NONE,
  rejected,
  Stage,
  type StageOptions,
  SUBJECT,
  unknown,
} from "../stage.suite.ts";

const LINES = planOf({ reactionFallback: "line" }, [], ABLE);

function made(...messages: readonly string[]): Outcome {
  return { is: "delivered", receipt: { messages: refs(...messages), losses: [] } };
}

/** Connected to a channel without these, with one message of which `a` is the copy. */
async function stageOf(without: readonly OptionalKind[], options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage({ plan: LINES, ...options });
  await stage.open();
  await stage.connect(stage.sink(without));
  await stage.say(encode(aMessage({ text: "one" })));
  await stage.end(1, made("a"));
  return stage;
}

/** `post +[text] → a`: what was asked for, and of which message. */
function asked(stage: Stage): readonly string[] {
  return stage.calls.slice(1).map(({ op, text }) => {
    const about = "target" in op ? op.target : op.kind === "post" ? op.reply?.target : null;
    return `${op.kind} ${text} → ${String(about)}`;
  });
}

async function states(stage: Stage): Promise<readonly string[]> {
  return (await stage.receipts()).slice(1).map(({ seq, state }) => `${seq} ${state}`);
}

const put = (emoji: string) => ({ emoji, on: true });
const off = (emoji: string) => ({ emoji, on: false });
const DOWN = { code: "network", message: "down" } as const;

describe("where lines can be edited, one line says all reactions to a message", () => {
  test("it follows as they come and go, and goes with the last", async () => {
    const stage = await stageOf(["react"]);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, made("line"));
    await stage.act("reaction", 2, "", put("👍"), "ben");
    await stage.end(3, made());
    await stage.act("reaction", 2, "", put("❤"), "ben");
    await stage.end(4, made("line", "more"));
    await stage.act("reaction", 2, "", off("👍"));
    await stage.end(5, made("line"));
    await stage.act("reaction", 2, "", off("👍"), "ben");
    await stage.end(6, delivered);
    await stage.act("reaction", 2, "", off("❤"), "ben");
    await stage.end(7, delivered);
    await stage.act("reaction", 2, "", put("🎉"));
    expect(asked(stage)).toEqual([
      "post 👍 a\u200bnna → a",
      "edit 👍 a\u200bnna, b\u200ben → line",
      "edit 👍 a\u200bnna, b\u200ben · ❤ b\u200ben → line",
      "edit 👍 b\u200ben · ❤ b\u200ben → line,more",
      "edit ❤ b\u200ben → line",
      "delete  → line",
      "post 🎉 a\u200bnna → a",
    ]);
  });

  test("after a restart, too; and who answers the line does not answer the message", async () => {
    const stage = await stageOf(["react"]);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, made("line"));
    await stage.lane.stop(new AbortController().signal);
    const again = stage.next();
    await again.open();
    await again.connect(again.sink(["react"]));
    await again.act("reaction", 2, "", put("❤"));
    expect(again.call(1)).toMatchObject({
      text: "👍 a\u200bnna · ❤ a\u200bnna",
      op: { kind: "edit", target: ["line"] },
    });
    expect(await again.log.ids.find("net.b/#to", ["line"])).toBeNull();
    expect(await again.log.ids.refs(2, LANE)).toEqual(["a"]);
  });

  test("those that wait together are said at once; what is put on and taken back in between is not said", async () => {
    const stage = await stageOf(["react"]);
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.act("reaction", 2, "", put("❤"), "ben");
    await stage.act("reaction", 2, "", off("👍"));
    await stage.say(encode(aMessage({ text: "two" })));
    await stage.connect(stage.sink(["react"]));
    await stage.end(2, made("line"));
    await stage.end(3, made("b"));
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 10, "", put("👍"));
    await stage.act("reaction", 10, "", off("👍"));
    await stage.connect(stage.sink(["react"]));
    expect(asked(stage)).toEqual(["post ❤ b\u200ben → a", "post two → undefined"]);
    expect(await states(stage)).toEqual(["4 sent", "6 folded", "8 folded", "10 sent", "12 omitted", "14 omitted"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("it is deleted with the message, and not begun for one that is about to go", async () => {
    const stage = await stageOf(["react"]);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, made("line"));
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", put("❤"));
    await stage.act("delete", 2);
    await stage.connect(stage.sink(["react"]));
    expect(asked(stage)).toEqual(["post 👍 a\u200bnna → a", "delete  → a,line"]);
    expect((await states(stage)).slice(0, 2)).toEqual(["4 sent", "6 omitted"]);
  });

  test("where nothing can be deleted it says that there are none", async () => {
    const stage = await stageOf(["react", "delete"]);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, made("line"));
    await stage.act("reaction", 2, "", off("👍"));
    await stage.end(3, made());
    await stage.act("reaction", 2, "", put("❤"));
    expect(asked(stage).slice(1)).toEqual(["edit no reactions → line", "edit ❤ a\u200bnna → line"]);
  });

  test("one that can no longer be edited makes room for another", async () => {
    const stage = await stageOf(["react"]);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, made("line"));
    await stage.act("reaction", 2, "", put("❤"));
    await stage.end(3, rejected);
    await stage.act("reaction", 2, "", off("👍"));
    await stage.act("reaction", 2, "", put("🎉"));
    expect(asked(stage).at(-1)).toBe("post ❤ a\u200bnna · 🎉 a\u200bnna → a");
    expect(asked(stage)).toHaveLength(3);
  });

  test("a line in doubt is tried again as it was, and taken back by who comes later", async () => {
    const stage = await stageOf(["react"], { idempotency: KEY });
    await stage.act("reaction", 2, "", put("👍"));
    await stage.end(2, unknown);
    await stage.act("reaction", 2, "", off("👍"));
    await stage.clock.advance(60_000);
    await stage.end(3, made("line"));
    expect(asked(stage)).toEqual(["post 👍 a\u200bnna → a", "post 👍 a\u200bnna → a", "delete  → line"]);
  });

  test("one that an earlier run may have said is said again, so that who took it back since finds it", async () => {
    const stage = await stageOf(["react"]);
    await stage.act("reaction", 2, "", put("👍"));
    const again = stage.next();
    again.put(payloadOf("reaction", 2, "", off("👍")), EventLabel.reaction);
    const who = `${SUBJECT} ["anna",null]`;
    again.disk.ids.note(0, SUBJECT, 0, { is: "reacted", of: 2, who, name: "anna", emoji: "👍", on: false });
    await again.open();
    await again.connect(again.sink(["react"]));
    await again.end(1, made("line"));
    expect(again.calls.map(({ op, text }) => `${op.id.replace(/\/\d+$/u, "")} ${op.kind} ${text}`)).toEqual([
      `${LANE}/4 post 👍 a\u200bnna`,
      `${LANE}/6 delete `,
    ]);
    await again.end(2, delivered);
    expect(await again.log.ids.refs(2, `${LANE} #reactions`)).toEqual([]);
  });

  test("what people of other gateways and of the place itself have put on is not ours to say", async () => {
    const stage = await stageOf(["react"]);
    for (const subject of ["net.b/#to", "net.c/#other"]) {
      const note = {
        is: "reacted",
        of: 2,
        who: `${subject} ["eve",null]`,
        name: "eve",
        emoji: "👍",
        on: true,
      } as const;
      stage.disk.ids.note(0, subject, 0, note);
    }
    await stage.act("reaction", 2, "", put("👍"));
    expect(asked(stage)).toEqual(["post 👍 a\u200bnna → a"]);
  });
});

describe("where they cannot, each change is a line", () => {
  const bare = ["react", "edit"] as const;

  test("but for those that wait together, and for what is taken back", async () => {
    const stage = await stageOf(bare);
    await stage.act("reaction", 2, "", put("👍"));
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", put("❤"), "ben");
    await stage.say(encode(aMessage({ text: "two" })));
    await stage.act("reaction", 2, "", put("🎉"), "carl");
    await stage.act("reaction", 2, "", off("🎉"), "carl");
    await stage.act("reaction", 2, "", put("❤"), "dora");
    await stage.act("reaction", 2, "", off("👍"));
    await stage.end(2, made("line"));
    await stage.connect(stage.sink(bare));
    await stage.end(3, made());
    await stage.end(4, made());
    expect(asked(stage)).toEqual([
      "post * a\u200bnna reacted 👍 to b\u200bob → undefined",
      "post * b\u200ben, d\u200bora reacted ❤ to b\u200bob → undefined",
      "post two → undefined",
    ]);
    expect(await states(stage)).toEqual(["4 sent", "6 sent", "10 folded", "12 folded", "14 folded", "16 folded"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
  });

  test("taken off and put on again, it was on all the time", async () => {
    const stage = await stageOf(bare);
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", off("👍"));
    await stage.act("reaction", 2, "", put("👍"));
    await stage.connect(stage.sink(bare));
    expect(asked(stage)).toEqual([]);
    expect(await states(stage)).toEqual(["4 omitted", "6 omitted"]);
  });

  test("what may have been said with a line is not said again; with one that was refused it is", async () => {
    const stage = await stageOf(bare, { idempotency: NONE });
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", put("👍"));
    await stage.act("reaction", 2, "", put("❤"));
    await stage.connect(stage.sink(bare));
    await stage.call(2).attempt.sending("end" as never);
    await stage.end(2, unknown);
    stage.lane.disconnect(DOWN);
    await stage.act("reaction", 2, "", put("🎉"), "ben");
    await stage.act("reaction", 2, "", put("🎉"), "carl");
    await stage.connect(stage.sink(bare));
    await stage.end(3, deferred(100));
    await stage.clock.advance(100);
    await stage.end(4, rejected);
    await settled();
    await stage.end(5, made());
    expect(asked(stage).map((line) => line.slice(7, line.indexOf(" to")))).toEqual([
      "a\u200bnna reacted 👍, a\u200bnna reacted ❤",
      "b\u200ben, c\u200barl reacted 🎉",
      "b\u200ben, c\u200barl reacted 🎉",
      "c\u200barl reacted 🎉",
    ]);
    expect(await states(stage)).toEqual(["4 unconfirmed", "6 unconfirmed", "8 failed", "10 sent"]);
  });
});

test("where there are reactions, each is shown by itself", async () => {
  const stage = await stageOf([]);
  stage.lane.disconnect(DOWN);
  await stage.act("reaction", 2, "", put("👍"));
  await stage.act("reaction", 2, "", put("❤"));
  await stage.connect();
  await stage.end(2, delivered);
  expect(stage.calls.slice(1).map(({ op }) => op.kind === "react" && op.emoji)).toEqual(["👍", "❤"]);
});

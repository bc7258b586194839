import { describe, expect, test } from "vitest";
import { EventLabel } from "../../contract/message.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { encode, encodeStored } from "../../gateway/codec.ts";
import { ABLE, about, aStored, planOf, refs } from "../../gateway/plan.suite.ts";
import { aMessage } from "../../gateway/samples.suite.ts";
import { deferred, delivered, LANE, rejected, Stage, SUBJECT } from "../stage.suite.ts";

const WORDS = "the password";
const QUOTING = planOf({}, [], { ...ABLE, quotesReplies: true });
const answering = { name: "sam", excerpt: WORDS };
const DOWN = { code: "network", message: "down" } as const;

function made(...messages: readonly string[]): Outcome {
  return { is: "delivered", receipt: { messages: refs(...messages), losses: [] } };
}

async function opened(stage = new Stage({ plan: QUOTING })): Promise<Stage> {
  await stage.open();
  await stage.connect();
  return stage;
}

/** With the message 2, of which `m` is the copy, and an answer to it, the message 4, of which `a` is the copy. */
async function answered(first: Outcome = made("m")): Promise<Stage> {
  const stage = await opened();
  await stage.say(encode(aMessage({ text: WORDS })));
  await stage.end(1, first);
  await stage.act("reply", 2, "oops", answering);
  await stage.end(2, made("a"));
  return stage;
}

/** `edit a: oops (the password)`: which message of ours became what, and what it quotes. */
function asked(stage: Stage): readonly string[] {
  return stage.calls.map(({ op, text }) => {
    const target = op.kind === "edit" || op.kind === "delete" ? ` ${op.target.join()}` : "";
    const quote = "reply" in op && op.reply !== null ? ` (${op.reply.excerpt})` : "";
    return `${op.kind}${target}: ${text}${quote}`;
  });
}

describe("the deletion of a message", () => {
  test("takes its words out of the answers that quote it", async () => {
    const stage = await answered();
    await stage.act("delete", 2);
    await stage.end(3, delivered);
    await stage.end(4, delivered);
    const said = [`post: ${WORDS}`, `post: oops (${WORDS})`];
    expect(asked(stage)).toEqual([...said, "delete m: ", "edit a: oops ()"]);
    expect(stage.cursorOnDisk).toBe(stage.log.head);
    const ids = stage.calls.slice(2).map(({ op }) => op.id);
    expect(new Set(ids).size).toBe(2);
  });

  test("does so after a restart", async () => {
    const stage = await answered();
    await stage.lane.stop(new AbortController().signal);
    const again = await opened(stage.next());
    await again.act("delete", 2);
    await again.end(1, delivered);
    expect(asked(again)).toEqual(["delete m: ", "edit a: oops ()"]);
  });

  test("at its own place takes them out and deletes nothing", async () => {
    const stage = await answered();
    const message = aMessage({ event: EventLabel.withdrawal, text: "" });
    const stored = aStored(message, { about: about("delete", { seq: 2 }) });
    await stage.say();
    stage.put(encodeStored(stored), EventLabel.withdrawal);
    stage.lane.wake();
    await stage.say();
    expect(asked(stage).slice(2)).toEqual(["edit a: oops ()"]);
  });

  test("is repeated with them until all of it is done", async () => {
    const stage = await answered();
    await stage.act("delete", 2);
    await stage.end(3, delivered);
    await stage.end(4, deferred(1_000));
    await stage.clock.advance(1_000);
    await stage.end(5, delivered);
    await stage.end(6, rejected);
    expect(asked(stage).slice(2)).toEqual(["delete m: ", "edit a: oops ()", "delete m: ", "edit a: oops ()"]);
    const [receipt] = (await stage.receipts()).slice(-1);
    expect(receipt?.detail).toContain("an answer still quotes it: the line is down");
  });

  test("takes them out of a quote in words where the message itself never arrived", async () => {
    const stage = await answered(rejected);
    expect(stage.texts[1]).toBe(`> sam: ${WORDS}\noops`);
    await stage.act("delete", 2);
    expect(asked(stage).slice(2)).toEqual(["edit a: > sam\noops"]);
  });

  test("leaves an answer alone that was deleted, and keeps the new words of an edited answer", async () => {
    const stage = await answered();
    await stage.act("reply", 2, "no", answering);
    await stage.end(3, made("b"));
    await stage.act("edit", 6, "yes");
    await stage.end(4, delivered);
    await stage.act("delete", 4);
    stage.disk.ids.note(0, SUBJECT, 0, { is: "gone", of: 4 });
    await stage.end(5, delivered);
    await stage.act("delete", 2);
    await stage.end(6, delivered);
    expect(asked(stage).slice(5)).toEqual(["delete m: ", "edit b: yes ()"]);
  });

  test("blanks the quote of an answer that still waits", async () => {
    const stage = await opened();
    await stage.say(encode(aMessage({ text: WORDS })));
    await stage.end(1, made("m"));
    stage.lane.disconnect(DOWN);
    await stage.act("reply", 2, "oops", answering);
    await stage.act("delete", 2);
    stage.disk.ids.note(0, SUBJECT, 0, { is: "gone", of: 2 });
    await stage.connect();
    await stage.end(2, made("a"));
    await stage.end(3, delivered);
    expect(asked(stage).slice(1)).toEqual(["post: oops ()", "delete m: "]);
  });

  test("reaches the newest 20 answers", async () => {
    const stage = await answered();
    for (let at = 3; at <= 23; at += 1) {
      await stage.act("reply", 2, `${at}`, answering);
      await stage.end(at, made(`a${at}`));
    }
    await stage.act("delete", 2);
    for (let at = 24; at <= 44; at += 1) await stage.end(at, delivered);
    const edits = asked(stage).filter((line) => line.startsWith("edit "));
    expect(edits).toHaveLength(20);
    expect([edits[0], edits[19]]).toEqual(["edit a4: 4 ()", "edit a23: 23 ()"]);
  });
});

test("a network that shows quotes by itself needs no list of answers", async () => {
  const stage = await opened(new Stage({ plan: planOf({}, [], ABLE) }));
  await stage.say(encode(aMessage({ text: WORDS })));
  await stage.end(1, made("m"));
  await stage.act("reply", 2, "oops", answering);
  await stage.end(2, made("a"));
  expect(await stage.log.ids.refs(2, `${LANE} #answers`)).toEqual([]);
});

import { expect } from "vitest";
import type { OpId } from "../../../src/contract/ids.ts";
import type { OpAuthor } from "../../../src/contract/ops.ts";
import { aSharedFile } from "../shared-file.ts";
import { ALICE, anAuthor, type Room, type Stage, textOf } from "../stage.ts";
import { COMMANDS, MANNERS, withoutSpace } from "../texts.ts";
import type { Case } from "./case.ts";
import { expectSame } from "./same.ts";

/** What the person has heard, checked to be exactly these texts by `ALICE`. */
async function expectHeard(stage: Stage, room: Room, texts: readonly string[]): Promise<void> {
  await stage.heard(room, texts.length);
  await stage.harness.settle();
  const heard = room.person.heard(room.channel.name).map((line) => textOf(line));
  expectSame(heard, texts, "what the person heard");
}

async function postsAreSeen(stage: Stage): Promise<void> {
  const room = await stage.room();
  const texts = ["one", "two", "three"];
  for (const text of texts) {
    const { outcome, attempt } = await stage.deliver(room, { text });
    const ended = await outcome;
    if (ended.is !== "delivered") return;
    for (const ref of attempt.messages) expect(ended.receipt.messages, "a ref told by sent()").toContain(ref);
    expect(ended.receipt.losses, "nothing of a plain short text is lost").toEqual([]);
  }
  await expectHeard(stage, room, texts);
  for (const heard of room.person.heard(room.channel.name)) {
    expect(heard.style).toBe("normal");
    if (stage.capabilities.identity[0] === "prefix") expect(heard.by, "the name it stands under").toBe(room.session.as);
  }
}

async function rialtoSpeaks(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.deliver(room, { text: "12 messages are left out.", author: null });
  const [heard] = await stage.heard(room, 1);
  expect(heard?.text, "a post without an author has nothing before its text").toBe("12 messages are left out.");
}

async function stylesGoOut(stage: Stage): Promise<void> {
  const room = await stage.room();
  await stage.deliver(room, { text: "waves", style: "action" });
  const [action] = await stage.heard(room, 1);
  expect(action?.style, "style of an action").toBe("action");
  expect(action?.text).toContain("waves");
  if (stage.capabilities.notice === "none") return;
  await stage.deliver(room, { text: "mind the gap", style: "notice" });
  const [, notice] = await stage.heard(room, 2);
  const style = stage.capabilities.notice === "native" ? "notice" : "normal";
  expect(notice?.style, "style of a notice").toBe(style);
  expect(notice?.text).toContain("mind the gap");
}

async function textsGoOutAsTheyAre(stage: Stage): Promise<void> {
  const room = await stage.room();
  for (const text of [...MANNERS, ...COMMANDS]) await stage.deliver(room, { text });
  await expectHeard(stage, room, [...MANNERS, ...COMMANDS]);
}

const CONTROLS = [
  "\r\nQUIT :one",
  "\nQUIT :two",
  "\rQUIT :three",
  "\0QUIT :four",
  "\u2028QUIT :five",
  "\u0085QUIT :six",
];

async function controlsInjectNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  const marks = CONTROLS.map((control) => control.slice(control.indexOf(":") + 1));
  for (const control of CONTROLS) await stage.deliver(room, { text: `before${control}` });
  const heard = await stage.until(
    () => (marks.every((mark) => seen(room).includes(mark)) ? seen(room) : null),
    () => `all of ${marks.join(", ")}; heard: ${JSON.stringify(seen(room))}`,
  );
  expect(heard.match(/before/gu)?.length, "the text before each control character").toBe(CONTROLS.length);
  expect(heard.match(/QUIT/gu)?.length, "the text behind each control character").toBe(CONTROLS.length);
}

async function authorsInjectNothing(stage: Stage): Promise<void> {
  const room = await stage.room();
  for (const [at, control] of CONTROLS.entries()) {
    const name = `mallory${control}`;
    const avatar = aSharedFile({ name: control, url: `https://example.org/${control}` });
    const author: OpAuthor = { ...anAuthor(name), id: name, avatar };
    await stage.deliver(room, { text: `text ${at}`, author });
  }
  await stage.until(
    () => CONTROLS.every((_, at) => seen(room).includes(`text ${at}`)),
    () => `all texts; heard: ${JSON.stringify(seen(room))}`,
  );
  const author: OpAuthor = { ...ALICE, id: ":x", name: ":x", shown: ":x /me " };
  await stage.deliver(room, { text: "/quit", author });
  await stage.until(
    () => seen(room).includes("/quit"),
    () => "the text of an author whose name begins like a command",
  );
}

function seen({ person, channel }: Room): string {
  return person
    .heard(channel.name)
    .map(({ text }) => text)
    .join("\n");
}

async function windowKeepsOrder(stage: Stage): Promise<void> {
  const room = await stage.room();
  const { inflightMax } = stage.capabilities.limits;
  const texts = Array.from({ length: Math.max(60, inflightMax * 2) }, (_, at) => `line ${at}`);
  const underWay: Promise<unknown>[] = [];
  for (const text of texts) {
    if (underWay.length === inflightMax) await underWay.shift();
    underWay.push(stage.deliver(room, { text }));
  }
  await Promise.all(underWay);
  await expectHeard(stage, room, texts);
}

async function sameOpTwice(stage: Stage): Promise<void> {
  const room = await stage.room();
  const id = "lane-1-7" as OpId;
  await stage.deliver(room, { text: "only once", id });
  await stage.deliver(room, { text: "only once", id, attempt: 2 });
  await stage.within(room.session.close(AbortSignal.timeout(2_000)), "close()");
  const { session } = await stage.open(room.host.cursors.at(-1) ?? null);
  const ref = await stage.join(session, room.channel);
  // After a restart nobody knows how many attempts there were.
  await stage.deliver({ session, ref }, { text: "only once", id, attempt: 1 });
  await stage.deliver({ session, ref }, { text: "the next" });
  await expectHeard(stage, { ...room, session, ref }, ["only once", "the next"]);
}

async function blankPostsEnd(stage: Stage): Promise<void> {
  const room = await stage.room();
  for (const text of ["", " ", "\n", "\r\n\r\n", "\0"]) {
    const outcome = await stage.post(room, { text, author: null }).outcome;
    expect(["delivered", "rejected"], `outcome of ${JSON.stringify(text)}`).toContain(outcome.is);
  }
  await stage.deliver(room, { text: "and on", author: null });
  await stage.until(
    () => withoutSpace(seen(room)).includes("andon"),
    () => "the post after blank ones",
  );
}

export const posting: readonly Case[] = [
  { name: "posts are delivered, and seen with their author, in order", run: postsAreSeen },
  { name: "a post without an author stands alone", run: rialtoSpeaks },
  { name: "actions and notices go out as such", run: stylesGoOut },
  { name: "texts of all kinds go out as they are", run: textsGoOutAsTheyAre },
  { name: "control characters in a text inject nothing", run: controlsInjectNothing },
  { name: "control characters in an author's name inject nothing", run: authorsInjectNothing },
  { name: "a post of nothing comes to an end", run: blankPostsEnd },
  { name: "as many posts at once as allowed keep their order", run: windowKeepsOrder },
  {
    name: "the same op again arrives once, also by a later session",
    when: ({ idempotency }) => idempotency.by !== "none",
    run: sameOpTwice,
  },
];

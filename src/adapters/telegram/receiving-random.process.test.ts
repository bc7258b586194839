import { expect, test } from "vitest";
import { addPerson, type Folk } from "../../../test/servers/telegram/people.ts";
import type { ChatRow, MessageRow } from "../../../test/servers/telegram/wire.ts";
import {
  joinChat,
  live,
  stop,
  telegramTown,
  type TelegramLife,
  type TelegramTown,
  toldBy,
  until,
} from "./town.suite.ts";

/** The same numbers on every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const file = (name: string) => ({ kind: "document" as const, file: { name, content: Buffer.from("x") } });

/** What people do in two chats, and what is to be told of it. */
class Doings {
  readonly said = new Map<ChatRow, string[]>();
  /** What may be told once more: an edit that changes nothing, of what an earlier session has told. */
  readonly again = new Set<string>();
  readonly #pick: (below: number) => number;
  readonly #rows: MessageRow[] = [];
  #count = 0;

  constructor(pick: (below: number) => number) {
    this.#pick = pick;
  }

  step(chat: ChatRow, who: Folk): void {
    const said = this.said.get(chat) ?? [];
    this.said.set(chat, said);
    const name = who.user.first_name;
    this.#count += 1;
    const words = `words ${this.#count}`;
    const row = this.#rows.findLast((one) => one.chat === chat && one.by === who.id);
    switch (this.#pick(5)) {
      case 0: {
        const names = [1, 2, 3].map((at) => `${this.#count}-${at}.txt`);
        who.album(chat, names.map(file), { more: {} });
        said.push(`${name}: ${names.map((one) => `[${one}]`).join(" ")}`);
        break;
      }
      case 1:
        if (row === undefined) return;
        who.edit(row, words);
        said.push(`${name} edits ${row.id}: ${words}`);
        break;
      case 2:
        if (row === undefined) return;
        who.touch(row);
        this.again.add(`${name} edits ${row.id}: ${row.wire.text ?? ""}`);
        break;
      default:
        this.#rows.push(who.say(chat, words));
        said.push(`${name}: ${words}`);
    }
  }
}

async function lives(town: TelegramTown, dock: ChatRow, doings: Doings, pick: (below: number) => number) {
  const folk = ["Bob", "Eve"].map((name) => addPerson(town.server, name));
  for (const chat of [town.chat, dock]) for (const one of folk) one.enter(chat);
  town.server.updates.forget(town.bot);
  let life: TelegramLife = await live(town, { others: [dock.id] });
  for (let round = 0; round < 12; round += 1) {
    for (let step = pick(12); step > 0; step -= 1) {
      const [chat, who] = [pick(2) === 0 ? town.chat : dock, folk[pick(2)]];
      if (who !== undefined) doings.step(chat, who);
      if (pick(6) === 0) await new Promise((resolve) => setTimeout(resolve, pick(40)));
    }
    // A stop, the end of a connection, or none.
    const end = pick(3);
    if (end === 0) continue;
    if (end === 1) await stop(life);
    else await life.session.close(new AbortController().signal);
    life = await live(town, { before: life, others: [dock.id] });
  }
  return life;
}

test.each([1, 2, 3])("whatever people do, over stops and losses, is told once and in order (%i)", async (seed) => {
  const town = await telegramTown();
  const dock = town.server.world.addSupergroup("Dock", town.alice.user);
  town.alice.add(dock, town.bot);
  town.alice.promote(dock, town.bot);
  const pick = chance(seed);
  const doings = new Doings(pick);
  const life = await lives(town, dock, doings, pick);
  await joinChat(life, dock.id);
  for (const chat of [town.chat, dock]) town.alice.say(chat, "over");
  await until(life, town, () => [town.chat, dock].every((chat) => toldBy(life.host, chat).includes("Alice: over")));
  for (const [chat, said] of doings.said) {
    const expected = [...said, "Alice: over"];
    let next = 0;
    const told = toldBy(life.host, chat).filter((words) => {
      if (words.startsWith("-")) return false;
      const isNext = words === expected[next];
      if (isNext) next += 1;
      return isNext || !doings.again.has(words);
    });
    expect(told).toEqual(expected);
  }
});

import { expect, test } from "vitest";
import type { WebGuest } from "./guest.ts";
import { webStage } from "./stage.ts";

const KILLS = 3;
const LIFE_MS = 700;

/** Says one after the other, each until it is taken, whatever happens to the server. */
async function talk(guest: WebGuest, said: string[], isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const text = `${guest.name}/${count}`;
    const { status } = await guest.sayUntilTaken(text);
    expect(status).toBe(201);
    said.push(text);
  }
}

test("kill -9 while guests speak: what was answered is there, once, for programs and for guests", async () => {
  const stage = await webStage("Rate = 100000\n");
  const invite = await stage.invite("--uses", "3");
  const guests = await Promise.all(["una", "vito", "walt"].map(async (name) => await stage.guest(name, invite)));
  let isOver = false;
  const said: string[] = [];
  const talking = guests.map(async (guest) => await talk(guest, said, () => isOver));
  for (let kills = 0; kills < KILLS; kills += 1) {
    await new Promise((resolve) => setTimeout(resolve, LIFE_MS));
    await stage.kill();
    await stage.start();
  }
  isOver = true;
  await Promise.all(talking);
  expect(said.length).toBeGreaterThan(KILLS);
  const heard: string[] = [];
  for (let texts = await stage.game.texts(); texts.length > 0; texts = await stage.game.texts()) heard.push(...texts);
  expect(heard.filter((text) => text.includes("/")).sort()).toEqual([...said].sort());
  const shown: string[] = [];
  for (let before = ""; ;) {
    const { json } = await (guests[0] as WebGuest).ask({ path: `/v1/history?limit=100${before}` });
    const { messages, more } = json as {
      messages: { id: string; blocks: { of: { text: string }[] }[] }[];
      more: boolean;
    };
    shown.push(...messages.map(({ blocks }) => blocks[0]?.of[0]?.text ?? ""));
    if (!more) break;
    before = `&before=${messages[0]?.id}`;
  }
  expect(shown.sort()).toEqual([...said].sort());
  await stage.stop();
});

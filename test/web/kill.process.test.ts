import { expect, test } from "vitest";
import { type Answered, idIn, type WebGuest, wordsOf } from "./guest.ts";
import { type WebStage, webStage } from "./stage.ts";

const KILLS = 3;
const LIFE_MS = 700;

/** Again until it is answered, whatever happens to the server. */
async function insist(ask: () => Promise<Answered>): Promise<Answered> {
  for (;;) {
    const answered = await ask().catch(() => null);
    if (answered !== null && answered.status !== 503 && answered.status !== 429) return answered;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Says one after the other, changes the second of three, and takes the third back. */
async function talk(guest: WebGuest, said: string[], isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const text = `${guest.name}/${count}`;
    const answered = await guest.sayUntilTaken(text);
    expect(answered.status).toBe(201);
    const path = `/v1/messages/${idIn(answered, "message")}`;
    if (count % 3 === 0) said.push(text);
    else if (count % 3 === 1) {
      const better = `${text}/better`;
      expect(
        (await insist(async () => await guest.ask({ method: "PATCH", path, body: { text: better } }))).status,
      ).toBe(200);
      said.push(better);
    } else expect((await insist(async () => await guest.ask({ method: "DELETE", path }))).status).toBe(204);
  }
}

/** What stands, as programs were told. */
async function heard({ game }: WebStage): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const gone = new Set<string>();
  for (let some = await game.poll(); some.length > 0; some = await game.poll()) {
    for (const { id, event, text } of some) {
      if (event === "msg_delete") {
        expect(texts.delete(id), `a second deletion, or one of nothing: ${id}`).toBe(true);
        gone.add(id);
      } else if (event === "msg_edit") texts.set(id, text);
      else if (event === "") {
        expect(texts.has(id) || gone.has(id), `${text} came twice`).toBe(false);
        texts.set(id, text);
      }
    }
  }
  return [...texts.values()].sort();
}

async function shown(guest: WebGuest): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let before = ""; ;) {
    const { json } = await guest.ask({ path: `/v1/history?limit=100${before}` });
    const { messages, more } = json as { messages: { id: string; blocks: object[] }[]; more: boolean };
    texts.push(...messages.map(({ blocks }) => wordsOf(blocks)));
    if (!more) return texts.sort();
    before = `&before=${messages[0]?.id}`;
  }
}

test("kill -9 while guests speak: what was answered is so, once, for programs and for guests", async () => {
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
  const wanted = [...said].sort();
  expect(await heard(stage)).toEqual(wanted);
  expect(await shown(guests[0] as WebGuest)).toEqual(wanted);
  await stage.stop();
});

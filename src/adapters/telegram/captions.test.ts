import { expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { type TelegramCaption, TelegramCaptions } from "./captions.ts";
import { aTelegramMessage, CREW } from "./message.suite.ts";

const caption = (id: number, text: string): TelegramCaption => ({ id, said: { text, entities: [] } });
const around = (captions: TelegramCaptions, id: number): readonly string[] | undefined =>
  captions.around(aTelegramMessage({ message_id: id }))?.map(({ said }) => said.text);

test("words of albums are there again, by each of their files", () => {
  const captions = new TelegramCaptions([]);
  captions.note(CREW.id, [caption(1, "tea"), caption(2, ""), caption(3, "milk")]);
  expect(captions.moved).toBe(true);
  const again = new TelegramCaptions(captions.write());
  expect([captions.moved, again.moved]).toEqual([false, false]);
  expect([around(again, 1), around(again, 2)]).toEqual([
    ["tea", "", "milk"],
    ["tea", "", "milk"],
  ]);
  expect(around(again, 4)).toBeUndefined();
  expect(again.around(aTelegramMessage({ message_id: 1, chat: { id: -5 } }))).toBeNull();
});

test("those that say one thing, or far too much, are not kept, nor those that come to that", () => {
  const captions = new TelegramCaptions([]);
  captions.note(CREW.id, [caption(1, "tea"), caption(2, "")]);
  captions.note(CREW.id, [caption(3, "x".repeat(3_000)), caption(4, "x".repeat(3_000))]);
  captions.note(CREW.id, []);
  expect([captions.moved, captions.write()]).toEqual([false, []]);
  captions.note(CREW.id, [caption(5, "tea"), caption(6, "milk")]);
  captions.write();
  captions.note(CREW.id, [caption(5, "tea"), caption(6, "")]);
  expect([captions.moved, captions.write()]).toEqual([true, []]);
});

test("only the last are kept", () => {
  const captions = new TelegramCaptions([]);
  for (let id = 0; id < 100; id += 2) captions.note(CREW.id, [caption(id, "a"), caption(id + 1, "b")]);
  expect(captions.write()).toHaveLength(10);
  expect([around(captions, 0), around(captions, 99)]).toEqual([undefined, ["a", "b"]]);
});

test("only the last are kept where they are long, in a later session as well", () => {
  const captions = new TelegramCaptions([]);
  const long = (id: number): readonly TelegramCaption[] => [
    caption(id, "x".repeat(900)),
    caption(id + 1, "y".repeat(900)),
  ];
  for (let id = 0; id < 20; id += 2) captions.note(CREW.id, long(id));
  const written = captions.write();
  expect([written.length, JSON.stringify(written).length < 6_500]).toEqual([3, true]);
  expect([around(captions, 13), around(captions, 14)?.length, around(captions, 19)?.length]).toEqual([undefined, 2, 2]);
  const kept = (id: number, text: string): Json => ({ id, text, entities: [] });
  const older = Array.from({ length: 10 }, (_, at) => {
    const captions = [kept(2 * at, "x".repeat(900)), kept(2 * at + 1, "y".repeat(900))];
    return { chat: CREW.id, captions };
  });
  expect(new TelegramCaptions(older).write()).toEqual(written);
});

test("what is no cursor is nothing", () => {
  const strange = [5, null, {}, { chat: "x" }, { chat: -1, captions: [5, { id: "x" }] }, { chat: -1, captions: "no" }];
  expect(new TelegramCaptions(strange).write()).toEqual([]);
});

import { expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { TakenMark } from "./taken-mark.ts";

function make({ written = true } = {}) {
  const harness = { position: 0, puts: [] as string[], written: [] as (() => void)[] };
  const put = (position: number, isUrgent: boolean): Promise<void> => {
    harness.puts.push(`${position}${isUrgent ? "!" : ""}`);
    return new Promise((resolve) => harness.written.push(resolve));
  };
  const mark = new TakenMark({ position: () => harness.position, written, put });
  const move = (position: number): void => {
    const isBack = position < harness.position;
    harness.position = position;
    if (isBack) mark.fell();
    else mark.moved();
  };
  return { harness, mark, move };
}

test("a position is put when the sockets were looked at since, the newest of those that came meanwhile", async () => {
  const { harness, move } = make();
  move(1);
  move(2);
  expect(harness.puts).toEqual([]);
  await settled();
  expect(harness.puts).toEqual(["2"]);
});

test("one that moved while another is being written is put without waiting for that", async () => {
  const { harness, move } = make();
  for (const position of [1, 2, 3]) {
    move(position);
    await settled();
  }
  expect(harness.puts).toEqual(["1", "2", "3"]);
});

test("what moved in one turn of the event loop is put in the next but one, however often it moves", async () => {
  const { harness, move } = make();
  const seen: string[] = [];
  for (const position of [1, 2, 3, 4]) {
    move(position);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(harness.puts.join(" "));
  }
  expect(seen).toEqual(["", "1", "1 2", "1 2 3"]);
});

test("a position that falls back before it was put is not put", async () => {
  const { harness, move } = make();
  move(5);
  move(2);
  await settled();
  expect(harness.puts).toEqual(["2"]);
});

test("one that falls back later is put at once, also while the other is being written", async () => {
  const { harness, move } = make();
  move(5);
  await settled();
  move(2);
  expect(harness.puts).toEqual(["5", "2!"]);
});

test("when it is settled, the position is on its way without delay", async () => {
  const { harness, mark, move } = make();
  move(5);
  const done = mark.settled();
  expect(harness.puts).toEqual(["5!"]);
  harness.written.shift()?.();
  await done;
  await settled();
  expect(harness.puts).toEqual(["5!"]);
});

test("a position of which the disk knows nothing is put when there is one, though it has not moved", async () => {
  const { harness, mark } = make({ written: false });
  await mark.settled();
  expect(harness.puts).toEqual([]);
  mark.moved();
  await settled();
  expect(harness.puts).toEqual(["0"]);
});

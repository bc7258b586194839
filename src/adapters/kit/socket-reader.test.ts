import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { SocketReader } from "./socket-reader.ts";
import { TurnBudget } from "./turn-budget.ts";

const PIECE = 8 * 1024;

/** A socket that the test makes read, in turns that it begins; each piece takes `pieceMs`. */
function reading(pieceMs: number) {
  let nowMs = 0;
  const due: (() => void)[] = [];
  const turns = new TurnBudget({ nowMs: () => nowMs, later: (next) => due.push(next) });
  const socket = Object.assign(new EventEmitter(), {
    isReading: true,
    pause: () => (socket.isReading = false),
    resume: () => (socket.isReading = true),
  });
  const heard: string[] = [];
  let onBytes: () => void = () => undefined;
  const reader = new SocketReader({
    socket: socket as unknown as Socket,
    turns,
    onBytes: (bytes) => {
      nowMs += pieceMs;
      heard.push(Buffer.from(bytes).toString());
      onBytes();
    },
    onClose: () => heard.push("closed"),
  });
  return {
    reader,
    socket,
    heard,
    does: (act: () => void) => (onBytes = act),
    nextTurn: () => {
      for (const next of due.splice(0)) next();
    },
  };
}

const bytesOf = (...letters: readonly string[]): Buffer =>
  Buffer.from(letters.map((one) => one.repeat(PIECE)).join(""));
const begins = (heard: readonly string[]): string => heard.map((one) => one.charAt(0)).join("");

test("what takes no time is handled at once, in pieces", () => {
  const { socket, heard } = reading(0);
  socket.emit("data", Buffer.from("short"));
  socket.emit("data", bytesOf("a", "b", "c"));
  expect(heard.map(({ length }) => length)).toEqual([5, PIECE, PIECE, PIECE]);
  expect(socket.isReading).toBe(true);
});

test("in each turn only as much is handled as there is time for, and nothing is read meanwhile", () => {
  const { socket, heard, nextTurn } = reading(2);
  socket.emit("data", bytesOf("a", "b", "c", "d", "e"));
  expect([begins(heard), socket.isReading]).toEqual(["abc", false]);
  nextTurn();
  expect([begins(heard), socket.isReading]).toEqual(["abcde", true]);
});

test("a flood of one connection leaves a turn to the others", () => {
  const flood = reading(5);
  flood.socket.emit("data", bytesOf("a", "b", "c"));
  expect(begins(flood.heard)).toBe("a");
  flood.nextTurn();
  expect(begins(flood.heard)).toBe("ab");
});

test("while it is paused nothing is handled, not even what was read before", () => {
  const { reader, socket, heard, does } = reading(0);
  does(() => reader.pause());
  socket.emit("data", bytesOf("a", "b"));
  expect([begins(heard), socket.isReading]).toEqual(["a", false]);
  does(() => undefined);
  reader.resume();
  expect([begins(heard), socket.isReading]).toEqual(["ab", true]);
});

test("all that came before the end is handled before the end, over several turns", () => {
  const { socket, heard, nextTurn } = reading(5);
  socket.emit("data", bytesOf("a", "b", "c"));
  socket.emit("close");
  expect(begins(heard)).toBe("a");
  nextTurn();
  nextTurn();
  expect(begins(heard)).toBe("abcc");
  expect(heard.at(-1)).toBe("closed");
});

test("after its stop nothing is handled", () => {
  const { reader, socket, heard, nextTurn } = reading(5);
  socket.emit("data", bytesOf("a", "b"));
  reader.stop();
  socket.emit("data", bytesOf("c"));
  socket.emit("close");
  nextTurn();
  expect(begins(heard)).toBe("a");
});

import { expect, test } from "vitest";
import { beginningMarks, forgetReaders, joiningMarks, leavingMarks } from "./reader-marks.ts";

type Reads = ReadonlyMap<string, readonly string[]>;
const reads = (...all: readonly [string, readonly string[]][]): Reads => new Map(all);

test("a new account begins at the head, in all its gateways, and has had no WebSocket, whoever had its name before", () => {
  expect(beginningMarks("api.x", reads(["a/#x", ["g", "h"]]), 7)).toEqual([
    { name: "api/api.x/poll", value: "7" },
    { name: "api/api.x/stream", value: "7" },
    { name: "api/api.x/websocket", value: "" },
    { name: "api/api.x/since/g", value: '[["a/#x",7]]' },
    { name: "api/api.x/since/h", value: '[["a/#x",7]]' },
  ]);
});

test("an account begins at the head in what is new to it, also where it was once", () => {
  const marks = new Map([
    ["api/api.x/since/g", '[["a/#x",1]]'],
    // Left behind: the log did not take that the account left.
    ["api/api.x/since/h", '[["a/#x",2]]'],
  ]);
  const before = reads(["a/#x", ["g"]]);
  const after = reads(["a/#x", ["g", "h"]], ["b/#y", ["g"]]);
  expect(joiningMarks("api.x", { before, after, marks, head: 9 })).toEqual([
    { name: "api/api.x/since/g", value: '[["a/#x",1],["b/#y",9]]' },
    { name: "api/api.x/since/h", value: '[["a/#x",9]]' },
  ]);
  expect(joiningMarks("api.x", { before, after: before, marks, head: 9 })).toEqual([]);
});

test("what an account reads no longer stays written until it does not, and is new when it comes back", () => {
  const marks = new Map([["api/api.x/since/g", '[["a/#x",1],["b/#y",2]]']]);
  const [before, after] = [reads(["a/#x", ["g"]], ["b/#y", ["g"]]), reads(["a/#x", ["g"]])];
  const joining = joiningMarks("api.x", { before, after, marks, head: 9 });
  for (const { name, value } of joining) marks.set(name, value);
  expect(leavingMarks("api.x", { reads: before, marks, head: 10 })).toEqual([]);
  expect(leavingMarks("api.x", { reads: after, marks, head: 10 })).toEqual([
    { name: "api/api.x/since/g", value: '[["a/#x",1]]' },
  ]);
  expect(joiningMarks("api.x", { before: after, after: before, marks, head: 11 })).toEqual([
    { name: "api/api.x/since/g", value: '[["a/#x",1],["b/#y",11]]' },
  ]);
});

test("what is no longer in the configuration is forgotten, and nothing else", async () => {
  const names = ["x/poll", "x/stream", "x/websocket", "x/since/g", "x/since/h", "xy/poll", "y/websocket", "y/since/g"];
  const marks = new Map(names.map((name) => [`api/api.${name}`, "1"]));
  const log = {
    marks: () => Promise.resolve(marks),
    unmark: (gone: readonly string[]) => {
      for (const name of gone) marks.delete(name);
      return Promise.resolve();
    },
  };
  await forgetReaders(log, ["api.x", "api.xy"], () => reads(["a/#x", ["g"]]));
  const kept = ["x/poll", "x/stream", "x/websocket", "x/since/g", "xy/poll"];
  expect([...marks.keys()]).toEqual(kept.map((name) => `api/api.${name}`));
});

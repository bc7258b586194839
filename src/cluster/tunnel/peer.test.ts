import { expect, test } from "vitest";
import { TunnelPeer } from "./peer.ts";

const MIB = 1024 * 1024;

test("no more is on its way to a process than 4 MiB, and who waits goes on when it has come", () => {
  const asked: number[] = [];
  const peer = new TunnelPeer((count) => asked.push(count));
  const pumped: string[] = [];
  const gone = { pump: () => pumped.push("gone") };
  while (peer.room > 0) peer.sent(256 * 1024);
  expect([asked.at(0), asked.at(-1), peer.room]).toEqual([MIB / 2, 4 * MIB, 0]);
  peer.wait({ pump: () => pumped.push("waits") });
  peer.wait(gone);
  peer.forget(gone);
  peer.came(MIB);
  expect([peer.room, pumped]).toEqual([MIB, ["waits"]]);
  // What is late or was never asked changes nothing.
  peer.came(MIB / 2);
  peer.came(5 * MIB);
  expect([peer.room, pumped]).toEqual([MIB, ["waits"]]);
});

test("it is asked again while something has not come, as an answer may be lost", () => {
  const asked: number[] = [];
  const peer = new TunnelPeer((count) => asked.push(count));
  peer.look();
  peer.sent(10);
  peer.look();
  peer.look();
  peer.came(10);
  peer.look();
  expect(asked).toEqual([10, 10]);
});

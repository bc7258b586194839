import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import { TURNS } from "./turn-budget.ts";

/** Connects to a server on this machine and passes on what it says; resolves with what ends the connection. */
type Listen = (port: number, heard: (text: string) => void) => Promise<() => void>;

/** Expects that what a server says waits until a turn of the event loop has time for it. */
export async function expectTurns(listen: Listen): Promise<void> {
  const waiting: (() => void)[] = [];
  const isSpent = vi.spyOn(TURNS, "isSpent", "get").mockReturnValue(true);
  const wait = vi.spyOn(TURNS, "wait").mockImplementation((begin) => void waiting.push(begin));
  const server = createServer((socket) => socket.on("error", () => undefined).write("PING"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let heard = "";
  const end = await listen((server.address() as AddressInfo).port, (text) => (heard += text));
  onTestFinished(() => {
    isSpent.mockRestore();
    wait.mockRestore();
    end();
    server.close();
  });
  const happened = (): Promise<number> => Promise.resolve(heard.length + waiting.length);
  await eventually(
    happened,
    (count) => count > 0,
    () => "what the server says",
  );
  expect([heard, waiting.length]).toEqual(["", 1]);
  isSpent.mockReturnValue(false);
  for (const begin of waiting) begin();
  expect(heard).toBe("PING");
}

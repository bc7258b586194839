import type { Proxy } from "../servers/proxy.ts";
import type { Harness } from "./fixture.ts";

/** More than loopback needs to pass on what it has. */
const SETTLE_MS = 60;

interface FakeSite {
  readonly wire: Pick<Proxy, "cut" | "stall" | "flow">;
  stop(): Promise<void>;
}

/** What of a harness is the same for all servers that are a fake of ours. */
export function onFake(server: FakeSite): Pick<Harness, "cut" | "stall" | "settle" | "dispose"> {
  const { wire } = server;
  return {
    cut: async () => await Promise.resolve(wire.cut()),
    stall: async () => {
      wire.stall();
      return await Promise.resolve(async () => await Promise.resolve(wire.flow()));
    },
    settle: async () => await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
    dispose: async () => await server.stop(),
  };
}

/** Each guest has another name. */
export function guestNames(): () => string {
  let people = 0;
  return () => `guest${(people += 1)}`;
}

/** By name. */
export const ONE_AND_TWO: Harness["channels"] = [
  { name: "one", options: {} },
  { name: "two", options: {} },
];

import { settled } from "../support/fake-clock.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { FakeTraits } from "./fake-script.ts";
import type { Fixture, Harness, Feature } from "./fixture.ts";

/** The fake network as a ground for the shared suite: a new network per case. */
export function fakeFixture(traits: Partial<FakeTraits> = {}, patienceMs = 4_000): Fixture {
  const { adapter } = new FakeNetwork(traits);
  // Each case has its own network; `load` of the ground's adapter goes to the one of the case that runs.
  let current = adapter;
  return {
    adapter: { ...adapter, load: async () => await current.load() },
    features: offersOf(adapter.capabilities.ops.edit === "native"),
    start: () => {
      const network = new FakeNetwork(traits);
      current = network.adapter;
      return Promise.resolve(harnessOf(network, patienceMs));
    },
  };
}

function offersOf(isRich: boolean): ReadonlySet<Feature> {
  const poor: readonly Feature[] = [
    "auth",
    "config",
    "unreachable",
    "refused",
    "kick",
    "leave",
    "stall",
    "members",
    "rooms",
    "typing",
    "showsTyping",
  ];
  const rich: readonly Feature[] = [
    "edit",
    "erase",
    "react",
    "reply",
    "thread",
    "file",
    "notified",
    "history",
    "fetch",
    "setTopic",
  ];
  return new Set([...poor, ...(isRich ? rich : [])]);
}

function harnessOf(network: FakeNetwork, patienceMs: number): Harness {
  network.refuse("closed", { code: "forbidden", message: "members only" }, 60_000);
  const { settings } = network;
  return {
    settings: { ...settings, token: "good" },
    wrong: {
      auth: { ...settings, token: "bad-token" },
      config: { ...settings, nick: "" },
      unreachable: { ...settings, server: "elsewhere" },
    },
    channels: [
      { name: "one", options: {} },
      { name: "two", options: {} },
    ],
    refused: { name: "closed", options: {} },
    secrets: [],
    burst: 3_000,
    patienceMs,
    person: () => Promise.resolve(network.person()),
    cut: () => {
      network.cut();
      return Promise.resolve();
    },
    stall: () => {
      const resume = network.stall();
      return Promise.resolve(() => {
        resume();
        return Promise.resolve();
      });
    },
    settle: async () => {
      await settled();
      if (network.traits.latencyMs > 0)
        await new Promise((resolve) => setTimeout(resolve, network.traits.latencyMs * 10));
    },
    dispose: () => {
      network.cut();
      return Promise.resolve();
    },
  };
}

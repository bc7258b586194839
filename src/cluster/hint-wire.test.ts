import type { NatsConnection } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { HINTS_MAX, HintWire, type NodeHint } from "./hint-wire.ts";

type Callback = (error: null, message: { readonly data: Uint8Array; string(): string }) => void;

/** Servers that pass on what is published, to everybody who listens to the subject. */
class Air {
  readonly ears = new Map<string, Set<Callback>>();
  nowMs = 0;
  isCut = false;

  wire(run: string): HintWire {
    const nc = {
      publish: (subject: string, text: string): void => {
        if (this.isCut) throw new Error("closed");
        const data = Buffer.from(text);
        for (const ear of this.ears.get(subject) ?? []) ear(null, { data, string: () => text });
      },
      subscribe: (subject: string, { callback }: { readonly callback: Callback }) => {
        const ears = this.ears.get(subject) ?? new Set();
        this.ears.set(subject, ears.add(callback));
        return { unsubscribe: () => ears.delete(callback) };
      },
    };
    return new HintWire({ nc: nc as unknown as NatsConnection, shard: "0", run, monoMs: () => this.nowMs });
  }

  shout(text: string): void {
    const data = Buffer.from(text);
    for (const ear of this.ears.get("r.hint.0") ?? []) ear(null, { data, string: () => text });
  }
}

const hint: NodeHint = { kind: "typing", on: true, forMs: 5_000, author: { id: "u", name: "ann", bot: false } };

test("a hint reaches the other nodes, and not its own", () => {
  const air = new Air();
  const told: string[] = [];
  const wires = ["a", "b", "c"].map((run) => {
    const wire = air.wire(run);
    wire.listen((account, channel, { kind, on, forMs, author }) =>
      told.push(JSON.stringify([run, account, channel, kind, on, forMs, author.name])),
    );
    return wire;
  });
  wires[0]?.say("net.x", "#c", hint);
  expect(told).toEqual(["b", "c"].map((run) => JSON.stringify([run, "net.x", "#c", "typing", true, 5_000, "ann"])));
});

const sound = { run: "b", account: "net.x", channel: "#c", ...hint };

test.each<[string, unknown]>([
  ["no JSON", "{"],
  ["no object", [sound]],
  ["another kind", { ...sound, kind: "weather" }],
  ["no account", { ...sound, account: 7 }],
  ["no author", { ...sound, author: null }],
  ["an author without a name", { ...sound, author: { id: "u" } }],
  ["a time that is none", { ...sound, forMs: "long" }],
  ["too much", { ...sound, channel: "x".repeat(20_000) }],
])("what another program says there is passed over: %s", (_, word) => {
  const air = new Air();
  const told: string[] = [];
  air.wire("a").listen((account) => told.push(account));
  air.shout(typeof word === "string" ? word : JSON.stringify(word));
  expect(told).toEqual([]);
  air.shout(JSON.stringify(sound));
  expect(told).toEqual(["net.x"]);
});

test("a node says so many hints a second, none that is too long, and none without a connection", () => {
  const air = new Air();
  let told = 0;
  const end = air.wire("a").listen(() => (told += 1));
  const wire = air.wire("b");
  for (let count = 0; count < HINTS_MAX + 50; count += 1) wire.say("net.x", "#c", hint);
  expect(told).toBe(HINTS_MAX);
  air.nowMs += 1_000;
  wire.say("net.x", "x".repeat(5_000), hint);
  wire.say("net.x", "#c", hint);
  expect(told).toBe(HINTS_MAX + 1);
  air.isCut = true;
  wire.say("net.x", "#c", hint);
  air.isCut = false;
  end();
  wire.say("net.x", "#c", hint);
  expect(told).toBe(HINTS_MAX + 1);
});

/**
 * What the gateways cost per message: the source's filters, the look-up of the route, the view of one reader and the
 * codec, with 1, 100 and 10 000 gateways in the configuration. `node bench/gateways.ts`
 */
import { fileURLToPath } from "node:url";
import type { Account, Config } from "../src/config/config.ts";
import type { Message } from "../src/contract/message.ts";
import { decode, encode } from "../src/gateway/codec.ts";
import { compileInbound, type Inbound } from "../src/gateway/inbound.ts";
import { compileRoutes, type Routes } from "../src/gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../src/gateway/samples.suite.ts";
import { subjectOf } from "../src/gateway/subject.ts";
import { compileView, type View } from "../src/gateway/view.ts";
import type { Result, RunOptions } from "./lib/result.ts";
import { median } from "./lib/stats.ts";

const SIZES = [1, 100, 10_000] as const;
/** Distinct messages, as many for every size; with 10 000 gateways each is from another one. */
const MESSAGES = 10_000;
const GOAL = 1.3;

interface World {
  readonly routes: Routes;
  readonly views: ReadonlyMap<string, View>;
  readonly inbound: ReadonlyMap<string, Inbound>;
  /** Messages of rooms spread over all gateways, with the account and the subject they come from. */
  readonly said: readonly { readonly account: string; readonly subject: string; readonly message: Message }[];
}

export async function run({ smoke }: RunOptions): Promise<Result> {
  const rounds = smoke ? 3 : 41;
  const perRound = smoke ? 500 : 10_000;
  const worlds = SIZES.map((size) => build(size));
  for (const harness of worlds) relay(harness, perRound);
  const samples = worlds.map((): number[] => []);
  let shown = 0;
  // In turn, so that what else the machine does weighs on all sizes alike.
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, world] of worlds.entries()) {
      const started = performance.now();
      shown += relay(world, perRound);
      samples[index]?.push(((performance.now() - started) * 1e6) / perRound);
    }
  }
  const costs = samples.map(median);
  const [one = 0] = costs;
  const perSize = SIZES.map((size, index) => ({
    what: `cost per message with ${size} gateways`,
    value: Math.round(costs[index] ?? 0),
    unit: "ns",
  }));
  const ratios = SIZES.slice(1).map((size, index) => ({
    what: `${size} gateways against 1`,
    value: Number(((costs[index + 1] ?? 0) / one).toFixed(2)),
    unit: "x",
    goal: { op: "<=" as const, value: GOAL },
  }));
  return { name: "gateways", figures: [...perSize, ...ratios], ok: shown === rounds * perRound * SIZES.length };
}

/** Relays this many messages; returns how many reader's lines came out, which is one for each. */
function relay({ routes, views, inbound, said }: World, count: number): number {
  let lines = 0;
  for (let n = 0; n < count; n += 1) {
    const { account, subject, message } = said[n % said.length] ?? fail();
    const verdict = (inbound.get(account) ?? fail())(message);
    if (verdict.is === "drop") continue;
    const payload = encode(verdict.message);
    for (const target of routes.targets(subject)) {
      const view = views.get(target.account.key);
      if (view === undefined || !view.admits(verdict.message.event)) continue;
      if (encode(view.show(decode(payload), target.gateway)).length > 0) lines += 1;
    }
  }
  return lines;
}

/**
 * Gateways of two rooms and one API account; a thousand gateways share their three accounts, as on a big installation.
 */
function build(gateways: number): World {
  const accounts = new Map<string, Account>();
  const account = (name: string): string => {
    const made = anAccount(name, {
      remoteNickFormat: name.startsWith("api.") ? "[{PROTOCOL}] <{NICK}> " : "{NICK}",
      ignoreNicks: ["^spam(mer)?$"],
      replaceMessages: [["\\bfoo(\\d+)\\b", "bar$1"]],
      replaceNicks: [["_+$", ""]],
    });
    accounts.set(made.key, accounts.get(made.key) ?? made);
    return name;
  };
  const list = Array.from({ length: gateways }, (_, n) => {
    const group = Math.floor(n / 1000);
    return aGateway(`gateway${n}`, [
      `inout ${account(`left.n${group}`)} #room${n}`,
      `inout ${account(`right.n${group}`)} #room${n}`,
      `inout ${account(`api.n${group}`)} api`,
    ]);
  });
  return compile(aConfig(list, [...accounts.values()]), gateways);
}

function compile(config: Config, gateways: number): World {
  const accounts = [...config.accounts.values()];
  const said = Array.from({ length: MESSAGES }, (_, n) => {
    const number = Math.floor((n * gateways) / MESSAGES);
    const account = `left.n${Math.floor(number / 1000)}`;
    const channel = `#room${number}`;
    const message = aMessage({
      text: `a line of usual length, number ${n}, said at 10:30:45 by somebody :smile:`,
      account,
      channel,
    });
    return { account, subject: subjectOf(account, channel), message };
  });
  return {
    routes: compileRoutes(config),
    views: new Map(
      accounts.filter((each) => each.protocol === "api").map((each) => [each.key, compileView(each, config.accounts)]),
    ),
    inbound: new Map(accounts.map((each) => [each.key, compileInbound(each)])),
    said,
  };
}

function fail(): never {
  throw new Error("the benchmark's own table has a hole");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { figures } = await run({ smoke: process.argv.includes("--smoke") });
  for (const { what, value, unit, goal } of figures) {
    console.log(`${what}: ${value} ${unit}${goal === undefined ? "" : ` (goal ${goal.op} ${goal.value})`}`);
  }
}

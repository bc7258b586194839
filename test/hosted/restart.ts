import { describe, expect, test } from "vitest";
import { EventLabel } from "../../src/contract/message.ts";
import { say } from "./figures.ts";
import { Home } from "./home.ts";
import type { Network, Side } from "./network.ts";
import type { Town } from "./town.ts";

const ACTS = ["edit", "reply", "react", "delete"] as const;
type Act = (typeof ACTS)[number];
/** Messages that say the same, by what is to be done to one of them. */
type Targets = ReadonlyMap<Act, readonly string[]>;

/** Of three that say the same, this one is meant while Rialto is away, and that one when it is back. */
const AWAY = 0;
const BACK = 1;
const EQUAL = 3;

const STOPS = [
  ["SIGTERM", async ({ rialto }: Home<Side>) => await rialto.stop()],
  ["SIGKILL", async ({ rialto }: Home<Side>) => await rialto.kill9()],
] as const;

/** Rialto ends between a message and what is done to it. */
export function describeRestart(network: Network<Side>): void {
  const { modes, protocol } = network;
  describe(`${protocol}, restart`, () => {
    test.each(STOPS)("%s: what is done hits the right one of three that say the same", async (name, stop) => {
      const home = await Home.found(
        network,
        modes.map((mode) => ({ mode })),
      );
      await home.live();
      const talks = await home.each(talk);
      await stop(home);
      await home.each(async ({ side }, at) => {
        for (const act of ACTS) await actOfAlice(side, act, talks[at]?.theirs.get(act)?.[AWAY], "away");
      });
      await home.live();
      await home.each(async (town, at) => {
        for (const act of ACTS) {
          await actOfAlice(town.side, act, talks[at]?.theirs.get(act)?.[BACK], "back");
          await actOfApi(town, act, talks[at]?.ours.get(act)?.[BACK] ?? "");
        }
      });
      const found = await home.each(async (town, at) => await became(town, network, talks[at]?.copies ?? new Map()));
      say(`${name} between a message and what is done to it (${modes.join()})`, found);
      expect(found).toEqual(modes.map(() => wanted(network)));
    });
  });
}

async function became(town: Town<Side>, { tellsDeletions = true }: Network<Side>, copies: Targets) {
  await town.fence("after");
  // As for outages.
  const areGone = (): boolean =>
    byThem(town)
      .delete.slice(AWAY, BACK + 1)
      .every((told) => told.length > 0);
  if (tellsDeletions) await town.until(areGone, "the deletions");
  return { "by us": byUs(town.side, copies), "by them": byThem(town) };
}

const wanted = ({ tellsDeletions = true }: Network<Side>) => ({
  "by us": {
    edit: ["ours to edit", "edited", "ours to edit"],
    reply: ["", "answer", ""],
    react: ["", "👍", ""],
    delete: ["stands", "gone", "stands"],
  },
  "by them": {
    edit: [["edited away"], ["edited back"], []],
    reply: [["answer away"], ["answer back"], []],
    react: [["👍"], ["👍"], []],
    delete: tellsDeletions ? [["gone"], ["gone"], []] : [[], [], []],
  },
});

interface Talk {
  readonly ours: Targets;
  readonly theirs: Targets;
  /** The names on the server of what we said. */
  readonly copies: Targets;
}

async function talk(town: Town<Side>): Promise<Talk> {
  const ours = new Map<Act, string[]>(ACTS.map((act) => [act, []]));
  const theirs = new Map<Act, string[]>(ACTS.map((act) => [act, []]));
  for (const act of ACTS) {
    for (let at = 0; at < EQUAL; at += 1) {
      ours.get(act)?.push(await town.post(`ours to ${act}`));
      theirs.get(act)?.push(await town.side.say(`theirs to ${act}`));
    }
  }
  await town.fence("before");
  const rows = town.side.standing();
  const copies = new Map(
    ACTS.map((act) => [act, rows.flatMap(({ id, text }) => (text === `ours to ${act}` ? [id] : []))]),
  );
  return { ours, theirs, copies };
}

async function actOfAlice(side: Side, act: Act, id: string | undefined, when: string): Promise<void> {
  if (id === undefined) throw new Error("nothing was said");
  if (act === "edit") side.edit(id, `edited ${when}`);
  if (act === "reply") await side.reply(id, `answer ${when}`);
  if (act === "react") side.react(id, "👍");
  if (act === "delete") side.erase(id);
}

async function actOfApi(town: Town<Side>, act: Act, id: string): Promise<void> {
  if (act === "edit") await town.edit(id, "edited");
  if (act === "reply") await town.post("answer", { parent_id: id });
  if (act === "react") await town.react(id, "👍");
  if (act === "delete") await town.erase(id);
}

/** What became of each of the three on the server. */
function byUs(side: Side, copies: Targets): Record<Act, readonly string[]> {
  const rows = side.standing();
  const row = (id: string) => rows.find((row) => row.id === id);
  const answers = (id: string) => rows.flatMap(({ answers, text }) => (answers === id ? [text] : []));
  const each = (act: Act, became: (id: string) => string): readonly string[] => (copies.get(act) ?? []).map(became);
  return {
    edit: each("edit", (id) => row(id)?.text ?? "gone"),
    reply: each("reply", (id) => answers(id).join()),
    react: each("react", (id) => row(id)?.reactions.join() ?? "gone"),
    delete: each("delete", (id) => (row(id) === undefined ? "gone" : "stands")),
  };
}

/** What the API was told of each of the three. */
function byThem(town: Town<Side>): Record<Act, readonly (readonly string[])[]> {
  const told = town.told();
  const of = (act: Act) => town.heard(`theirs to ${act}`).map(({ id }) => id);
  const changes = (act: Act, event: string) =>
    of(act).map((of) =>
      told.flatMap((message) => (message.event === event && message.id === of ? [message.text] : [])),
    );
  return {
    edit: changes("edit", EventLabel.edit),
    reply: of("reply").map((of) => told.flatMap(({ parent_id: parent, text }) => (parent === of ? [text] : []))),
    react: changes("react", EventLabel.reaction),
    delete: changes("delete", EventLabel.delete).map((texts) => texts.map(() => "gone")),
  };
}

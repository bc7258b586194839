import { expect, test } from "vitest";
import type { MessageRow } from "../servers/discord/wire.ts";
import { answeredBy, say, Town, wordsOf } from "./town.ts";

const ACTS = ["edit", "reply", "react", "delete"] as const;
type Act = (typeof ACTS)[number];
/** Of three that say the same, this one is meant while Rialto is away, and that one when it is back. */
const AWAY = 0;
const BACK = 1;
const EQUAL = 3;

const STOPS = [
  ["SIGTERM", async (town: Town) => await town.rialto.stop()],
  ["SIGKILL", async (town: Town) => await town.rialto.kill9()],
] as const;
const CASES = STOPS.flatMap(([name, stop]) =>
  (["webhooks", "bot"] as const).map((mode) => [name, mode, stop] as const),
);

test.each(CASES)(
  "%s, %s: what is done to a message hits the right one of three that say the same",
  async (name, mode, stop) => {
    const town = await Town.start(mode);
    const ours = new Map<Act, string[]>();
    const theirs = new Map<Act, MessageRow[]>();
    for (const act of ACTS) {
      for (let at = 0; at < EQUAL; at += 1) {
        ours.set(act, [...(ours.get(act) ?? []), await town.post(`ours to ${act}`)]);
        const post = await town.hear(`theirs to ${act}`);
        theirs.set(act, [...(theirs.get(act) ?? []), post]);
      }
    }
    await town.fence("before");
    const rows = town.rows();
    const copies = new Map(
      ACTS.map((act) => [act, rows.flatMap((row) => (wordsOf(row) === `ours to ${act}` ? [row.id] : []))]),
    );
    await stop(town);
    for (const act of ACTS) await actOfAlice(town, act, theirs.get(act)?.[AWAY], "away");
    await town.live();
    for (const act of ACTS) {
      await actOfAlice(town, act, theirs.get(act)?.[BACK], "back");
      await actOfApi(town, act, ours.get(act)?.[BACK] ?? "");
    }
    await town.fence("after");
    const found = { "by us": byUs(town, copies), "by them": byThem(town) };
    say(`${name} between a message and what is done to it (${mode})`, found);
    expect(found).toEqual({
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
        delete: [["gone"], ["gone"], []],
      },
    });
  },
);

async function actOfAlice({ side }: Town, act: Act, row: MessageRow | undefined, when: string): Promise<void> {
  if (row === undefined) throw new Error("nothing was said");
  if (act === "edit") side.alice.edit(row, `edited ${when}`);
  if (act === "reply") side.alice.reply(row, `answer ${when}`);
  if (act === "react") side.alice.react(row, "👍");
  if (act === "delete") side.alice.erase(row);
  await Promise.resolve();
}

async function actOfApi(town: Town, act: Act, id: string): Promise<void> {
  if (act === "edit") await town.edit(id, "edited");
  if (act === "reply") await town.post("answer", { parent_id: id });
  if (act === "react") await town.react(id, "👍");
  if (act === "delete") await town.erase(id);
}

/** What became of each of the three on the server. */
function byUs(town: Town, copies: ReadonlyMap<Act, readonly string[]>): Record<Act, readonly string[]> {
  const { messages } = town.side.server.world;
  const rows = town.rows();
  const answers = (id: string): string =>
    rows
      .filter((row) => answeredBy(row) === id)
      .map(wordsOf)
      .join();
  const reactions = (id: string): string =>
    (messages.get(id)?.reactions ?? []).flatMap(({ emoji, users }) => (users.length > 0 ? [emoji.name] : [])).join();
  const each = (act: Act, became: (id: string) => string): readonly string[] => (copies.get(act) ?? []).map(became);
  return {
    edit: each("edit", (id) => rows.flatMap((row) => (row.id === id ? [wordsOf(row)] : [])).join()),
    reply: each("reply", answers),
    react: each("react", reactions),
    delete: each("delete", (id) => (messages.has(id) ? "stands" : "gone")),
  };
}

/** What the API was told of each of the three. */
function byThem(town: Town): Record<Act, readonly (readonly string[])[]> {
  const told = town.told();
  const of = (act: Act) => town.heard(`theirs to ${act}`).map(({ id }) => id);
  const changes = (act: Act, event: string) =>
    of(act).map((of) =>
      told.flatMap((message) => (message.event === event && message.id === of ? [message.text] : [])),
    );
  return {
    edit: changes("edit", "msg_edit"),
    reply: of("reply").map((of) => told.flatMap(({ parent_id: parent, text }) => (parent === of ? [text] : []))),
    react: changes("react", "msg_reaction"),
    delete: changes("delete", "msg_delete").map((texts) => texts.map(() => "gone")),
  };
}

import { expect, test } from "vitest";
import type { WirePost } from "../servers/mattermost/wire.ts";
import { say, Town } from "./town.ts";

const ACTS = ["edit", "reply", "react", "delete"] as const;
type Act = (typeof ACTS)[number];
/** Of three that say the same, this one is meant while Rialto is away, and that one when it is back. */
const AWAY = 0;
const BACK = 1;
const EQUAL = 3;

test.each([
  ["SIGTERM", async (town: Town) => await town.rialto.stop()],
  ["SIGKILL", async (town: Town) => await town.rialto.kill9()],
])("%s between a message and what is done to it: the right one of three that say the same", async (name, stop) => {
  const town = await Town.start();
  const ours = new Map<Act, string[]>();
  const theirs = new Map<Act, WirePost[]>();
  for (const act of ACTS) {
    for (let at = 0; at < EQUAL; at += 1) {
      ours.set(act, [...(ours.get(act) ?? []), await town.post(`ours to ${act}`)]);
      const post = await town.hear(`theirs to ${act}`);
      theirs.set(act, [...(theirs.get(act) ?? []), post]);
    }
  }
  await town.fence("before");
  await stop(town);
  for (const act of ACTS) await actOfAlice(town, act, theirs.get(act)?.[AWAY], "away");
  await town.live();
  for (const act of ACTS) {
    await actOfAlice(town, act, theirs.get(act)?.[BACK], "back");
    await actOfApi(town, act, ours.get(act)?.[BACK] ?? "");
  }
  await town.fence("after");
  const found = { "by us": byUs(town), "by them": byThem(town) };
  say(`${name} between a message and what is done to it`, found);
  expect(found).toEqual({
    "by us": {
      edit: ["ours to edit", "edited", "ours to edit"],
      reply: ["", "answer", ""],
      react: ["", "+1", ""],
      delete: ["stands", "gone", "stands"],
    },
    "by them": {
      edit: [["edited away"], ["edited back"], []],
      reply: [["answer away"], ["answer back"], []],
      react: [["👍"], ["👍"], []],
      delete: [["gone"], ["gone"], []],
    },
  });
});

async function actOfAlice({ side }: Town, act: Act, post: WirePost | undefined, when: string): Promise<void> {
  if (post === undefined) throw new Error("nothing was said");
  if (act === "edit") side.alice.edit(post.id, `edited ${when}`);
  if (act === "reply") await side.alice.reply(post, `answer ${when}`);
  if (act === "react") side.alice.react(post.id, "thumbsup");
  if (act === "delete") side.alice.erase(post.id);
}

async function actOfApi(town: Town, act: Act, id: string): Promise<void> {
  if (act === "edit") await town.edit(id, "edited");
  if (act === "reply") await town.post("answer", { parent_id: id });
  if (act === "react") await town.react(id, "👍");
  if (act === "delete") await town.erase(id);
}

/** What became of each of the three on the server. */
function byUs(town: Town): Record<Act, readonly string[]> {
  const rows = town.rows();
  const { reactions } = town.side.server.world;
  // An edit leaves the words of before in another row.
  const first = new Map(
    [...town.side.server.world.posts.values()].flatMap((row) =>
      row.original_id === "" ? [] : [[row.original_id, row.message] as const],
    ),
  );
  const of = (act: Act) => rows.filter(({ id, message }) => (first.get(id) ?? message) === `ours to ${act}`);
  return {
    edit: of("edit").map(({ message }) => message),
    reply: of("reply").map(({ id }) =>
      rows.flatMap(({ root_id: root, message }) => (root === id ? [message] : [])).join(),
    ),
    react: of("react").map(({ id }) => (reactions.get(id) ?? []).map(({ emoji_name: name }) => name).join()),
    delete: of("delete").map(({ delete_at: at }) => (at > 0 ? "gone" : "stands")),
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

import { expect, test } from "vitest";
import type { Which } from "../servers/mattermost/faults.ts";
import { figures, numbered, say, Town, whole } from "./town.ts";

/** More than one page of a channel. */
const LATER = 250;

/** Words of more than two parts: a post has 16 383 characters at most. */
const LONG = 4_000;

interface Case {
  readonly what: string;
  /** The request whose answer is lost. */
  readonly which: Which;
  /** As `requests` of the server names it. */
  readonly request: RegExp;
  readonly act: (town: Town, id: string) => Promise<unknown>;
  /** How often it was done: once. */
  readonly done: (town: Town) => number;
}

const FILE = { Name: "a.txt", Data: Buffer.from("content").toString("base64") };

const CASES: readonly Case[] = [
  {
    what: "post",
    which: { method: "POST", path: /^\/posts$/ },
    request: /^POST \/posts$/,
    act: async (town) => await town.post("news"),
    done: (town) => town.shown().filter((text) => text === "news").length,
  },
  {
    what: "edit",
    which: { method: "PUT", path: "/posts/" },
    request: /^PUT \/posts\//,
    act: async (town, id) => await town.edit(id, "target, edited"),
    done: (town) => town.shown().filter((text) => text === "target, edited").length,
  },
  {
    what: "deletion",
    which: { method: "DELETE", path: "/posts/" },
    request: /^DELETE \/posts\//,
    act: async (town, id) => await town.erase(id),
    done: (town) => town.rows().filter((row) => row.message === "target" && row.delete_at > 0).length,
  },
  {
    what: "reaction",
    which: { method: "POST", path: "/reactions" },
    request: /^POST \/reactions$/,
    act: async (town, id) => await town.react(id, "👍"),
    done: (town) => [...town.side.server.world.reactions.values()].flat().length,
  },
  {
    what: "upload",
    which: { method: "POST", path: "/files" },
    request: /^POST \/files$/,
    act: async (town) => await town.post("a file", { Extra: { file: [FILE] } }),
    done: (town) => town.rows().reduce((sum, row) => sum + (row.file_ids?.length ?? 0), 0),
  },
];

/** Says a decoy and the target, loses the answer of what is done to it, and comes back once it was done. */
async function lose(town: Town, { which, request, act, what }: Case): Promise<void> {
  const { faults, requests } = town.side.server;
  await town.post("decoy");
  const id = await town.post("target");
  await town.fence("before");
  const before = requests.filter((one) => request.test(one)).length;
  faults.loseAnswer(which);
  await act(town, id);
  await town.until(() => requests.filter((one) => request.test(one)).length > before, `the request of the ${what}`);
}

async function settle(town: Town, { what, done }: Case, how: string): Promise<void> {
  await town.fence("after");
  const found = { done: done(town), unconfirmed: await town.unconfirmed() };
  say(`the answer of a ${what} is lost, ${how}`, found);
  expect(found).toEqual({ done: 1, unconfirmed: 0 });
  expect(town.shown()).toContain("decoy");
  // What we did ourselves is no news.
  expect(town.told().filter(({ username }) => username !== "alice" && username !== "anna")).toEqual([]);
}

test.each(CASES)("the answer of a $what is lost: done once", async (one) => {
  const town = await Town.start();
  await lose(town, one);
  await settle(town, one, "in one life");
});

test.each(CASES)("the answer of a $what is lost, and Rialto is killed: done once", async (one) => {
  const town = await Town.start();
  await lose(town, one);
  await town.rialto.kill9();
  await town.live();
  await settle(town, one, "with a kill");
});

test.each([
  ["in one life", async () => await Promise.resolve()],
  [
    "with a kill",
    async (town: Town) => {
      await town.rialto.kill9();
      await town.begin();
    },
  ],
  [
    "with a kill, after which others have said more than a page, also to the first post of all",
    async (town: Town) => {
      await town.rialto.kill9();
      const { alice, server } = town.side;
      const first = [...server.world.posts.values()].find(({ user_id: user }) => user === alice.id);
      if (first === undefined) throw new Error("nobody has said anything");
      for (const text of numbered("later", LATER)) await town.hear(text);
      server.world.clock.pass(1);
      await alice.reply(server.posts.shelf.show(first), "to the first");
      await town.begin();
    },
  ],
  [
    "with a server that starts anew",
    async (town: Town) => {
      await town.side.server.restart();
    },
  ],
] as const)(
  "the answer of a post is lost, and the server no longer knows its key, %s: it stands once",
  async (how, then) => {
    const town = await Town.start();
    const [one] = CASES;
    if (one === undefined) throw new Error("there is a case");
    // It looks for what it may have posted before it posts again: that waits until the key is forgotten.
    const release = town.side.server.faults.hold({ method: "GET", path: /^\/channels\/[^/]+\/posts$/ }, 1);
    await lose(town, one);
    town.side.server.world.clock.pass(31_000);
    await then(town);
    release();
    await settle(town, one, `the key forgotten, ${how}`);
  },
);

test("the answer of the second part of a long post is lost, and Rialto is killed: each part stands once", async () => {
  const town = await Town.start();
  const { faults, requests } = town.side.server;
  const which = { method: "POST", path: /^\/posts$/ };
  const words = numbered("word", LONG);
  const before = requests.filter((one) => one === "POST /posts").length;
  // The first one goes through.
  faults.hold(which)();
  faults.loseAnswer(which);
  await town.post(words.join(" "));
  await town.until(() => requests.filter((one) => one === "POST /posts").length >= before + 2, "the second part");
  await town.rialto.kill9();
  town.side.server.world.clock.pass(31_000);
  await town.live();
  const said =
    town
      .shown()
      .join(" ")
      .match(/\bword \d+/gu) ?? [];
  const found = { ...figures(words, said), unconfirmed: await town.unconfirmed() };
  say("the answer of a second part is lost, with a kill", found);
  expect(found).toEqual({ ...whole(LONG), unconfirmed: 0 });
});

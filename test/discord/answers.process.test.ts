import { expect, test } from "vitest";
import type { Which } from "../servers/discord/faults.ts";
import { EVERYBODY } from "../servers/discord/permissions.ts";
import { figures, type Mode, numbered, say, Town, whole } from "./town.ts";

/** More than two pages of a channel. */
const LATER = 250;

/** Words of more than two parts: a message has 2000 characters at most. */
const LONG = 500;

const FILE = { Name: "a.txt", Data: Buffer.from("content").toString("base64") };

/** Requests that post, by how Rialto speaks. */
const POST: Readonly<Record<Mode, Which & { readonly path: RegExp }>> = {
  webhooks: { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/u },
  bot: { method: "POST", path: /^\/channels\/\d+\/messages$/u },
};
const CHANGE: Readonly<Record<Mode, RegExp>> = {
  webhooks: /^\/webhooks\/\d+\/[^/]+\/messages\//u,
  bot: /^\/channels\/\d+\/messages\/\d+$/u,
};

interface Case {
  readonly what: string;
  /** The request whose answer is lost. */
  readonly which: (mode: Mode) => Which & { readonly path: RegExp };
  /** `target`: what was said, and its id. */
  readonly act: (town: Town, id: string, target: string) => Promise<unknown>;
  /** How often it was done: once. */
  readonly done: (town: Town, target: string) => number;
}

const shown = (town: Town, text: string): number => town.shown().filter((one) => one === text).length;

const CASES: readonly Case[] = [
  {
    what: "post",
    which: (mode) => POST[mode],
    act: async (town, _, target) => await town.post(target),
    done: (town, target) => shown(town, target) - 1,
  },
  {
    what: "edit",
    which: (mode) => ({ method: "PATCH", path: CHANGE[mode] }),
    act: async (town, id, target) => await town.edit(id, `${target}, edited`),
    done: (town, target) => shown(town, `${target}, edited`),
  },
  {
    what: "deletion",
    which: (mode) => ({ method: "DELETE", path: CHANGE[mode] }),
    act: async (town, id) => await town.erase(id),
    done: (town, target) => 1 - shown(town, target),
  },
  {
    what: "reaction",
    which: () => ({ method: "PUT", path: /\/reactions\//u }),
    act: async (town, id) => await town.react(id, "👍"),
    done: (town) =>
      town.rows().reduce((sum, { reactions }) => sum + reactions.reduce((all, { users }) => all + users.length, 0), 0),
  },
  {
    what: "file",
    which: (mode) => POST[mode],
    act: async (town) => await town.post("a file", { Extra: { file: [FILE] } }),
    done: (town) => town.rows().reduce((sum, { wire }) => sum + wire.attachments.length, 0),
  },
];

const MODES = ["webhooks", "bot"] as const;
const targetOf = ({ what }: Case): string => `the ${what}'s target`;

/** Says a decoy and the target, loses the answer of what is done to it, and comes back once it was done. */
async function lose(town: Town, one: Case, mode: Mode): Promise<void> {
  const { faults, requests } = town.side.server;
  const { what, act } = one;
  const which = one.which(mode);
  await town.post("decoy");
  const id = await town.post(targetOf(one));
  await town.fence(`before the ${what}`);
  const count = (): number =>
    requests.filter((one) => one.startsWith(`${which.method} `) && which.path.test(one.split(" ")[1] ?? "")).length;
  const before = count();
  faults.loseAnswer(which);
  await act(town, id, targetOf(one));
  await town.until(() => count() > before, `the request of the ${what}`);
}

/** Each was done once, and what was done is no news. Ends Rialto. */
async function settle(town: Town, cases: readonly Case[], how: string): Promise<void> {
  await town.fence("after");
  const done = Object.fromEntries(cases.map((one) => [one.what, one.done(town, targetOf(one))]));
  const found = { done, unconfirmed: await town.unconfirmed() };
  say(`answers are lost, ${how}`, found);
  expect(found).toEqual({ done: Object.fromEntries(cases.map(({ what }) => [what, 1])), unconfirmed: 0 });
  expect(town.shown()).toContain("decoy");
  expect(town.told().filter(({ username }) => username !== "alice" && username !== "anna")).toEqual([]);
}

test.each(MODES)(
  "the answers of a post, an edit, a deletion, a reaction and a file are lost (%s): done once",
  async (mode) => {
    const town = await Town.start(mode);
    for (const one of CASES) {
      await lose(town, one, mode);
      await town.fence(`after the ${one.what}`);
    }
    await settle(town, CASES, `in one life (${mode})`);
  },
);

test.each(MODES)("the same, and Rialto is killed each time (%s): done once", async (mode) => {
  const town = await Town.start(mode);
  for (const one of CASES) {
    await lose(town, one, mode);
    await town.rialto.kill9();
    await town.live();
  }
  await settle(town, CASES, `with a kill each time (${mode})`);
});

const KILLS: readonly (readonly [string, (town: Town) => Promise<void>])[] = [
  ["in one life", async () => await Promise.resolve()],
  [
    "with a kill",
    async (town) => {
      await town.rialto.kill9();
      await town.begin();
    },
  ],
  [
    "with a kill, after which others have said more than two pages",
    async (town) => {
      await town.rialto.kill9();
      for (const text of numbered("later", LATER)) await town.hear(text);
      await town.begin();
    },
  ],
  [
    "with a server that starts anew",
    async (town) => {
      await town.side.server.restart();
    },
  ],
];

test.each(KILLS.flatMap(([how, then]) => MODES.map((mode) => [how, mode, then] as const)))(
  "the answer of a post is lost, and the server no longer knows its nonce, %s (%s): it stands once",
  async (how, mode, then) => {
    const town = await Town.start(mode);
    const post = CASES.find(({ what }) => what === "post");
    if (post === undefined) throw new Error("there is a case");
    // It looks for what it may have posted before it posts again: that waits until the nonce is forgotten.
    const release = town.side.server.faults.hold({ method: "GET", path: /^\/channels\/\d+\/messages$/u }, 1);
    await lose(town, post, mode);
    town.side.server.world.clock.pass(121_000);
    await then(town);
    release();
    await settle(town, [post], `the nonce forgotten, ${how} (${mode})`);
  },
);

test.each(MODES)(
  "the answer of the second part of a long post is lost (%s), and Rialto is killed: each part stands once",
  async (mode) => {
    const town = await Town.start(mode);
    const { faults, requests } = town.side.server;
    const words = numbered("word", LONG);
    const isPost = (one: string): boolean => one.startsWith("POST ") && POST[mode].path.test(one.slice(5));
    const before = requests.filter(isPost).length;
    // The first one goes through.
    faults.hold(POST[mode])();
    faults.loseAnswer(POST[mode]);
    await town.post(words.join(" "));
    await town.until(() => requests.filter(isPost).length >= before + 2, "the second part");
    await town.rialto.kill9();
    town.side.server.world.clock.pass(121_000);
    await town.live();
    const said =
      town
        .shown()
        .join(" ")
        .match(/\bword \d+/gu) ?? [];
    const found = { ...figures(words, said), unconfirmed: await town.unconfirmed() };
    say(`the answer of a second part is lost, with a kill (${mode})`, found);
    expect(found).toEqual({ ...whole(LONG), unconfirmed: 0 });
  },
);

test.each(MODES)(
  "of three posts that say the same the answer of the second is lost (%s), and Rialto is killed: three stand",
  async (mode) => {
    const town = await Town.start(mode);
    const { faults, requests, world } = town.side.server;
    const count = (): number => requests.filter((one) => POST[mode].path.test(one.replace("POST ", ""))).length;
    const before = count();
    faults.hold(POST[mode])();
    faults.loseAnswer(POST[mode]);
    for (let number = 0; number < 3; number += 1) await town.post("same");
    await town.until(() => count() >= before + 2, "the second");
    await town.rialto.kill9();
    world.clock.pass(121_000);
    await town.live();
    const found = { stand: shown(town, "same"), unconfirmed: await town.unconfirmed() };
    say(`the answer of the second of three equal posts is lost, with a kill (${mode})`, found);
    expect(found).toEqual({ stand: 3, unconfirmed: 0 });
  },
);

test.each([
  ["in one life", async (town: Town) => void (await Promise.resolve(town))],
  [
    "with a kill",
    async (town: Town) => {
      await town.rialto.kill9();
      await town.begin();
    },
  ],
])("the answer to making the webhook is lost, %s: there is one of ours", async (how, then) => {
  const town = await Town.start("bot");
  const { app, channel, guild, server } = town.side;
  await town.rialto.stop();
  const which = { method: "POST", path: /^\/channels\/\d+\/webhooks$/u };
  server.faults.loseAnswer(which);
  server.world.changeRole(guild, guild.roles.get(guild.id)!, [...EVERYBODY, "ManageWebhooks"]);
  await town.begin();
  await town.post("target");
  const made = (): number => server.requests.filter((one) => /^POST \/channels\/\d+\/webhooks$/u.test(one)).length;
  await town.until(() => made() > 0, "the request");
  await then(town);
  await town.fence("after");
  const ours = server.webhooks.of(channel.id).filter(({ application }) => application === app.user.id);
  const found = { webhooks: ours.length, posts: shown(town, "target"), unconfirmed: await town.unconfirmed() };
  say(`the answer to making the webhook is lost, ${how}`, found);
  expect(found).toEqual({ webhooks: 1, posts: 1, unconfirmed: 0 });
});

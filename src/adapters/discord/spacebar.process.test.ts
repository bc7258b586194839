import { describe, expect, test } from "vitest";
import { doOp, postOf } from "../../../test/contract/ops.ts";
import { aSharedFile } from "../../../test/contract/shared-file.ts";
import { until } from "../../../test/contract/life.ts";
import { messageRef } from "./ids.ts";
import { aFile, ours, outLife, outTown, said } from "./sending.suite.ts";
import { discordTown, type DiscordTown, live, tryOpen } from "./town.suite.ts";

/** Servers that resemble Discord: what they lack, and what they want. */

const spacebar = async (): Promise<DiscordTown> => await discordTown({ isSpacebar: true });

describe("a server that resembles Discord", () => {
  test("lets Rialto in by its own version, without lists of threads and switches of the portal", async () => {
    const town = await spacebar();
    const { host } = await live(town, null);
    town.alice.say(town.channel, "hello");
    await until(host, "Alice: hello");
    expect(host.doubts.filter((why) => why !== null)).toEqual([]);
    expect(town.server.requests.filter((one) => one.includes("/v10"))).toEqual([]);
  });

  test("is known by its rights from the start, also where the session goes on", async () => {
    const town = await spacebar();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    const second = await tryOpen(town, { host: first.host, since: first.host.cursors.at(-1) ?? null });
    if (!second.opened.ok) throw new Error(second.opened.ended.why.message);
    const joined = await second.opened.session.join({ name: "town", options: {} }, new AbortController().signal);
    expect(joined).toMatchObject({ ok: true });
  });

  const avatar = aSharedFile({ name: "a.png", url: "https://pics.example/a.png" });
  const author = { id: "b", name: "Bob", shown: "Bob", avatar, account: "irc.a" };
  const EXECUTE = { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/u } as const;

  test("and fails with an avatar again and again is sent the message without it", async () => {
    const town = await outTown(undefined, { isSpacebar: true });
    const life = outLife(town);
    const op = postOf(life.ref, "hello", { author });
    expect((await doOp(life, op)).outcome).toMatchObject({ is: "unknown" });
    expect((await doOp(life, op)).outcome).toMatchObject({ is: "unknown" });
    expect((await doOp(life, op)).outcome).toMatchObject({ is: "delivered" });
    expect((await doOp(life, postOf(life.ref, "again", { author }))).outcome).toMatchObject({ is: "delivered" });
    expect(said(ours(town))).toEqual(["hello", "again"]);
    expect(ours(town).map(({ wire }) => wire.author.username)).toEqual(["Bob", "Bob"]);
  });

  test("that fails with the message itself keeps the avatar for the others", async () => {
    const town = await outTown();
    const life = outLife(town);
    town.server.faults.fail(EXECUTE, 500, 4);
    const op = postOf(life.ref, "hello", { author });
    for (const _ of [1, 2, 3, 4]) expect((await doOp(life, op)).outcome).toMatchObject({ is: "unknown" });
    expect((await doOp(life, op)).outcome).toMatchObject({ is: "delivered" });
    expect(ours(town)[0]?.wire.author.avatar).not.toBeNull();
  });

  test("and refuses uploads is sent the text, with a line for the file", async () => {
    const town = await outTown(undefined, { isSpacebar: true });
    const life = outLife(town);
    const file = { ...aFile(life, "map.png", 3), url: "https://files.example/map.png" };
    const post = postOf(life.ref, "look");
    const { outcome } = await doOp(life, { ...post, body: { ...post.body, files: [file] } });
    expect(outcome).toMatchObject({ is: "delivered", receipt: { losses: [{ what: "file" }] } });
    expect(said(ours(town))).toEqual([expect.stringMatching(/^look\n.*https:\/\/files\.example\/map\.png/su)]);
  });

  test("gets links to itself", async () => {
    const town = await outTown(undefined, { isSpacebar: true });
    const life = outLife(town, { settings: { ApiURL: "https://chat.example.org/api/v9" } });
    const asked = town.alice.say(town.channel, "who?");
    const reply = { target: messageRef({ thread: null, id: asked.id }), name: "alice", excerpt: "who?" };
    await doOp(life, postOf(life.ref, "me", { reply }));
    expect(said(ours(town))[0]).toContain(`(<https://chat.example.org/channels/${town.guild.id}/${town.channel.id}/`);
  });
});

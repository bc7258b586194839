import { describe, expect, test } from "vitest";
import { until } from "../../../test/contract/life.ts";
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
});

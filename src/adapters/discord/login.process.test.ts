import { describe, expect, test } from "vitest";
import { stop, until } from "../../../test/contract/life.ts";
import { addBot, Folk } from "../../../test/servers/discord/people.ts";
import type { ChannelRow } from "../../../test/servers/discord/wire.ts";
import { eventually, within } from "../../../test/support/wait.ts";
import { discordTown, type DiscordTown, live, tryOpen } from "./town.suite.ts";

const signal = new AbortController().signal;

const ownerOf = ({ server, guild }: DiscordTown): Folk => new Folk(server, guild, server.world.user(guild.ownerId));

/** What is said to people about the connection, as it is now. */
function saidBy({ doubts }: { readonly doubts: readonly ({ readonly message: string } | null)[] }): readonly string[] {
  return doubts.map((why) => why?.message ?? "over");
}

/** When it is to be tried again. */
function againMs(said: object | undefined): number {
  return said !== undefined && "retryInMs" in said && typeof said.retryInMs === "number" ? said.retryInMs : Infinity;
}

describe("logging in", () => {
  test.each([
    ["a wrong token", { Token: "wrong" }, "auth", /does not accept Token.*Reset Token/u],
    [
      "a server that the bot is not on",
      { Server: "Elsewhere" },
      "config",
      /http:\/\/127\.0\.0\.1:\d+\/oauth2\/authorize\?client_id=/u,
    ],
    ["another path", { ApiURL: "HERE/elsewhere" }, "config", /no API of Discord at ApiURL/u],
    ["nobody there", { ApiURL: "http://127.0.0.1:1/api" }, "lost", /cannot be reached/u],
  ] as const)("%s is said, with what to do", async (_, settings, cause, words) => {
    const town = await discordTown();
    const given = {
      ...settings,
      ...("ApiURL" in settings && { ApiURL: settings.ApiURL.replace("HERE", new URL(town.server.url).origin) }),
    };
    const { opened } = await tryOpen(town, { settings: given });
    expect(opened).toMatchObject({
      ok: false,
      ended: { cause, why: { message: expect.stringMatching(words) as string } },
    });
  });

  test.each([
    ["by its name", "Crew"],
    ["by its name but for case", "crew"],
    ["by its id", "ID:"],
  ])("the server is found %s", async (_, written) => {
    const town = await discordTown();
    const Server = written === "ID:" ? `ID:${town.guild.id}` : written;
    expect((await tryOpen(town, { settings: { Server, Token: `Bot ${town.app.token}` } })).opened.ok).toBe(true);
  });

  test("without the content of messages nobody is let in; without the members it goes on, and says so", async () => {
    const town = await discordTown();
    town.app.portal.members = false;
    const { opened, host } = await tryOpen(town);
    expect(opened.ok).toBe(true);
    expect(saidBy(host)).toEqual([expect.stringMatching(/Server Members Intent at 127\.0\.0\.1:\d+ > /u)]);
    town.app.portal.messageContent = false;
    const second = await tryOpen(town);
    expect(second.opened).toMatchObject({
      ok: false,
      ended: { cause: "config", why: { message: expect.stringMatching(/Message Content Intent/u) as string } },
    });
  });

  test.each(["/users/@me", "/applications/@me", "/users/@me/guilds", "/guilds/", "/gateway/bot", "/gateway"])(
    "an error of the servers at %s is lost, and leaves nothing behind",
    async (path) => {
      const town = await discordTown();
      town.server.faults.fail({ method: "GET", path }, 503);
      expect((await tryOpen(town)).opened).toMatchObject({ ok: false, ended: { cause: "lost" } });
      expect(town.server.sockets.count).toBe(0);
      expect((await tryOpen(town)).opened.ok).toBe(true);
    },
  );

  test("a bot that may begin no more sessions today says when it may", async () => {
    const town = await discordTown();
    town.server.world.hub.starts = 0;
    expect((await tryOpen(town)).opened).toMatchObject({
      ok: false,
      ended: { cause: "lost", why: { code: "rate_limited", message: expect.stringMatching(/in 24 h/u) as string } },
    });
  });

  test("a token that is revoked ends the session", async () => {
    const town = await discordTown();
    const { session } = await live(town);
    town.server.world.hub.revoke(town.app);
    const ended = await within(session.ended, () => "the end of the session");
    expect(ended).toMatchObject({ cause: "auth", why: { message: expect.stringMatching(/Reset Token/u) as string } });
  });
});

describe("rooms", () => {
  const join = async (town: DiscordTown, name: string, webhook = "") => {
    const { opened, host } = await tryOpen(town);
    if (!opened.ok) throw new Error(opened.ended.why.message);
    const options: Readonly<Record<string, string>> = webhook === "" ? {} : { webhookurl: webhook };
    return { host, session: opened.session, joined: await opened.session.join({ name, options }, signal) };
  };

  test("are found by name, by category and name, and by id, also threads", async () => {
    const town = await discordTown();
    const { world } = town.server;
    const [one, two] = ["Harbour", "Town"].map((name) => world.addChannel(town.guild, name, 4));
    const [first, second] = [one, two].map((category) => world.addChannel(town.guild, "general", 0, category));
    const thread = town.alice.startThread(town.alice.say(town.channel, "first"), "a thread");
    const { opened } = await tryOpen(town);
    if (!opened.ok) throw new Error(opened.ended.why.message);
    const at = async (name: string) => await opened.session.join({ name, options: {} }, signal);
    expect(await at("Harbour/general")).toMatchObject({ ok: true, ref: first?.id });
    expect(await at(`ID:${second?.id}`)).toMatchObject({ ok: true, ref: second?.id });
    expect(await at(`ID:${thread.id}`)).toMatchObject({ ok: true, ref: thread.id });
    expect(await at("general")).toMatchObject({
      ok: false,
      why: {
        message: expect.stringContaining(
          `Harbour/general (ID:${first?.id}), Town/general (ID:${second?.id})`,
        ) as string,
      },
    });
    expect(await at("nowhere")).toMatchObject({ ok: false, why: { code: "not_found" } });
    expect(await at("ID:1")).toMatchObject({ ok: false, why: { code: "not_found" } });
    expect(await at("Harbour")).toMatchObject({ ok: false });
  });

  test.each(["ViewChannel", "SendMessages", "ReadMessageHistory"] as const)(
    "without %s a room is refused, or lost, until the permission is there",
    async (right) => {
      const town = await discordTown({ rights: [] });
      const deny = (denied: readonly (typeof right)[]): void =>
        town.server.world.overwrite(town.channel, town.guild.id, [], denied);
      deny([right]);
      const words = {
        ViewChannel: "View Channel",
        SendMessages: "Send Messages",
        ReadMessageHistory: "Read Message History",
      };
      const { joined, session, host } = await join(town, "town");
      expect(joined).toMatchObject({
        ok: false,
        why: { code: "forbidden", message: expect.stringContaining(words[right]) as string },
      });
      deny([]);
      await until(host, () => host.losses.length === 1);
      expect(host.losses[0]).toMatchObject({ retryInMs: 0, why: { message: "the channel can be used now" } });
      expect((await session.join({ name: "town", options: {} }, signal)).ok).toBe(true);
      deny([right]);
      await until(host, () => host.losses.length === 2);
      expect(host.losses[1]).toMatchObject({ why: { message: expect.stringContaining(words[right]) as string } });
      deny([]);
      await until(host, () => host.losses.length === 3);
      expect(host.losses[2]).toMatchObject({ retryInMs: 0, why: { message: "the channel can be used now" } });
    },
  );

  test("are lost in a time-out of the bot, and refused until it is over", async () => {
    const town = await discordTown();
    const life = await live(town);
    ownerOf(town).timeOut(town.app.user, 600_000);
    await until(life.host, () => life.host.losses.length === 1);
    const words = expect.stringContaining("is in a time-out on the server Crew for 10 min more") as string;
    expect(life.host.losses[0]?.why).toMatchObject({ code: "forbidden", message: words });
    const joined = await life.session.join({ name: "town", options: {} }, signal);
    expect(joined).toMatchObject({ ok: false, why: { message: words } });
    for (const again of [life.host.losses[0], joined]) expect(againMs(again)).toBeLessThanOrEqual(600_000);
  });

  test("that are deleted are lost, and one of that name is joined again", async () => {
    const town = await discordTown();
    const life = await live(town);
    ownerOf(town).deleteChannel(town.channel);
    await until(life.host, () => life.host.losses.length === 1);
    expect(life.host.losses[0]?.why).toMatchObject({ code: "not_found", message: "the channel was deleted" });
    expect((await life.session.join({ name: "town", options: {} }, signal)).ok).toBe(false);
    const again = town.server.world.addChannel(town.guild, "town");
    await until(life.host, () => life.host.losses.length === 2);
    expect(await life.session.join({ name: "town", options: {} }, signal)).toMatchObject({ ok: true, ref: again.id });
  });

  test("say how large a file may be", async () => {
    const town = await discordTown();
    town.server.world.boost(town.guild, 2);
    expect((await join(town, "town")).joined).toMatchObject({ limits: { fileBytesMax: 50 << 20 }, without: [] });
  });

  test("may have a webhook of their own, which must be theirs", async () => {
    const town = await discordTown({ rights: [] });
    const other = town.server.world.addChannel(town.guild, "other");
    const url = (channel: ChannelRow): string => {
      const { id, token } = town.server.webhooks.make(town.guild.ownerId, channel, "hook", null);
      return `${town.server.url}/webhooks/${id}/${token}`;
    };
    expect((await join(town, "town", url(town.channel))).joined.ok).toBe(true);
    expect((await join(town, "town", url(other))).joined).toMatchObject({
      ok: false,
      why: { code: "config", message: expect.stringContaining("is of #other") as string },
    });
    expect((await join(town, "town", `${town.server.url}/webhooks/123/nothing`)).joined).toMatchObject({
      ok: false,
      why: { code: "config", message: expect.stringContaining("no longer there") as string },
    });
  });
});

describe("the server", () => {
  test("that has trouble is in doubt until it is back", async () => {
    const town = await discordTown();
    const { host } = await live(town);
    town.server.world.hub.tellOutage(town.guild);
    await until(host, () => saidBy(host).some((said) => said.includes("trouble with the server Crew")));
    town.server.world.hub.tellGuild(town.guild, town.app.user.id);
    await until(host, () => saidBy(host).at(-1) === "over");
    expect(host.losses).toEqual([]);
  });

  test("that was in trouble is asked for what was said meanwhile", async () => {
    const town = await discordTown();
    const { host } = await live(town);
    const { hub } = town.server.world;
    hub.tellOutage(town.guild);
    const put = hub.put.bind(hub);
    hub.put = () => undefined;
    town.alice.say(town.channel, "meanwhile");
    hub.put = put;
    hub.tellGuild(town.guild, town.app.user.id);
    await until(host, "Alice: meanwhile");
  });

  test("that removed the bot and let it in again, all while Rialto was away, is as before", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    ownerOf(town).kick(town.app.user);
    town.alice.say(town.channel, "two");
    addBot(town.server, town.guild, town.app);
    const second = await live(town, first);
    await until(second.host, "Alice: two");
    town.alice.say(town.channel, "three");
    await until(second.host, "Alice: three");
    expect(town.server.sockets.logins.map((said) => said.split(" ")[0])).toEqual(["IDENTIFY", "RESUME"]);
  });

  test("that removes the bot ends the session with the way back", async () => {
    const town = await discordTown();
    const { session } = await live(town);
    ownerOf(town).kick(town.app.user);
    const ended = await within(session.ended, () => "the end of the session");
    expect(ended).toMatchObject({ cause: "config", why: { message: expect.stringMatching(/client_id=/u) as string } });
  });

  test("that lets webhooks be made has names beside messages again", async () => {
    const town = await discordTown({ rights: [] });
    const { host } = await live(town);
    expect(saidBy(host)).toEqual([expect.stringContaining("Manage Webhooks")]);
    town.server.world.overwrite(town.channel, town.guild.id, ["ManageWebhooks"], []);
    await eventually(
      async () => await Promise.resolve(saidBy(host).at(-1)),
      (said) => said === "over",
      () => "names to be beside messages",
    );
  });
});

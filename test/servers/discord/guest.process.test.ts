import { expect, test } from "vitest";
import { DiscordGuest } from "./guest.ts";
import { furnish } from "./people.ts";
import { FakeDiscord } from "./server.ts";

test("people of the suite hear what others say, with what has become of it", async () => {
  const server = await FakeDiscord.start();
  try {
    const guild = server.world.addGuild("Crew", server.world.addUser("owner"));
    furnish(server, guild);
    let people = 0;
    const fresh = (): string => `guest${(people += 1)}`;
    const [one, two] = [new DiscordGuest(server, guild, fresh), new DiscordGuest(server, guild, fresh)];
    for (const guest of [one, two]) await guest.join({ name: "dock", options: {} });
    const first = await one.write("dock", "a*b @everyone");
    await one.say("dock", "waves", "action");
    await two.react("dock", first, "👍", true);
    const reply = await one.write("dock", "frist", { reply: first });
    await one.edit("dock", reply, "first");
    const gone = await one.write("dock", "gone");
    await one.erase("dock", gone);
    const file = { name: "map.bin", mime: "", content: Buffer.from([1, 2]), comment: "see" };
    const sent = await one.sendFile("dock", file);
    await one.write("dock", "inside", { thread: first });
    expect(two.heard("dock")).toMatchObject([
      { by: "guest1", text: "a*b @everyone", style: "normal", handle: first, reactions: ["👍"] },
      { text: "waves", style: "action" },
      { text: "first", reply: first },
      { text: "see", file: "map.bin" },
      { text: "inside", thread: first },
    ]);
    expect(two.notified("dock")).toEqual(["a*b @everyone"]);
    expect(await two.fetch("dock", sent)).toEqual(file.content);
    expect(await one.rename()).toBe("guest3");
    await two.kick("dock", "guest3");
    await two.leave();
    expect([...guild.members.values()].map(({ user }) => user.username)).toEqual(["owner"]);
  } finally {
    await server.stop();
  }
});

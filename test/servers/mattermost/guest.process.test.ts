import { expect, test } from "vitest";
import { MattermostGuest } from "./guest.ts";
import { FakeMattermost } from "./server.ts";

test("people of the suite hear what others say, with what has become of it", async () => {
  const server = await FakeMattermost.start();
  try {
    const team = server.world.addTeam("crew");
    server.world.addChannel(team.id, "dock");
    let people = 0;
    const fresh = (): string => `guest${(people += 1)}`;
    const [one, two] = [new MattermostGuest(server, team, fresh), new MattermostGuest(server, team, fresh)];
    for (const guest of [one, two]) await guest.join({ name: "dock", options: {} });
    const first = await one.write("dock", "a*b @guest2");
    await one.say("dock", "waves", "action");
    await two.react("dock", first, "👍", true);
    const reply = await one.write("dock", "frist", { reply: first });
    await one.edit("dock", reply, "first");
    const gone = await one.write("dock", "gone");
    await one.erase("dock", gone);
    const file = { name: "map.bin", mime: "", content: Buffer.from([1, 2]), comment: "see" };
    const sent = await one.sendFile("dock", file);
    expect(two.heard("dock")).toMatchObject([
      { by: "guest1", text: "a*b @guest2", style: "normal", handle: first, reactions: ["👍"] },
      { text: "waves", style: "action" },
      { text: "first", reply: first, thread: first },
      { text: "see", file: "map.bin" },
    ]);
    expect(two.notified("dock")).toEqual(["a*b @guest2"]);
    expect(await two.fetch("dock", sent)).toEqual(file.content);
    await two.leave("dock");
    expect(await one.rename()).toBe("guest3");
  } finally {
    await server.stop();
  }
});

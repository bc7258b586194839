import { describe, expect, test } from "vitest";
import { needs } from "./installed.ts";
import { startBouncer } from "./irc/bouncer.ts";
import { startInspircd } from "./irc/inspircd.ts";
import { startNgircd } from "./irc/ngircd.ts";
import { iiPerson } from "./people/ii.ts";
import { pythonPerson } from "./people/python.ts";
import { weechatPerson } from "./people/weechat.ts";
import { startProxy } from "./proxy.ts";
import { onStage } from "./stage.ts";

needs(["ngircd", "inspircd", "python3-irc", "ii", "weechat-headless"], () => {
  describe.each([
    ["ngircd", startNgircd],
    ["inspircd", startInspircd],
  ] as const)("people on %s", (_, start) => {
    test("hear each other, whatever client they use", async () => {
      const { port } = await onStage(start());
      const people = [
        await onStage(pythonPerson({ port, nick: "pia", channels: ["#a"] })),
        await onStage(iiPerson({ port, nick: "ira", channels: ["#a"] })),
        await onStage(weechatPerson({ port, nick: "wim", channels: ["#a"] })),
      ];
      for (const speaker of people) {
        await speaker.say("#a", ":one", "zwei  ü 🎉", "3 of them");
        await speaker.act("#a", "waves");
        for (const listener of people) {
          if (listener === speaker) continue;
          const waved = (heard: ReturnType<typeof listener.ears.in>): boolean =>
            heard.some(({ kind, nick }) => kind === "action" && nick === speaker.nick);
          const heard = await listener.ears.until("#a", (all) => waved([...all]), `${speaker.nick} waving`);
          const said = heard.filter(({ nick, kind }) => nick === speaker.nick && kind !== "join" && kind !== "other");
          expect(said.map(({ text }) => text)).toEqual([":one", "zwei  ü 🎉", "3 of them", "waves"]);
        }
      }
    });
  });

  test("300 lines at once from each client arrive in order", async () => {
    const { port } = await onStage(startNgircd());
    const listener = await onStage(pythonPerson({ port, nick: "listener", channels: ["#a"] }));
    const speakers = [
      await onStage(pythonPerson({ port, nick: "pia", channels: ["#a"] })),
      await onStage(iiPerson({ port, nick: "ira", channels: ["#a"] })),
      await onStage(weechatPerson({ port, nick: "wim", channels: ["#a"] })),
    ];
    for (const { nick, say } of speakers) {
      const lines = Array.from({ length: 300 }, (_, at) => `${nick} says line ${at}`);
      await say("#a", ...lines);
      await listener.ears.untilText("#a", lines.at(-1) ?? "");
      expect(listener.ears.texts("#a").filter((text) => text.startsWith(nick))).toEqual(lines);
    }
  });

  test("the proxy holds bytes back, cuts, and lets nobody in while it is shut", async () => {
    const server = await onStage(startNgircd());
    const proxy = await onStage(startProxy(server.port));
    const near = await onStage(pythonPerson({ port: server.port, nick: "near", channels: ["#a"] }));
    const far = await onStage(pythonPerson({ port: proxy.port, nick: "far", channels: ["#a"] }));
    proxy.stall();
    await near.say("#a", "held back");
    await expect(far.ears.untilText("#a", "held back", 200)).rejects.toThrow("waited 200 ms");
    proxy.flow();
    await far.ears.untilText("#a", "held back");
    proxy.shut();
    proxy.cut();
    await near.ears.until(
      "#a",
      (heard) => heard.some(({ kind, nick }) => kind === "leave" && nick === "far"),
      "the cut",
    );
    await expect(pythonPerson({ port: proxy.port, nick: "late", channels: [] })).rejects.toThrow(
      "late was turned away",
    );
    expect(proxy.carried).toBe(1);
    proxy.open();
    await onStage(pythonPerson({ port: proxy.port, nick: "again", channels: ["#a"] }));
  });

  test("behind the bouncer people stay while their server is killed and started again", async () => {
    const server = await onStage(startNgircd());
    const bouncer = await onStage(startBouncer(server.port));
    const pia = await onStage(pythonPerson({ port: bouncer.port, nick: "pia", channels: ["#a"] }));
    const ira = await onStage(iiPerson({ port: bouncer.port, nick: "ira", channels: ["#a"] }));
    for (let life = 1; life <= 2; life += 1) {
      const back = bouncer.back();
      await server.kill();
      await pia.say("#a", `said without a server ${life}`);
      await server.restart();
      await back;
      await pia.say("#a", `said afterwards ${life}`);
      await ira.ears.untilText("#a", `said afterwards ${life}`);
    }
    const heard = ira.ears.texts("#a").filter((text) => text.includes("afterwards"));
    expect(heard).toEqual(["said afterwards 1", "said afterwards 2"]);
    expect(pia.lines.filter((line) => / 001 /.test(line))).toHaveLength(1);
  });
});

import { expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { startProxy } from "../servers/proxy.ts";
import { onStage } from "../servers/stage.ts";
import { launch } from "../support/suite.ts";
import { arrival, gateway } from "./world.ts";

const CHANNEL = "#square";
const PATIENCE_MS = 60_000;

needs(["inspircd", "python3-irc"], () => {
  test(
    "a room is told once that the other one is out of reach, and once that it is back",
    { timeout: 4 * PATIENCE_MS },
    async () => {
      const [east, west] = await Promise.all([onStage(startInspircd()), onStage(startInspircd())]);
      const eve = await onStage(pythonPerson({ port: east.port, nick: "eve", channels: [CHANNEL] }));
      const wes = await onStage(pythonPerson({ port: west.port, nick: "wes", channels: [CHANNEL] }));
      const proxy = await onStage(startProxy(west.port));
      const bridges = {
        east: { port: east.port, channel: CHANNEL },
        west: { port: proxy.port, channel: CHANNEL },
      };
      const rialto = await launch({
        config: `[general]\nOutageNotice = "2s"\n${gateway({ irc: bridges, api: ["one"] })}`,
      });
      await Promise.all([arrival(eve, CHANNEL), arrival(wes, CHANNEL)]);
      const one = rialto.client("one");
      // What was told of a slow start comes before this.
      await one.say({ text: "all are here", username: "anna" });
      await eve.ears.untilText(CHANNEL, "all are here", PATIENCE_MS);
      const before = eve.ears.in(CHANNEL).length;
      proxy.shut();
      proxy.cut();
      await eve.ears.untilText(CHANNEL, "has been out of reach since", PATIENCE_MS);
      for (const text of ["first", "second"]) await one.say({ text, username: "anna" });
      await eve.ears.untilText(CHANNEL, "second", PATIENCE_MS);
      proxy.open();
      await eve.ears.untilText(CHANNEL, "2 messages waited", PATIENCE_MS);
      await wes.ears.untilText(CHANNEL, "second", PATIENCE_MS);
      await one.say({ text: "the end", username: "anna" });
      await eve.ears.untilText(CHANNEL, "the end", PATIENCE_MS);
      expect(await rialto.stop()).toEqual({ code: 0, signal: null });

      const after = eve.ears.in(CHANNEL).slice(before);
      const told = after.filter(({ text }) => /irc\.west #square has been out of reach|2 messages waited/u.test(text));
      expect(told.map(({ kind }) => kind)).toEqual(["notice", "notice"]);
      expect(told.map(({ text }) => text)).toEqual([
        expect.stringMatching(
          /^irc\.west #square has been out of reach since [\d: +-]+ \([a-z ]+\)\. Messages for it/u,
        ),
        expect.stringMatching(
          /^irc\.west #square was out of reach from [\d: +-]+( to [\d: +-]+)?; 2 messages waited\.$/u,
        ),
      ]);
      const ofItself = wes.ears.in(CHANNEL).flatMap(({ text }) => (text.includes("irc.west") ? [text] : []));
      expect(ofItself).toEqual([]);
    },
  );
});

import { expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { startRialto } from "../support/rialto.ts";
import { arrival, gateway } from "./world.ts";

/** Channels that refuse codes, notices, capitals or CTCP: the same words arrive in the form that they take. */

const CHANNEL = "#square";

needs(["inspircd", "python3-irc"], () => {
  test("on inspircd a channel's modes refuse no words", async (context) => {
    const server = await onStage(startInspircd(), context);
    const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }), context);
    const irc = { net: { port: server.port, channel: CHANNEL } };
    const config = gateway({ irc, api: ["one", "two"] }).replace("[api.one]", '[api.one]\nTextFormat = "markdown"');
    const rialto = await onStage(startRialto({ config }), context);
    await arrival(pia, CHANNEL);
    const one = rialto.client("one");
    const stream = await rialto.client("two").stream();
    const says = async (text: string, shown: string, event = ""): Promise<void> => {
      await one.say({ text, username: "anna", event });
      await pia.ears.untilText(CHANNEL, shown);
    };
    await says("**one**", "<anna> \x02one");
    await pia.raw(`MODE ${CHANNEL} +cTBC`);
    await says("this is **bold** text", "<anna> this is bold text");
    await says("run `make`", "<anna> run make");
    await says("EVERYTHING EVERYWHERE **DISAPPEARED** TODAY", "<anna> everything everywhere disappeared today");
    await says("a notice", "a notice", "notice_irc");
    await says("waves **twice**", "waves twice", "user_action");
    await pia.raw(`MODE ${CHANNEL} -c`);
    // What comes after the mode was read after it.
    await pia.raw(`PRIVMSG ${CHANNEL} :it is gone`);
    while ((await stream.next()).text !== "it is gone");
    await says("**two**", "<anna> \x02two");
    expect(rialto.output()).not.toMatch(/refused|not sent again/u);
  });
});

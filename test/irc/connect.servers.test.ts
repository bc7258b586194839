import { describe, expect, test, type TestContext } from "vitest";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import type { Heard } from "../servers/people/person.ts";
import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import { onStage } from "../servers/stage.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { eventually } from "../support/wait.ts";
import { arrival, gateway, numbered, postAll } from "./world.ts";

/** Getting in, and back in. */

const CHANNEL = "#square";

/** Waits until the program's log passes. */
async function logged(rialto: Rialto, pattern: RegExp): Promise<void> {
  const found = async (): Promise<boolean> => pattern.test(rialto.output());
  await eventually(found, Boolean, () => `${String(pattern)} in the log:\n${rialto.output()}`);
}

const heardFrom = (nick: string, text: string) => (heard: readonly Heard[]) =>
  heard.some((one) => one.nick === nick && one.text === text);

needs(["ngircd", "inspircd", "openssl", "python3-irc"], () => {
  describe.concurrent.each([
    ["ngircd", startNgircd],
    ["inspircd", startInspircd],
  ] as const)("on %s", (_, start) => {
    const inside = async (
      context: TestContext,
      port: number,
      nick = "pia",
      password?: string,
    ): Promise<PythonPerson> => {
      const options = { port, nick, channels: [CHANNEL], ...(password === undefined ? {} : { password }) };
      return await onStage(pythonPerson(options), context);
    };

    test("TLS and a server password", async (context) => {
      const server = await onStage(start({ tls: true, password: "sesame" }), context);
      const pia = await inside(context, server.port, "pia", "sesame");
      const account = (settings: string): string => {
        const net = { port: server.tlsPort, channel: CHANNEL, settings: `UseTLS = true\n${settings}` };
        return gateway({ irc: { net }, api: ["one"] });
      };
      // Nobody has vouched for the certificate of a test.
      const careful = await onStage(startRialto({ config: account('Password = "sesame"') }), context);
      await logged(careful, /certificate/i);
      expect(careful.output()).not.toContain("sesame");
      await careful.stop();
      const env = { NODE_EXTRA_CA_CERTS: server.certificate?.certificate ?? "" };
      const refused = await onStage(startRialto({ config: account('Password = "wrong-one"'), env }), context);
      await logged(refused, /password/i);
      expect(refused.output()).not.toContain("wrong-one");
      await refused.stop();
      expect(pia.ears.in(CHANNEL).some(({ nick }) => nick.startsWith("rialto"))).toBe(false);
      const trusting = await onStage(startRialto({ config: account('Password = "sesame"'), env }), context);
      await arrival(pia, CHANNEL);
      await trusting.stop();
      await onStage(startRialto({ config: account('Password = "sesame"\nSkipTLSVerify = true') }), context);
      await arrival(pia, CHANNEL, { times: 2 });
    });

    test("a channel with a key, a nick that somebody has, and a service to log in to", async (context) => {
      const server = await onStage(start(), context);
      const pia = await inside(context, server.port, "rialto");
      const service = await inside(context, server.port, "Services");
      await pia.raw(`MODE ${CHANNEL} +k open`);
      const settings =
        'NickServNick = "Services"\nNickServPassword = "hush-hush"\nRunCommands = ["PRIVMSG Services :I am {BOTNICK}"]\nMessageDelay = 0';
      const net = { port: server.port, channel: CHANNEL, key: "open", settings };
      const rialto = await onStage(startRialto({ config: gateway({ irc: { net }, api: ["one"] }) }), context);
      await arrival(pia, CHANNEL, { by: "rialto_" });
      await service.ears.until("Services", heardFrom("rialto_", "IDENTIFY hush-hush"), "the password");
      await service.ears.until("Services", heardFrom("rialto_", "I am rialto_"), "the command");
      await rialto.client("one").say({ text: "inside", username: "anna" });
      await pia.ears.until(CHANNEL, heardFrom("rialto_", "<anna> inside"), "the post");
      expect(rialto.output()).not.toMatch(/hush-hush|"open"/);
    });

    test("UseSASL where there is no SASL: in without the login, with a warning, a long name and the list of users", async (context) => {
      const server = await onStage(start(), context);
      const pia = await inside(context, server.port);
      const by = "rialto-the-bridge";
      const settings =
        'UseSASL = true\nNickServNick = "rialto"\nNickServPassword = "hush-hush"\nMessageDelay = 0\nCharset = "iso-2022-jp"';
      const net = { port: server.port, channel: CHANNEL, nick: by, settings };
      const rialto = await onStage(startRialto({ config: gateway({ irc: { net }, api: ["one", "two"] }) }), context);
      await arrival(pia, CHANNEL, { by });
      await logged(rialto, /NOT logged in, although UseSASL is set.*online, but degraded/);
      const stream = await rialto.client("two").stream();
      await rialto.client("one").say({ text: "!users", username: "anna" });
      while (!/^@pia, rialto-the-bridge currently on IRC$/.test((await stream.next()).text));
      expect(rialto.output()).not.toContain("hush-hush");
    });

    test("thrown out, and in again: what was said meanwhile arrives", async (context) => {
      const server = await onStage(start(), context);
      const pia = await inside(context, server.port);
      const net = { port: server.port, channel: CHANNEL, settings: "MessageDelay = 0\nRejoinDelay = 1" };
      const rialto = await onStage(startRialto({ config: gateway({ irc: { net }, api: ["one"] }) }), context);
      await arrival(pia, CHANNEL);
      await logged(rialto, /"joined"/);
      await pia.raw(`KICK ${CHANNEL} rialto :out`);
      await pia.ears.until(
        CHANNEL,
        (heard) => heard.some(({ kind, nick }) => kind === "leave" && nick === "rialto"),
        "the kick",
      );
      await rialto.client("one").say({ text: "said outside", username: "anna" });
      await arrival(pia, CHANNEL, { times: 2 });
      await pia.ears.until(CHANNEL, heardFrom("rialto", "<anna> said outside"), "the post");
    });

    test("a channel for the invited waits for the invitation", async (context) => {
      const server = await onStage(start(), context);
      const pia = await inside(context, server.port);
      await pia.raw(`MODE ${CHANNEL} +i`);
      const net = { port: server.port, channel: CHANNEL };
      const rialto = await onStage(startRialto({ config: gateway({ irc: { net }, api: ["one"] }) }), context);
      await logged(rialto, /invit/i);
      await rialto.client("one").say({ text: "said outside", username: "anna" });
      await pia.raw(`INVITE rialto ${CHANNEL}`);
      await arrival(pia, CHANNEL);
      await pia.ears.until(CHANNEL, heardFrom("rialto", "<anna> said outside"), "the post");
    });

    test("CTCP VERSION is answered", async (context) => {
      const server = await onStage(start(), context);
      const pia = await inside(context, server.port);
      await onStage(
        startRialto({ config: gateway({ irc: { net: { port: server.port, channel: CHANNEL } }, api: ["one"] }) }),
        context,
      );
      await arrival(pia, CHANNEL);
      await pia.raw("PRIVMSG rialto :\u0001VERSION\u0001");
      await pia.ears.untilText("", "NOTICE pia :\u0001VERSION Rialto");
    });
  });

  test("thrown out for a flood, it comes back slower, says so, and stays", async (context) => {
    const server = await onStage(startInspircd({ floodControl: "strict" }), context);
    const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }), context);
    const net = { port: server.port, channel: CHANNEL, settings: "MessageDelay = 0" };
    const rialto = await onStage(startRialto({ config: gateway({ irc: { net }, api: ["one"] }) }), context);
    await arrival(pia, CHANNEL);
    await postAll(rialto.client("one"), numbered("flood", 20));
    await logged(rialto, /disconnected for flooding: Rialto sends more slowly for a while/);
    await arrival(pia, CHANNEL, { times: 2 });
    await logged(
      rialto,
      /the server disconnected Rialto for flooding: for 30 minutes Rialto sends only one line every 1.3 s/,
    );
    await postAll(rialto.client("one"), ["the last"]);
    const heard = await pia.ears.untilText(CHANNEL, "the last", 50_000);
    expect(heard.filter(({ kind, nick }) => kind === "join" && nick === "rialto")).toHaveLength(2);
  });
});

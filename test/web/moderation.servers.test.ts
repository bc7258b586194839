import { afterAll, beforeAll, expect, test } from "vitest";
import { ircPlace } from "../crossing/irc-place.ts";
import type { Place, Sight } from "../crossing/place.ts";
import { xmppPlace } from "../crossing/xmpp-place.ts";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { startProsody } from "../servers/xmpp/prosody.ts";
import { eventually } from "../support/wait.ts";
import { type WebStage, webStage } from "./stage.ts";
import { wordsOf } from "./guest.ts";

/** Guests in a browser, and moderators in a room of XMPP and one of IRC, on real servers. */

const PASSWORD = "open-sesame";

needs(["inspircd", "python3-irc", "prosody", "python3-slixmpp"], () => {
  const ends: (() => Promise<unknown>)[] = [];
  let stage: WebStage;
  let xena: Place;
  let ira: Place;

  beforeAll(async () => {
    const [ircd, prosody] = await Promise.all([startInspircd(), startProsody()]);
    ends.push(
      async () => await ircd.stop(),
      async () => await prosody.stop(),
    );
    await prosody.register("rialto", PASSWORD);
    xena = await xmppPlace(prosody, "staff@conference.localhost");
    ira = await ircPlace(ircd.port, "#staff");
    ends.push(
      async () => await xena.quit(),
      async () => await ira.quit(),
    );
    const more = `[xmpp.net]
Server = "127.0.0.1:${prosody.port}"
Jid = "rialto@localhost"
Password = "${PASSWORD}"
Muc = "conference.localhost"
Nick = "rialto"
NoStartTLS = true
[irc.net]
Server = "127.0.0.1:${ircd.port}"
Nick = "rialto"
MessageDelay = 0
[[gateway]]
name = "staff"
enable = true
inout = [{ account = "web.site", channel = "staff" }, { account = "xmpp.net", channel = "staff" },
  { account = "irc.net", channel = "#staff" }]
`;
    stage = await webStage('Moderation = "staff"\nHold = true\n', more);
    ends.unshift(async () => await stage.stop());
    await meet();
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  /** The moderators hear each other. */
  async function meet(): Promise<void> {
    await sees(xena, "hello from ira", async () => void (await ira.say("hello from ira", "normal")));
    await sees(ira, "hello from xena", async () => void (await xena.say("hello from xena", "normal")));
  }

  async function sees(place: Place, words: string, meanwhile = async () => await Promise.resolve()): Promise<Sight> {
    let tries = 0;
    const find = () => place.sights().find(({ text }) => text.includes(words));
    await eventually(
      async () => {
        if (tries % 20 === 0) await meanwhile();
        tries += 1;
        return find();
      },
      (sight) => sight !== undefined,
      () => `${place.name} to see "${words}" in ${JSON.stringify(place.sights().map(({ text }) => text))}`,
    );
    return find() as Sight;
  }

  /** What programs in the room of guests have heard, until this comes. */
  async function heard(wanted: string): Promise<readonly string[]> {
    const texts: string[] = [];
    await eventually(
      async () => texts.push(...(await stage.game.poll()).map(({ text }) => text)),
      () => texts.includes(wanted),
      () => `"${wanted}" in ${JSON.stringify(texts)}`,
    );
    return texts;
  }

  test("a reaction of a moderator lets a guest's words into the room, on one network for all", async () => {
    const ann = await stage.guest("ann");
    expect((await ann.say("may I come in?")).status).toBe(202);
    const notice = await sees(xena, "ann (guest) waits for approval in lobby");
    expect(notice.text).toContain("> may I come in?");
    await sees(ira, "> may I come in?");
    await xena.react?.(notice.ids[0] ?? "", "👍", true);
    expect((await heard("may I come in?")).filter((text) => text.includes("waits"))).toEqual([]);
    await sees(xena, "approved by xena");
    await sees(ira, "approved by xena");
    expect((await ann.say("thank you")).status).toBe(201);
    await heard("thank you");
  });

  test("another one keeps them out, and so does a word where there are no reactions", async () => {
    const [bea, carl] = [await stage.guest("bea"), await stage.guest("carl")];
    await bea.say("buy this");
    const notice = await sees(xena, "bea (guest) waits");
    await xena.react?.(notice.ids[0] ?? "", "👎", true);
    await sees(ira, "rejected by xena");
    await carl.say("or that");
    const asked = await sees(ira, "carl (guest) waits");
    const number = /number (?<number>\d+)/u.exec(asked.text)?.groups?.["number"];
    await ira.say(`reject ${number}`, "normal");
    await sees(xena, "rejected by ira");
    const dora = await stage.guest("dora");
    await dora.say("and now?");
    const again = await sees(ira, "dora (guest) waits");
    await ira.react?.(again.ids[0] ?? "", "✅", true);
    expect(await heard("and now?")).toEqual(["and now?"]);
    expect([...dora.messages.values()].map(({ blocks }) => wordsOf(blocks))).not.toContain("buy this");
  });

  test("no invite leads into the room of moderators", async () => {
    expect(await stage.command("invite", "staff")).toContain("is for moderators");
    expect((await stage.admin("POST", "invites", { gateway: "staff" })).status).not.toBe(201);
    const { body } = await stage.admin("GET", "rooms");
    expect(JSON.stringify(body)).not.toContain("staff");
  });
});

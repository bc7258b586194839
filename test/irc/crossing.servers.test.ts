import { describe, expect, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { needs } from "../servers/installed.ts";
import { startInspircd } from "../servers/irc/inspircd.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { iiPerson } from "../servers/people/ii.ts";
import type { Heard, Person } from "../servers/people/person.ts";
import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import { weechatPerson } from "../servers/people/weechat.ts";
import { onStage } from "../servers/stage.ts";
import type { ApiClient } from "../support/client.ts";
import type { ApiStream } from "../support/stream.ts";
import { launch } from "../support/suite.ts";
import { arrival, brought, compare, gateway, numbered, postAll } from "./world.ts";

/** Two networks and two programs in one gateway: what is said in one place is heard in the others. */

const CHANNEL = "#square";
const TOLD = "MessageDelay = 0\nShowJoinPart = true\nShowTopicChange = true";

interface Square {
  /** On ngircd. */
  readonly pia: PythonPerson;
  readonly ira: Person;
  readonly ngircd: number;
  /** On inspircd. */
  readonly nina: PythonPerson;
  readonly wim: Person;
  readonly one: ApiClient;
  readonly two: ApiClient;
  /** Of account two. */
  readonly stream: ApiStream;
}

async function square(): Promise<Square> {
  const plain = await onStage(startNgircd());
  const rich = await onStage(startInspircd());
  const pia = await onStage(pythonPerson({ port: plain.port, nick: "pia", channels: [CHANNEL] }));
  const ira = await onStage(iiPerson({ port: plain.port, nick: "ira", channels: [CHANNEL] }));
  const nina = await onStage(pythonPerson({ port: rich.port, nick: "nina", channels: [CHANNEL] }));
  const wim = await onStage(weechatPerson({ port: rich.port, nick: "wim", channels: [CHANNEL] }));
  const rialto = await launch({
    config: gateway({
      irc: {
        plain: { port: plain.port, channel: CHANNEL, settings: TOLD },
        rich: { port: rich.port, channel: CHANNEL, settings: TOLD },
      },
      api: ["one", "two"],
    }),
  });
  await Promise.all([arrival(pia, CHANNEL), arrival(nina, CHANNEL)]);
  const [one, two] = [rialto.client("one"), rialto.client("two")];
  return { pia, ira, ngircd: plain.port, nina, wim, one, two, stream: await two.stream() };
}

/** The next message at the API that passes. */
async function next(stream: ApiStream, wanted: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const message = await stream.next();
    if (wanted(message)) return message;
  }
}

const bridged = (kind: Heard["kind"], text: string) => (heard: readonly Heard[]) =>
  heard.some((one) => one.nick === "rialto" && one.kind === kind && one.text === text);

needs(["ngircd", "inspircd", "ii", "weechat-headless", "python3-irc"], () => {
  describe("two IRC networks and two programs", () => {
    test("text crosses every way", async () => {
      const { pia, ira, nina, wim, one, stream } = await square();
      await ira.say(CHANNEL, "from the plain one: ü, 🎉 & *stars*");
      for (const person of [nina, wim]) {
        await person.ears.until(CHANNEL, bridged("message", "<ira> from the plain one: ü, 🎉 & *stars*"), "ira's line");
      }
      const seen = await next(stream, ({ text }) => text.startsWith("from the plain"));
      expect(seen).toMatchObject({
        username: "ira",
        account: "irc.plain",
        protocol: "irc",
        channel: CHANNEL,
        event: "",
      });
      expect(seen.userid).toMatch(/^~?ira@127\.0\.0\.1$/);
      await wim.say(CHANNEL, "from the rich one");
      for (const person of [pia, ira]) {
        await person.ears.until(CHANNEL, bridged("message", "<wim> from the rich one"), "wim's line");
      }
      await next(stream, ({ text, account }) => text === "from the rich one" && account === "irc.rich");
      await one.say({ text: "from a program", username: "anna" });
      for (const person of [pia, ira, nina, wim]) {
        await person.ears.until(CHANNEL, bridged("message", "<anna> from a program"), "anna's line");
      }
      // Nothing comes back to where it was said.
      expect(brought(ira.ears.in(CHANNEL), "<ira>")).toEqual([]);
      expect(brought(wim.ears.in(CHANNEL), "<wim>")).toEqual([]);
    });

    test("actions, notices, joins, parts, quits, nicks, kicks and topics cross", async () => {
      const { pia, nina, ngircd, one, stream } = await square();
      await pia.act(CHANNEL, "waves");
      await nina.ears.until(CHANNEL, bridged("action", "<pia> waves"), "the action");
      expect(await next(stream, ({ text }) => text === "waves")).toMatchObject({ event: "user_action" });
      await one.say({ text: "nods", username: "anna", event: "user_action" });
      for (const person of [pia, nina]) await person.ears.until(CHANNEL, bridged("action", "<anna> nods"), "the nod");
      await pia.raw(`NOTICE ${CHANNEL} :mind the gap`);
      await nina.ears.until(CHANNEL, bridged("notice", "<pia> mind the gap"), "the notice");

      const zoe = await onStage(pythonPerson({ port: ngircd, nick: "zoe", channels: [CHANNEL] }));
      const lines: string[] = [];
      const tells = async (text: string): Promise<void> => {
        const line = `<system> ${text}`;
        await nina.ears.until(CHANNEL, (heard) => brought(heard, "").includes(line), line);
        const told = { event: "join_leave", username: "system" };
        expect(await next(stream, (message) => message.text === text)).toMatchObject(told);
        lines.push(text);
      };
      await tells("zoe joins");
      await zoe.raw("NICK zora");
      await tells("zoe is now known as zora");
      await zoe.raw(`PART ${CHANNEL}`);
      await tells("zora parts");
      await zoe.raw(`JOIN ${CHANNEL}`);
      await tells("zora joins");
      await pia.raw(`KICK ${CHANNEL} zora :no reason`);
      await tells("pia kicked zora (no reason)");
      await zoe.raw(`JOIN ${CHANNEL}`);
      await tells("zora joins");
      await zoe.raw("QUIT :bye");
      await tells("zora quits");
      await pia.raw(`TOPIC ${CHANNEL} :spring`);
      await nina.ears.until(
        CHANNEL,
        (heard) => brought(heard, "").some((line) => line.includes("spring")),
        "the topic",
      );
      console.log(`figures: told of people: ${lines.join("; ")}`);
    });

    test("long texts are cut between words and never inside a character, and nothing of them is lost", async () => {
      const { pia, nina, one } = await square();
      const word = ["ü", "日本", "🎉", "👩‍👩‍👧", "é", "word"];
      const texts = [
        ...Array.from({ length: 8 }, (_, shift) => `${"x".repeat(shift)}${"ü".repeat(700)}`),
        ...Array.from({ length: 4 }, (_, shift) => `${"y".repeat(shift)}${"🎉".repeat(350)}`),
        Array.from({ length: 600 }, (_, at) => `${word[at % word.length]}${at}`).join(" "),
      ];
      await postAll(one, [...texts, "the end"]);
      for (const person of [pia, nina]) {
        const heard = await person.ears.untilText(CHANNEL, "the end");
        const lines = brought(heard, "<anna> ");
        const bare = (text: string): string => text.replaceAll(" ", "");
        expect(bare(lines.join(""))).toBe(bare([...texts, "the end"].join("")));
        expect(lines.join("")).not.toContain("\uFFFD");
        const raw = person.lines.filter((line) => line.startsWith(":rialto!") && line.includes(" PRIVMSG "));
        const longest = Math.max(...raw.map((line) => Buffer.byteLength(line) + 2));
        expect(longest).toBeLessThanOrEqual(512);
        const words = new Set(lines.flatMap((line) => line.split(" ")));
        expect([...Array(600).keys()].filter((at) => !words.has(`${word[at % word.length]}${at}`))).toEqual([]);
        console.log(
          `figures: ${texts.length} long texts became ${lines.length - 1} lines for ${person.nick}, longest ${longest} bytes`,
        );
      }
    });

    test("300 lines at once from IRC and to IRC are all there, in order", async () => {
      const { pia, ira, nina, wim, one, two } = await square();
      const from = numbered("burst from", 300);
      await ira.say(CHANNEL, ...from);
      const atWim = await wim.ears.untilText(CHANNEL, "burst from 300", 20_000);
      const polled: string[] = [];
      while (!polled.includes("burst from 300")) polled.push(...(await one.texts()));
      const to = numbered("burst to", 300);
      await postAll(two, to);
      const atPia = await pia.ears.untilText(CHANNEL, "burst to 300", 20_000);
      const atNina = await nina.ears.untilText(CHANNEL, "burst to 300", 20_000);
      const arrived = {
        "ngircd to inspircd": compare(from, brought(atWim, "<ira> ")),
        "ngircd to API": compare(from, polled),
        "API to ngircd": compare(to, brought(atPia, "<anna> ")),
        "API to inspircd": compare(to, brought(atNina, "<anna> ")),
      };
      const figures = Object.entries(arrived).map(([way, found]) => `${way} ${found.arrived} of 300`);
      console.log(
        `figures: bursts: ${figures.join(", ")}; in order: ${Object.values(arrived).every(({ inOrder }) => inOrder)}`,
      );
      for (const found of Object.values(arrived)) {
        expect(found).toEqual({ arrived: 300, missing: [], doubled: [], inOrder: true });
      }
    });
  });
});

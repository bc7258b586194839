import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import { addPerson, seat } from "../servers/telegram/people.ts";
import { FakeTelegram } from "../servers/telegram/server.ts";
import { flawsOf, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { TelegramSide } from "../telegram/town.ts";
import { boxOf, inviteTo, joinRoom, openRoom, saying } from "./chatting.ts";
import { CHANNEL, type Office } from "./office.ts";

/** The list was once made of the authors of the newest 500 messages. */
const MANY = 600;

const membersOf = (page: Page): Locator => page.getByRole("complementary", { name: "Members" });
const listOf = (page: Page, network: string): Locator => membersOf(page).getByRole("list", { name: network });

/** The names in a list, once they are these. */
async function expectNames(list: Locator, names: readonly string[]): Promise<void> {
  await eventually(
    async () => await list.locator("bdi").allTextContents(),
    (found) => JSON.stringify(found) === JSON.stringify(names),
    () => `${names.join(", ")} in the list`,
  );
}

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  let telegram: FakeTelegram;
  let side: TelegramSide;
  beforeAll(async () => {
    telegram = await FakeTelegram.start();
    side = new TelegramSide(telegram);
    const others = [
      { account: "telegram.crowd", channel: side.address },
      // Nothing listens there.
      { account: "xmpp.closed", channel: "nowhere" },
    ];
    const bridges = [{ account: "web.hall", channel: "lobby" }, ...others].map(
      ({ account, channel }) => `{ account = "${account}", channel = "${channel}" }`,
    );
    office = await openRoom(`[telegram.crowd]
${side.settings}
[xmpp.closed]
Server = "127.0.0.1:1"
Jid = "rialto@example.org"
Password = "secret"
Muc = "rooms.example.org"
Nick = "rialto"
[[gateway]]
name = "more"
enable = true
inout = [${bridges.join(", ")}]
`);
  });
  afterAll(async () => {
    await office.close();
    await telegram.stop();
  });

  const arrive = async (nick: string): Promise<PythonPerson> =>
    await pythonPerson({ port: office.irc.port, nick, channels: [CHANNEL] });

  test("somebody who joins an IRC channel in silence appears in the list, is renamed, and disappears on quitting", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "gus" });
    const list = listOf(page, "IRC");
    await expectNames(list, ["eve"]);
    const ann = await arrive("ann");
    await expectNames(list, ["ann", "eve"]);
    await membersOf(page).getByRole("heading", { name: "IRC 2" }).waitFor();
    await ann.raw("NICK zoe");
    await expectNames(list, ["eve", "zoe"]);
    await ann.quit();
    await expectNames(list, ["eve"]);
    await membersOf(page).getByRole("heading", { name: "IRC 1" }).waitFor();
    await expectNames(listOf(page, "Guests"), ["gus"]);
  });

  test("a network without a list shows how many are there, and one that is not connected says so", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "hal" });
    const group = (network: string): Locator =>
      membersOf(page)
        .locator("section")
        .filter({ has: page.getByRole("heading", { name: network }) });
    await group("Telegram 1").getByText("Their names are not listed.").waitFor();
    await group("XMPP").getByText("Rialto is not connected to this network now.").waitFor();
    for (const name of ["bob", "carol"]) seat(side.chat, addPerson(telegram, name));
    await group("Telegram 3").waitFor();
  });

  test("a guest cannot take the name of somebody who is there in silence, and is offered another one", async () => {
    const cara = await arrive("cara");
    const visit = await browser.open(await inviteTo(office));
    visit.expects(/status of (?:400|401|409)/u);
    const { page } = visit;
    const name = page.getByRole("textbox", { name: "Your name" });
    for (const taken of [
      "cara",
      "CARA",
      "сara",
      "@cara",
      "rialto",
      "operator",
      "IRC",
      "irc.town",
      "square",
      "@everyone",
    ]) {
      await name.fill(taken);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: `Use “${taken} 2”` }).waitFor();
    }
    await name.fill("dave (irc)");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Use “dave”" }).waitFor();
    await name.fill("cara");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Use “cara 2”" }).click();
    await boxOf(page).waitFor();
    await expectNames(listOf(page, "IRC"), ["cara", "eve"]);
    await cara.quit();
  });

  test("a guest keeps the name when somebody with it joins later, with the tag beside it", async () => {
    const visit = await joinRoom(browser, { link: await inviteTo(office), name: "dora" });
    const dora = await arrive("dora");
    await expectNames(listOf(visit.page, "IRC"), ["dora", "eve"]);
    await visit.page.reload();
    await expectNames(listOf(visit.page, "Guests").getByRole("listitem").filter({ hasText: "dora" }), ["dora"]);
    await listOf(visit.page, "Guests").getByRole("listitem").filter({ hasText: "dora" }).getByText("guest").waitFor();
    await dora.quit();
  });

  test("on a phone the list is behind its button, and axe finds nothing in it", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "ida", options: { phone: true } });
    const list = listOf(page, "IRC");
    expect(await list.count()).toBe(0);
    await page.getByRole("button", { name: /^\d+ members$/u }).tap();
    await expectNames(list, ["eve"]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    for (const dark of [false, true]) {
      const options = { axe: true, dark, phone: true };
      const visit = await joinRoom(browser, { link: await inviteTo(office), name: dark ? "ivo" : "ivy", options });
      await visit.page.getByRole("button", { name: /^\d+ members$/u }).tap();
      await listOf(visit.page, "IRC").waitFor();
      expect(await flawsOf(visit)).toEqual([]);
    }
  });

  test("600 messages of a program change nothing in the list", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "jon" });
    await office.eve.say(CHANNEL, "before all of them");
    await saying(page, "before all of them").waitFor();
    const client = office.rialto().client("desk");
    for (let sent = 0; sent < MANY; sent += 50) {
      const numbers = Array.from({ length: 50 }, (_, at) => sent + at + 1);
      await Promise.all(
        numbers.map(async (count) => {
          await client.say({ text: `number ${count}`, username: `robot ${count % 700}`, gateway: "square" });
        }),
      );
    }
    await saying(page, `number ${MANY}`).last().waitFor({ timeout: 60_000 });
    await expectNames(listOf(page, "IRC"), ["eve"]);
    await page.reload();
    await saying(page, `number ${MANY}`).last().waitFor({ timeout: 60_000 });
    await expectNames(listOf(page, "IRC"), ["eve"]);
  });
});

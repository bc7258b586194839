import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Story } from "../../src/admin/views.ts";
import { needs } from "../servers/installed.ts";
import { useBrowser, type Visit } from "../support/browser.ts";
import { boxOf, inviteTo, joinRoom, logOf, openRoom, say, saying } from "./chatting.ts";
import { hasFocus, outlineOf, walk } from "./keyboard.ts";
import { CHANNEL, type Office } from "./office.ts";

/** Longer than that of `wait.ts`: what is waited for is shown by then, or never. */
const PATIENCE = { timeout: 20_000 };

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  let desk: Visit;
  beforeAll(async () => {
    office = await openRoom();
    desk = await browser.open(await office.link(), { shared: true });
    desk.expects(/401 .*\/v1\/session/u);
    await desk.page.getByRole("table", { name: "Bridges" }).waitFor();
  });
  afterAll(async () => await office.close());

  const goBy = async (name: string): Promise<void> => {
    await desk.page.getByRole("navigation").getByRole("link", { name, exact: true }).press("Enter");
    await desk.page.getByRole("heading", { level: 1, name }).waitFor();
  };
  const expectFocus = async (locator: Locator): Promise<void> =>
    await expect.poll(async () => await hasFocus(locator), PATIENCE).toBe(true);

  test("Now: all is reached, a question takes the focus and gives it back, and who pauses can resume at once", async () => {
    const { page } = desk;
    await page.keyboard.press("Tab");
    await expectFocus(page.getByRole("link", { name: "To the content" }));
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("main"));
    expect((await walk(page)).wrong).toEqual([]);
    const pause = page.getByRole("button", { name: "Pause irc.town" });
    await pause.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect((await walk(page)).wrong).toEqual([]);
    await page.keyboard.press("Escape");
    await expectFocus(pause);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).press("Enter");
    const accounts = page.getByRole("region", { name: "Accounts" });
    await expectFocus(accounts.getByRole("button", { name: "Resume irc.town" }));
    // That of the alert goes with it.
    const alerts = page.getByRole("region", { name: "Alerts" });
    await alerts.getByRole("button", { name: "Resume irc.town" }).press("Enter");
    await pause.waitFor();
    await expectFocus(alerts);
    const pick = page.getByRole("table", { name: "Bridges" }).getByRole("button", { name: "irc.town" });
    await pick.press("Enter");
    await page.getByRole("button", { name: "Show all" }).press("Enter");
  });

  /** One that the network refused, by what the server says: the button that sends it again goes with its press. */
  async function sendsAgain(page: Page): Promise<void> {
    const asked = /\/v1\/admin\/messages\/\d+(?:\/again)?$/u;
    let isSent = false;
    await page.route(asked, async (route) => {
      if (route.request().method() === "POST") {
        isSent = true;
        return await route.fulfill({ status: 202, json: {} });
      }
      const story = (await (await route.fetch()).json()) as Story;
      const state = isSent ? "waiting" : "failed";
      const destinations = story.destinations.map((row) => (row.account === "irc.town" ? { ...row, state } : row));
      return await route.fulfill({ json: { ...story, destinations } });
    });
    const opener = page.getByRole("button", { name: "who finds it" });
    // Closed, and opened once more.
    for (const expanded of [false, true]) {
      await opener.press("Enter");
      await page.getByRole("button", { name: "who finds it", expanded }).waitFor();
    }
    const way = page.getByRole("region", { name: "Way", exact: true });
    await way.getByRole("button", { name: "Send again" }).press("Enter");
    await way.getByRole("button", { name: "Send again" }).waitFor({ state: "hidden" });
    await expectFocus(way);
    await page.unroute(asked);
  }

  test("Messages, Configuration and Connect: all is reached, and nothing keeps the focus", async () => {
    const { page } = desk;
    await office.rialto().client("desk").say({ text: "who finds it", username: "anna" });
    await goBy("Messages");
    await page.getByRole("button", { name: "who finds it" }).press("Enter");
    await page.getByRole("region", { name: "Way", exact: true }).getByRole("row").first().waitFor();
    expect((await walk(page)).wrong).toEqual([]);
    await sendsAgain(page);

    await goBy("Configuration");
    const box = page.getByRole("textbox", { name: "Configuration" });
    await box.filter({ hasText: "RemoteNickFormat" }).waitFor();
    expect((await walk(page)).wrong).toEqual([]);
    await box.focus();
    const frame = page.locator(".cm-editor");
    await expect.poll(async () => await outlineOf(frame), PATIENCE).toBe("solid");
    await page.keyboard.insertText("# a line\n");
    const apply = page.getByRole("button", { name: "Apply", exact: true });
    await apply.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect((await walk(page)).wrong).toEqual([]);
    await page.keyboard.press("Escape");
    await expectFocus(apply);
    await page.getByRole("button", { name: "Discard changes" }).press("Enter");

    await goBy("Connect");
    await page.getByLabel("First network").selectOption("new irc");
    await page.getByLabel("Second network").selectOption("new web");
    await page.getByRole("button", { name: "Next" }).press("Enter");
    // The step takes the focus once it is there.
    await expectFocus(page.getByRole("heading", { name: /^Step 2 of/u }));
    await page.getByText("More settings").press("Enter");
    expect((await walk(page)).wrong).toEqual([]);
  });

  test("Access: all is reached, dialogs give the focus back, and so does a row that goes", async () => {
    const { page } = desk;
    const link = await inviteTo(office);
    const guest = await joinRoom(browser, { link, name: "gus" });
    await goBy("Access");
    await page.getByRole("table", { name: "Guests" }).getByText("gus").waitFor();
    expect((await walk(page)).wrong).toEqual([]);
    for (const name of ["New token", "New invite", "Change the rules of square", "Ban gus"]) {
      const opener = page.getByRole("button", { name });
      await opener.press("Enter");
      await page.getByRole("dialog").waitFor();
      expect((await walk(page)).wrong).toEqual([]);
      await page.keyboard.press("Escape");
      await expectFocus(opener);
    }
    await page.getByRole("button", { name: /^Revoke the invite/u }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).press("Enter");
    await expectFocus(page.getByRole("region", { name: "Invites" }));
    await boxOf(guest.page).waitFor();
  });

  test("the chat: by Tab to all but messages, by the arrows to these and then to their buttons", async () => {
    const link = await inviteTo(office);
    const { page } = await joinRoom(browser, { link, name: "hal" });
    await office.eve.say(CHANNEL, "one of eve", "two of eve");
    await saying(page, "two of eve").waitFor();
    await say(page, "one of mine");
    await saying(page, "one of mine").getByRole("button", { name: "Edit" }).waitFor({ state: "attached" });
    await boxOf(page).fill("half a sentence");
    expect((await walk(page)).wrong).toEqual([]);
    await logOf(page).focus();
    await page.keyboard.press("ArrowDown");
    await expectFocus(saying(page, "one of mine"));
    await page.keyboard.press("ArrowUp");
    const message = saying(page, "two of eve");
    await expectFocus(message);
    expect(await outlineOf(message)).toBe("solid");
    for (const name of ["React", "Report"]) {
      const button = message.getByRole("button", { name, exact: true });
      await tabTo(page, button);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: new RegExp(name, "u") }).waitFor();
      if (name === "React") await throughEmoji(page, expectFocus);
      const { stops, wrong } = await walk(page);
      expect([wrong, stops < 10]).toEqual([[], true]);
      await page.keyboard.press("Escape");
      await expectFocus(button);
      await page.keyboard.press("Shift+Tab");
    }
    await message.getByRole("button", { name: "Reply" }).press("Enter");
    await expectFocus(boxOf(page));
    await page.keyboard.press("Escape");
    await page.getByText("Reply to eve").waitFor({ state: "hidden" });
    expect(await boxOf(page).inputValue()).toBe("half a sentence");
  });
});

/** A hundred emoji are one stop: the arrows lead through them. */
async function throughEmoji(page: Page, expectFocus: (wanted: Locator) => Promise<void>): Promise<void> {
  const sign = (nth: number): Locator => page.getByRole("grid").getByRole("button").nth(nth);
  await expectFocus(sign(0));
  for (const [key, nth] of [
    ["ArrowRight", 1],
    ["ArrowDown", 9],
    ["End", 15],
    ["ArrowLeft", 14],
    ["ArrowUp", 6],
    ["Home", 0],
  ] as const) {
    await page.keyboard.press(key);
    await expectFocus(sign(nth));
  }
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await expectFocus(sign(1));
}

/** By Tab alone, from where the focus is; a message has few buttons. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let step = 0; step < 6 && !(await hasFocus(wanted)); step += 1) await page.keyboard.press("Tab");
  expect(await hasFocus(wanted)).toBe(true);
}

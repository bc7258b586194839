import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { inviteTo, joinRoom, logOf, openRoom, say, saying } from "./chatting.ts";
import { CHANNEL, type Office } from "./office.ts";

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  beforeAll(async () => {
    office = await openRoom();
  });
  afterAll(async () => await office.close());

  test("a first tap on a message shows its buttons and presses none; a deletion is asked for and can be undone", async () => {
    const link = await inviteTo(office);
    const { page } = await joinRoom(browser, { link, name: "pat", options: { phone: true } });
    await say(page, "my own precious message");
    await office.eve.ears.untilText(CHANNEL, "my own precious message");
    const message = saying(page, "my own precious message");
    const button = message.getByRole("button", { name: "Delete" });
    const box = await button.boundingBox();
    if (box === null) throw new Error("the button has no place");
    const tap = async (): Promise<void> => await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    const question = page.getByRole("dialog", { name: "Delete this message?" });
    const opacity = "getComputedStyle(document.querySelector('article.mine .actions')).opacity";
    const isShown = async (): Promise<boolean> => (await page.evaluate<string>(opacity)) === "1";
    expect(await isShown()).toBe(false);
    await tap();
    await eventually(
      isShown,
      (is) => is,
      () => "the buttons to be shown",
    );
    expect(await question.count()).toBe(0);
    await tap();
    await question.getByRole("button", { name: "Delete" }).tap();
    await page.getByRole("button", { name: "Undo" }).tap();
    expect(await message.count()).toBe(1);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await say(page, "after it");
    await office.eve.ears.untilText(CHANNEL, "after it");
    expect(await logOf(page).getByText("my own precious message").count()).toBe(1);
    // The second time, leaving the page deletes it at once.
    await message.tap();
    await button.tap();
    await question.getByRole("button", { name: "Delete" }).tap();
    await page.getByText("Being deleted:").waitFor();
    await page.reload();
    await saying(page, "after it").waitFor();
    await message.waitFor({ state: "detached" });
  });

  test("the buttons of a table of the dashboard stay in sight", async () => {
    await inviteTo(office);
    const { page, expects } = await browser.open(await office.link(), { phone: true });
    expects(/401 /u);
    await page.getByRole("link", { name: "Access" }).tap();
    const row = page.getByRole("table", { name: "Invites" }).getByRole("row").nth(1);
    await row.getByRole("rowheader").scrollIntoViewIfNeeded();
    const box = await row.getByRole("button", { name: /^Revoke/u }).boundingBox();
    if (box === null) throw new Error("the button has no place");
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).tap();
  });

  test("ten files at once are all taken, and all go out with the message", async () => {
    const link = await inviteTo(office);
    const { page } = await joinRoom(browser, { link, name: "quin" });
    const files = Array.from({ length: 10 }, (_, at) => ({
      name: `f${at}.txt`,
      mimeType: "text/plain",
      buffer: Buffer.alloc(20_000, String(at)),
    }));
    await page.locator('input[type="file"]').setInputFiles(files);
    const list = page.getByRole("list", { name: "Attached" });
    await eventually(
      async () => [await list.getByRole("listitem").count(), await list.getByRole("progressbar").count()],
      ([items, bars]) => items === 10 && bars === 0,
      () => "ten files to be there",
    );
    expect(await page.getByRole("alert").count()).toBe(0);
    await say(page, "ten of them");
    const message = saying(page, "ten of them");
    await eventually(
      async () => await message.getByRole("link").count(),
      (count) => count === 10,
      () => "ten files in the message",
    );
  });
});

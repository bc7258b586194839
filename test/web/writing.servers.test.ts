import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { actOn, boxOf, inviteTo, joinRoom, logOf, openRoom, say, saying } from "./chatting.ts";
import { hasFocus } from "./keyboard.ts";
import { CHANNEL, type Office } from "./office.ts";

/** More than the 100 messages that the page reads at first. */
const MANY = 105;

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  beforeAll(async () => {
    office = await openRoom();
  });
  afterAll(async () => await office.close());

  const confirmDeletion = async (page: Page): Promise<void> =>
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();

  test("after a deletion the focus is on a message beside it; after an undo, on the message itself", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "ada" });
    for (const text of ["ada one", "ada two", "ada three"]) await say(page, text);
    await logOf(page).locator(".waiting").first().waitFor({ state: "detached" });
    await actOn(saying(page, "ada two"), "Delete");
    await confirmDeletion(page);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    expect(await hasFocus(saying(page, "ada two"))).toBe(true);
    await actOn(saying(page, "ada two"), "Delete");
    await confirmDeletion(page);
    await page.getByRole("button", { name: "Undo" }).focus();
    await saying(page, "ada two").waitFor({ state: "detached" });
    expect(await hasFocus(saying(page, "ada three"))).toBe(true);
    await actOn(saying(page, "ada three"), "Delete");
    await confirmDeletion(page);
    await saying(page, "ada three").waitFor({ state: "detached" });
    expect(await hasFocus(saying(page, "ada one"))).toBe(true);
  });

  test("a text that is too long stays in the box and is not sent, with the number of characters over the limit", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "bob" });
    const box = boxOf(page);
    await box.focus();
    await page.keyboard.insertText("x".repeat(9_000));
    await page.getByText(/The text is 1.?000 characters too long/u).waitFor();
    expect(await box.inputValue()).toHaveLength(9_000);
    await box.press("Enter");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.reload();
    await page.getByText(/The text is 1.?000 characters too long/u).waitFor();
    await box.fill("x".repeat(8_000));
    await box.press("Enter");
    await saying(page, "xxx").waitFor();
    expect(await saying(page, "xxx").locator(".text").textContent()).toHaveLength(8_000);
    // A document becomes a file, or is refused as one.
    const paste = async (length: number): Promise<void> =>
      await page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "y".repeat(${length}));
        const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
        document.querySelector("textarea").dispatchEvent(event);
      })()`);
    await paste(200_000);
    await page.getByRole("list", { name: "Attached" }).getByText("text.txt").waitFor();
    await paste(50 << 20);
    await page.getByRole("alert").filter({ hasText: "text.txt is too large" }).waitFor();
    expect(await box.inputValue()).toBe("");
    await box.fill("with a document");
    const progress = page.getByRole("progressbar");
    await progress.waitFor({ state: "detached" });
    await box.press("Enter");
    await saying(page, "with a document").getByRole("link", { name: "text.txt" }).waitFor();
  });

  test("a short code that stands alone is an emoji for guests too; addresses with www. are links; a quote leads to its original", async () => {
    const link = await inviteTo(office);
    const { page } = await joinRoom(browser, { link, name: "cat" });
    await say(page, "hooray :tada: at 10:30:45 and `:tada:` on www.example.org/x.");
    const message = saying(page, "hooray");
    await message.getByText("hooray 🎉 at 10:30:45 and").waitFor();
    expect(await message.locator("code").textContent()).toBe(":tada:");
    const address = message.getByRole("link", { name: "www.example.org/x" });
    expect(await address.getAttribute("href")).toBe("http://www.example.org/x");
    await office.eve.ears.untilText(CHANNEL, "hooray 🎉 at");
    await actOn(message, "Reply");
    await say(page, "an answer");
    await actOn(saying(page, "an answer"), "hooray");
    expect(await hasFocus(message.first())).toBe(true);
  });

  test("a draft stays when another tab of the same guest sends", async () => {
    const visit = await joinRoom(browser, { link: await inviteTo(office), name: "dot" });
    const other = await browser.open(visit.page.url(), { beside: visit });
    await boxOf(visit.page).fill("half a sentence");
    await say(other.page, "from the other tab");
    await saying(visit.page, "from the other tab").waitFor();
    await visit.page.reload();
    await saying(visit.page, "from the other tab").waitFor();
    expect(await boxOf(visit.page).inputValue()).toBe("half a sentence");
  });

  test("axe-core finds nothing in the dark above many messages; those of one person stand under one name", async () => {
    const link = await inviteTo(office);
    const lines = Array.from({ length: MANY }, (_, at) => `line ${at + 1}`);
    await office.eve.say(CHANNEL, ...lines);
    const visit = await joinRoom(browser, { link, name: "eli", options: { dark: true, axe: true } });
    const { page } = visit;
    const last = saying(page, `line ${MANY}`);
    await last.waitFor();
    expect(await last.getByText("eve").count()).toBe(1);
    const height = async (text: string): Promise<number> =>
      (await saying(page, text).last().boundingBox())?.height ?? 0;
    expect(await height(`line ${MANY}`)).toBeLessThan(36);
    await page.getByRole("button", { name: "Older messages" }).waitFor();
    expect(await flawsOf(visit)).toEqual([]);
    // At the top of the log, the page reads them by itself.
    await page.evaluate("document.querySelector('.log').scrollTop = 0");
    await page.getByText("There are no older messages.").waitFor();
  });

  test("fields have letters of 16 px where people type by touch, and the page has an icon", async () => {
    const { page } = await joinRoom(browser, { link: await inviteTo(office), name: "flo", options: { phone: true } });
    await page.getByRole("button", { name: "Change name" }).tap();
    await page.getByRole("textbox", { name: "Your name" }).waitFor();
    const sizes = `[...document.querySelectorAll("input:not([type=file]), select, textarea")].map((one) => getComputedStyle(one).fontSize)`;
    await eventually(
      async () => await page.evaluate<string[]>(sizes),
      (found) => found.length === 3 && found.every((size) => size === "16px"),
      () => "three fields with letters of 16 px",
    );
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain("svg");
  });
});

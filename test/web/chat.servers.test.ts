import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { brought, compare, numbered } from "../irc/world.ts";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser, type Visit, type VisitOptions } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { actOn, boxOf, inviteTo, joinRoom, logOf, openRoom, say, saying, shown } from "./chatting.ts";
import { CHANNEL, goTo, type Office } from "./office.ts";

const BURST = 40;

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  beforeAll(async () => {
    office = await openRoom();
  });
  afterAll(async () => await office.close());

  const invite = async (words?: readonly string[]): Promise<string> => await inviteTo(office, words);
  const join = async (link: string, name: string, options: VisitOptions = {}): Promise<Visit> =>
    await joinRoom(browser, { link, name, options });

  test("an invite is made on the dashboard, where its guest is approved, muted and banned, and it is revoked", async () => {
    const desk = await browser.open(await office.link(), { axe: true });
    desk.expects(/401 .*\/v1\/session/u);
    await goTo(desk, "Access");
    const link = await inviteByHand(desk.page);
    const gone = await join(link, "gus");
    gone.expects(/status of 403/u);
    const { page } = gone;
    expect(page.url()).not.toContain(new URL(link).hash);
    const held = page.getByRole("status").filter({ hasText: "approve" });
    await held.waitFor();
    await say(page, "my first words");
    await saying(page, "my first words").filter({ hasText: "waits for approval" }).waitFor();
    const row = (table: string, name: string) =>
      desk.page.getByRole("table", { name: table, exact: true }).getByRole("row").filter({ hasText: name });
    await row("Held messages", "my first words").waitFor();
    expect(await flawsOf(desk)).toEqual([]);
    await goTo(desk, "Now");
    const alerts = desk.page.getByRole("region", { name: "Alerts" });
    await alerts.filter({ hasText: "1 message of a guest waits for approval" }).waitFor();
    await alerts.getByRole("link", { name: "Open Access" }).click();
    await row("Held messages", "my first words").waitFor();
    expect(brought(office.eve.ears.in(CHANNEL), "<gus")).toEqual([]);
    await row("Held messages", "gus").getByRole("button", { name: "Approve" }).press("Enter");
    await office.eve.ears.untilText(CHANNEL, "my first words");
    await held.waitFor({ state: "detached" });
    await eventually(
      async () => await saying(page, "my first words").allInnerTexts(),
      (texts) => texts.length === 1 && !texts[0]?.includes("waits"),
      () => "the message in the room, once",
    );
    await say(page, "and the second");
    await office.eve.ears.untilText(CHANNEL, "and the second");
    const taken = await browser.open(link);
    taken.expects(/status of 40[19]/u);
    await taken.page.getByRole("textbox", { name: "Your name" }).fill("GUS");
    await taken.page.keyboard.press("Enter");
    await taken.page.getByRole("button", { name: /^Use “/u }).waitFor();

    const gus = row("Guests", "gus");
    await gus.getByRole("button", { name: "Mute gus" }).click();
    await gus.getByText("muted").waitFor();
    await gus.getByRole("button", { name: "Unmute gus" }).click();
    await gus.getByRole("button", { name: "Ban gus" }).click();
    await answerBy(desk.page, "Ban");
    await page
      .getByRole("alert")
      .filter({ hasText: /may not|any more/u })
      .waitFor();
    expect(await boxOf(page).count()).toBe(0);
    await gus.getByRole("button", { name: "Unban gus" }).click();
    await gus.getByText("may speak").waitFor();
    await gus.getByRole("button", { name: "Delete all that gus said" }).click();
    await answerBy(desk.page, "Delete all");
    await desk.page.getByText("2 messages of gus deleted.").waitFor();

    await row("Invites", "1 of 2")
      .getByRole("button", { name: /^Revoke/u })
      .click();
    await answerBy(desk.page, "Revoke");
    await row("Invites", "There are no invites.").waitFor();
    await taken.page.getByRole("button", { name: /^Use “/u }).click();
    taken.expects(/status of 410/u);
    await taken.page.getByRole("alert").waitFor();
  });

  test("rules of a room are changed on the dashboard, and a report is settled there", async () => {
    const desk = await browser.open(await office.link());
    desk.expects(/401 .*\/v1\/session/u);
    await goTo(desk, "Access");
    const table = (name: string) => desk.page.getByRole("table", { name, exact: true });
    const change = async (seconds: string): Promise<void> => {
      await table("Rules for guests").getByRole("button", { name: "Change the rules of square" }).press("Enter");
      await desk.page.getByRole("spinbutton", { name: "Seconds between two messages" }).fill(seconds);
      await answerBy(desk.page, "Save");
    };
    await change("90");
    await table("Rules for guests").getByText("90 s").waitFor();
    await change("0");
    await table("Rules for guests").getByText("off").waitFor();
    const { page } = await join(await invite(), "joe");
    await office.eve.say(CHANNEL, "something rude");
    const rude = saying(page, "something rude");
    await rude.waitFor();
    await actOn(rude, "Report");
    await page.getByRole("dialog").getByRole("textbox").fill("it is rude");
    await answerBy(page, "Report");
    const report = table("Reports").getByRole("row").filter({ hasText: "something rude" });
    await report.getByRole("button", { name: /^Settle/u }).click();
    await table("Reports").getByText("Nothing was reported.").waitFor();
  });

  test("two guests and IRC say much at once: all see all, once and in order", async () => {
    const link = await invite();
    const [{ page: bea }, { page: cyd }] = await Promise.all([join(link, "bea"), join(link, "cyd")]);
    const texts = { bea: numbered("of bea", BURST), cyd: numbered("of cyd", BURST), eve: numbered("of eve", BURST) };
    const typing = async (page: Page, lines: readonly string[]): Promise<void> => {
      for (const line of lines) await say(page, line);
    };
    await Promise.all([typing(bea, texts.bea), typing(cyd, texts.cyd), office.eve.say(CHANNEL, ...texts.eve)]);
    for (const page of [bea, cyd]) {
      for (const [name, wanted] of Object.entries(texts)) {
        await eventually(
          async () => await shown(page, `of ${name}`),
          (found) => found.length >= wanted.length,
          () => `what ${name} said`,
        );
        expect(await shown(page, `of ${name}`)).toEqual(wanted);
      }
      expect(await logOf(page).locator(".waiting").count()).toBe(0);
    }
    expect(await shown(bea, "of ")).toEqual(await shown(cyd, "of "));
    for (const name of ["bea", "cyd"] as const) {
      await office.eve.ears.untilText(CHANNEL, `of ${name} ${BURST}`);
      const got = brought(office.eve.ears.in(CHANNEL), `<${name} (guest)> `);
      expect(compare(texts[name], got)).toEqual({ arrived: BURST, missing: [], doubled: [], inOrder: true });
    }
  });

  test("answers, edits, reactions and files are seen by others; the keyboard reaches them", async () => {
    const link = await invite();
    const [{ page: dan }, { page: fay }] = await Promise.all([join(link, "dan"), join(link, "fay")]);
    await say(dan, "a word");
    await saying(fay, "a word").waitFor();
    await office.eve.say(CHANNEL, "see https://example.org/x.");
    const address = saying(fay, "see https").getByRole("link", { name: "https://example.org/x", exact: true });
    expect(await address.getAttribute("href")).toBe("https://example.org/x");
    expect(await address.getAttribute("rel")).toContain("noopener noreferrer");
    expect(await address.getAttribute("target")).toBe("_blank");
    await saying(fay, "see https").locator("bdi[dir=ltr]", { hasText: "https://example.org/x" }).waitFor();
    const seen = saying(fay, "a better word").first();
    await boxOf(dan).press("ArrowUp");
    await boxOf(dan).fill("a better word");
    await boxOf(dan).press("Enter");
    await saying(fay, "a better word").filter({ hasText: "edited" }).waitFor();
    await actOn(seen, "React");
    await fay.getByRole("dialog").getByRole("button", { name: /👍/u }).click();
    await dan.getByRole("button", { name: "👍 1" }).waitFor();
    await actOn(seen, "Reply");
    await fay.keyboard.type("agreed :tad");
    await fay.getByRole("listbox", { name: "Suggestions" }).getByRole("option").first().waitFor();
    await fay.keyboard.press("Tab");
    await fay.keyboard.press("Enter");
    const answer = saying(dan, "agreed 🎉");
    await answer.filter({ hasText: "a better word" }).waitFor();
    await dan.locator("input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PICTURE });
    await dan.getByRole("button", { name: "Remove dot.png" }).waitFor();
    // It can be pressed when the file is there.
    await dan.getByRole("button", { name: "Send" }).click();
    await fay.getByRole("img", { name: "Picture dot.png" }).waitFor();
    // From the log to a message, to the quote in it and to its buttons, without a mouse.
    await logOf(fay).focus();
    await fay.keyboard.press("End");
    await fay.keyboard.press("ArrowUp");
    await fay.keyboard.press("Tab");
    await fay.keyboard.press("Tab");
    await fay.keyboard.press("Tab");
    expect(await fay.locator(":focus").textContent()).toBe("React");
    await actOn(saying(dan, "a better word").first(), "Delete");
    await answerBy(dan, "Delete");
    await dan.getByRole("button", { name: "Undo" }).waitFor();
    // The page is left: nothing waits for the 10 seconds to be over.
    await dan.goto("about:blank");
    await eventually(
      async () => await saying(fay, "edited").count(),
      (count) => count === 0,
      () => "the end of the message",
    );
  });

  test("a guest hides a picture: others see it once they press it, and IRC names a hidden picture", async () => {
    const link = await invite();
    const [ivy, jon] = await Promise.all([join(link, "ivy", { axe: true }), join(link, "jon", { axe: true })]);
    await ivy.page
      .locator("input[type=file]")
      .setInputFiles({ name: "secret.png", mimeType: "image/png", buffer: PICTURE });
    const hide = ivy.page.getByRole("checkbox", { name: "Hide until pressed: secret.png" });
    await hide.focus();
    await ivy.page.keyboard.press("Space");
    expect(await hide.isChecked()).toBe(true);
    expect(await flawsOf(ivy)).toEqual([]);
    const fetched: string[] = [];
    jon.page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await ivy.page.getByRole("button", { name: "Send" }).click();
    const cover = jon.page.getByRole("button", { name: "Hidden picture: press to show" });
    await cover.waitFor();
    expect(await jon.page.getByText("secret.png").count()).toBe(0);
    expect(fetched.filter((path) => path.startsWith("/v1/files/"))).toEqual([]);
    expect(await flawsOf(jon)).toEqual([]);
    await cover.press("Enter");
    const picture = jon.page.getByRole("img", { name: "Picture secret.png" });
    await picture.waitFor();
    expect(await jon.page.locator(":focus").getByRole("link").count()).toBe(1);
    await office.eve.ears.untilText(CHANNEL, "hidden picture");
    expect(brought(office.eve.ears.in(CHANNEL), "<ivy").join("\n")).not.toContain("secret");
  });

  test("a reload in mid-typing keeps the draft, and axe-core finds nothing in the room and before it", async () => {
    const link = await invite();
    const door = await browser.open(link, { axe: true });
    door.expects(/status of 401/u);
    await door.page.getByRole("textbox", { name: "Your name" }).waitFor();
    expect(await flawsOf(door)).toEqual([]);
    const visit = await join(link, "hal", { axe: true });
    await say(visit.page, "hal was here");
    await logOf(visit.page).locator(".waiting").first().waitFor({ state: "detached" });
    await boxOf(visit.page).pressSequentially("half a sen");
    // A history that cannot be had at once is asked for again.
    visit.expects(/status of 503/u);
    await visit.page.route(/\/v1\/history/u, async (route) => await route.fulfill({ status: 503 }), { times: 1 });
    await visit.page.reload();
    await eventually(
      async () => await boxOf(visit.page).inputValue(),
      (text) => text === "half a sen",
      () => "the draft",
    );
    await saying(visit.page, "hal was here").waitFor();
    expect(await flawsOf(visit)).toEqual([]);
  });

  test("Rialto dies and comes back: a banner, what was typed meanwhile, and nothing twice", async () => {
    const link = await invite();
    const visit = await join(link, "iris");
    const { page } = visit;
    visit.expects(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/u);
    await say(page, "said before");
    await office.eve.ears.untilText(CHANNEL, "said before");
    await logOf(page).locator(".waiting").first().waitFor({ state: "detached" });
    await office.rialto().kill9();
    await page.getByRole("alert").filter({ hasText: "No connection" }).waitFor();
    const meanwhile = ["said meanwhile", "said then", "said last"];
    for (const text of meanwhile) await say(page, text);
    await saying(page, "said meanwhile").getByRole("button", { name: "Try again" }).waitFor();
    await office.startAgain();
    await say(page, "said after");
    await office.eve.ears.untilText(CHANNEL, "said after");
    await logOf(page).locator(".waiting").first().waitFor({ state: "detached" });
    const all = ["said before", ...meanwhile, "said after"];
    expect(await shown(page, "said ")).toEqual(all);
    expect(brought(office.eve.ears.in(CHANNEL), "<iris (guest)> ")).toEqual(all);
  });
});

/** For two, who are held. */
async function inviteByHand(page: Page): Promise<string> {
  await page.getByRole("button", { name: "New invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Gateway" }).selectOption("square");
  await dialog.getByRole("textbox", { name: "How many may join by it" }).fill("2");
  await dialog.getByRole("checkbox", { name: "Their first message waits for approval" }).check();
  await dialog.getByRole("button", { name: "Create" }).click();
  const link = await page.getByRole("dialog", { name: "Invite", exact: true }).getByRole("textbox").inputValue();
  await answerBy(page, "Done");
  return link;
}

const answerBy = async (page: Page, button: string): Promise<void> =>
  await page.getByRole("dialog").getByRole("button", { name: button }).click();

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

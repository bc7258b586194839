import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser, type Visit } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { boxOf, inviteTo, joinRoom, logOf, openRoom, say, saying } from "./chatting.ts";
import { hasFocus, walk } from "./keyboard.ts";
import { CHANNEL, type Office } from "./office.ts";

const ATTIC = `RunBy = "the keepers of the house"
SyncTopic = true
[api.loft]
[[gateway]]
name = "attic"
enable = true
inout = [{ account = "web.hall", channel = "attic" }, { account = "api.loft" }]
`;

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  beforeAll(async () => {
    office = await openRoom(ATTIC);
  });
  afterAll(async () => await office.close());

  const inviteToAttic = async (words: readonly string[] = []): Promise<string> =>
    String((await office.command(["invite", "attic", ...words]))["url"]);

  /** The same person opens an invite to the other room. */
  async function enterAttic({ page }: Visit, name: string): Promise<void> {
    await page.goto(await inviteToAttic());
    await page.getByRole("heading", { name: "Join attic" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Your name" }).inputValue()).toBe(name);
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { level: 1, name: "attic" }).waitFor();
  }

  test("a guest leaves after a question: the name is free, and the browser keeps nothing", async () => {
    const link = await inviteTo(office);
    const { page, context } = await joinRoom(browser, { link, name: "una" });
    await boxOf(page).fill("half a secret");
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog", { name: "Leave lobby?" }).getByRole("button", { name: "Cancel" }).click();
    expect(await hasFocus(page.getByRole("button", { name: "Leave" }))).toBe(true);
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "You have left lobby" }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).toBe("[{},{}]");
    await page.reload();
    await page.getByRole("heading", { name: "You need an invite" }).waitFor();
    const again = await joinRoom(browser, { link, name: "una" });
    expect(await boxOf(again.page).inputValue()).toBe("");
  });

  test("a guest changes the name: errors stand at the field, and the room hears of the new name", async () => {
    const link = await inviteTo(office);
    await joinRoom(browser, { link, name: "vic" });
    const { page, expects } = await joinRoom(browser, { link, name: "wim" });
    await page.getByRole("button", { name: "Change name" }).click();
    const dialog = page.getByRole("dialog", { name: "Change name" });
    const name = dialog.getByRole("textbox", { name: "Your name" });
    expect(await name.inputValue()).toBe("wim");
    await name.fill(" ");
    await name.press("Enter");
    await dialog.getByText("Type a name.").waitFor();
    expects(/status of 40[09]/u);
    await name.fill("VIC");
    await name.press("Enter");
    const error = dialog.getByText("somebody in the room has this name");
    await error.waitFor();
    expect(await name.getAttribute("aria-describedby")).toContain(String(await error.getAttribute("id")));
    expect((await walk(page)).wrong).toEqual([]);
    await dialog.getByRole("button", { name: "Use “VIC 2”" }).click();
    await dialog.waitFor({ state: "detached" });
    await say(page, "under a new name");
    await saying(page, "under a new name").getByText("VIC 2").waitFor();
    await page.reload();
    await saying(page, "under a new name").filter({ hasText: "VIC 2" }).waitFor();
  });

  test("an invite to another room joins it too; links lead from room to room, and say where something is new", async () => {
    const link = await inviteTo(office);
    const [visit, other] = await Promise.all([
      joinRoom(browser, { link, name: "xia", options: { axe: true } }),
      joinRoom(browser, { link, name: "yan" }),
    ]);
    const { page } = visit;
    expect(await page.getByRole("navigation").count()).toBe(0);
    await say(page, "xia in the lobby");
    await saying(page, "xia in the lobby").waitFor();
    await enterAttic(visit, "xia");
    await say(page, "xia in the attic");
    await saying(page, "xia in the attic").waitFor();
    expect(await logOf(page).getByText("in the lobby").count()).toBe(0);
    const rooms = page.getByRole("navigation", { name: "Your rooms" });
    expect(await rooms.getByRole("link").locator("bdi").allTextContents()).toEqual(["attic", "lobby"]);
    expect(await flawsOf(visit)).toEqual([]);
    await say(other.page, "yan has news");
    await saying(other.page, "yan has news").waitFor();
    await page.reload();
    await rooms.getByRole("link", { name: "lobby New" }).click();
    await saying(page, "yan has news").waitFor();
    expect(await logOf(page).getByText("in the attic").count()).toBe(0);
    expect(await rooms.getByRole("link", { name: "lobby" }).getAttribute("aria-current")).toBe("page");
    // The old invite of a room that one is in opens the room, also when it is used up.
    await page.goto(link);
    await saying(page, "yan has news").waitFor();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("link", { name: "Go to attic" }).click();
    await saying(page, "xia in the attic").waitFor();
  });

  test("what is not sent is kept while another room is open, after a question", async () => {
    const link = await inviteTo(office);
    const visit = await joinRoom(browser, { link, name: "zoe" });
    const { page } = visit;
    await enterAttic(visit, "zoe");
    visit.expects(/ERR_FAILED/u);
    await page.route(/\/v1\/messages/u, async (route) => await route.abort());
    await say(page, "later, in the attic");
    await saying(page, "later, in the attic").getByRole("button", { name: "Try again" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "lobby" }).click();
    await page.getByRole("dialog", { name: "1 message not sent yet" }).getByRole("button", { name: "Go to" }).click();
    await page.getByRole("heading", { level: 1, name: "lobby" }).waitFor();
    expect(await logOf(page).getByText("later, in the attic").count()).toBe(0);
    await page.unroute(/\/v1\/messages/u);
    await page.getByRole("navigation").getByRole("link", { name: "attic" }).click();
    const message = saying(page, "later, in the attic");
    await message.getByRole("button", { name: "Edit" }).waitFor({ state: "attached" });
    expect(await message.count()).toBe(1);
  });

  test("an invite that is used up, taken back or no invite is refused before a name is typed; a good one names its room", async () => {
    const link = await inviteToAttic(["--uses", "1"]);
    const first = await browser.open(link, { axe: true });
    await first.page.getByRole("heading", { name: "Join attic" }).waitFor();
    await first.page.getByText("Run by the keepers of the house").waitFor();
    expect(await flawsOf(first)).toEqual([]);
    await first.page.getByRole("textbox", { name: "Your name" }).fill("abe");
    await first.page.getByRole("button", { name: "Join" }).click();
    await boxOf(first.page).waitFor();
    for (const address of [link, `${new URL(link).origin}/join#garbage`]) {
      const late = await browser.open(address);
      late.expects(/status of 410/u);
      await late.page.getByRole("alert").filter({ hasText: "This invite does not work any more" }).waitFor();
      expect(await late.page.getByRole("textbox").count()).toBe(0);
    }
  });

  test("the topic of the room stands above it, and follows its changes", async () => {
    const link = await inviteTo(office);
    const { page } = await joinRoom(browser, { link, name: "bob" });
    for (const topic of ["Chess on Tuesdays", "Chess on Fridays"]) {
      await office.eve.raw(`TOPIC ${CHANNEL} :${topic}`);
      await eventually(
        async () => await page.getByRole("banner").textContent(),
        (text) => text?.includes(topic) === true,
        () => topic,
      );
    }
  });
});

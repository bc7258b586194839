import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser, type Visit } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { boxOf, inviteTo, joinRoom, openRoom, say, saying } from "./chatting.ts";
import { CHANNEL, goTo, type Office } from "./office.ts";
import { pixelsOf, withPalette } from "./palette.ts";

/** Where the pictures of the documentation are put; without it they are only made (`npm run screenshots`). */
const FOLDER = process.env["SCREENSHOTS"];
const KIB_MAX = 60;
/** A page on which something stands has many: those of letters. */
const COLOURS_MIN = 50;

/** What differs from run to run, and what is shown instead. */
const FIXED: readonly (readonly [found: RegExp, shown: string])[] = [
  [/\b\d+(?:\.\d+)? ms\b/gu, "4 ms"],
  [/\b\d+(?:\.\d+)? (?:s|min)\b/gu, "2 min"],
  [/\b\d+ things? needs? attention/gu, "1 thing needs attention"],
  [/\b\d+\/min\b/gu, "3/min"],
  [/\b\d\d:\d\d:\d\d\b/gu, "12:00:00"],
  [/(?<![\d:])\d\d:\d\d\b(?!:)/gu, "12:00"],
  [/\d{4}-\d\d-\d\d/gu, "2026-11-28"],
  [/\b[A-Z][a-z]+(?:,)? \d{1,2} [A-Z][a-z]+ \d{4}\b/gu, "Saturday 28 November 2026"],
  [/\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b(?!\w)/gu, "28 Nov"],
  [/127\.0\.0\.1:\d+/gu, "127.0.0.1:4280"],
  [/\/\S+\/rialto\.toml/gu, "/etc/rialto/rialto.toml"],
  [/HeadlessChrome/gu, "Chrome"],
];

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  let desk: Visit;

  beforeAll(async () => {
    const [nobody = 0] = await freePorts(1);
    const lone = `[irc.harbour]\nServer = "127.0.0.1:${nobody}"\nNick = "rialto"\n[[gateway]]\nname = "port"\nenable = true\n`;
    office = await openRoom(
      `${lone}inout = [{ account = "irc.harbour", channel = "#port" }, { account = "api.desk" }]\n`,
    );
    desk = await browser.open(await office.link(), { shared: true, height: 900 });
    desk.expects(/401 .*\/v1\/session/u);
    await desk.page.getByRole("log", { name: "Live" }).waitFor();
    await office
      .rialto()
      .client("desk")
      .say({ text: "Good morning! The ship is in.", username: "Anna", gateway: "square" });
    await office.eve.say(CHANNEL, "Morning. Which pier?");
    await office
      .rialto()
      .client("desk")
      .say({ text: "The third one, behind the crane", username: "Anna", gateway: "square" });
    await office.eve.say(CHANNEL, "On my way");
    await desk.page.getByRole("log", { name: "Live" }).getByText("On my way").waitFor();
  });
  afterAll(async () => await office.close());

  /** The page as it stands, while Rialto holds still. */
  const picture = async (page: Page, name: string): Promise<void> => {
    office.rialto().signal("SIGSTOP");
    try {
      const fixed = FIXED.map(([found, shown]) => [found.source, shown]);
      await page.evaluate(`(${FIX})(${JSON.stringify(fixed)})`);
      const { png, colours } = withPalette(pixelsOf(await page.screenshot()));
      expect(colours).toBeGreaterThan(COLOURS_MIN);
      expect(png.length / 1024).toBeLessThan(KIB_MAX);
      if (FOLDER !== undefined) await writeFile(path.join(FOLDER, `${name}.png`), png);
    } finally {
      office.rialto().signal("SIGCONT");
    }
  };

  test("Now, with an account that is out of reach", async () => {
    const { page } = desk;
    await page.getByRole("region", { name: "Alerts" }).getByText("irc.harbour").first().waitFor();
    await page.getByRole("table", { name: "Bridges" }).getByText("joined").first().waitFor();
    await picture(page, "now");
  });

  test("Messages, with the way of one", async () => {
    const { page } = desk;
    await goTo(desk, "Messages");
    await page.getByRole("searchbox", { name: "Search" }).fill("crane");
    // Those of before stay until others are found.
    await page.getByRole("list", { name: "Results" }).filter({ hasNotText: "On my way" }).waitFor();
    await page.getByRole("button", { name: "behind the crane" }).click();
    const way = page.getByRole("region", { name: "Way", exact: true });
    await way.getByRole("row").filter({ hasText: "irc.town" }).filter({ hasText: "arrived" }).waitFor();
    await picture(page, "messages");
  });

  test("Configuration, with a mistake", async () => {
    const { page } = desk;
    // The editor would take another text for something that was typed.
    await page.route("**/v1/admin/config", async (route) => {
      const answer = await route.fetch();
      const ports: string[] = [];
      const text = (await answer.text()).replaceAll(/(?<=127\.0\.0\.1:)\d+/gu, (port) => {
        if (!ports.includes(port)) ports.push(port);
        return String(4290 + ports.indexOf(port));
      });
      await route.fulfill({ response: answer, body: text });
    });
    await goTo(desk, "Configuration");
    await page.getByRole("textbox", { name: "Configuration" }).getByText("RemoteNickFormat").first().click();
    await page.keyboard.press("End");
    await page.keyboard.type("\nRemoteNickFromat = '[{NICK}] '");
    await page.getByRole("list", { name: "Problems" }).getByText("RemoteNickFromat").waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await picture(page, "configuration");
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  test("Connect, at the questions of a network", async () => {
    const { page } = desk;
    await goTo(desk, "Connect");
    const form = page.getByRole("form", { name: "Connect two networks" });
    await form.getByLabel("First network").selectOption("new irc");
    await form.getByLabel("Second network").selectOption("new matrix");
    await form.getByRole("button", { name: "Next" }).click();
    const server = "irc.example.org:6667";
    await page.route("**/v1/admin/check/online", async (route) => {
      const asked = route.request().postData() ?? "";
      await route.continue({ postData: asked.replace(server, `127.0.0.1:${office.irc.port}`) });
    });
    await form.getByLabel("Server", { exact: true }).fill(server);
    await form.getByLabel("Nick", { exact: true }).fill("porter");
    await form.getByLabel("Channel", { exact: true }).fill("#porch");
    await form.getByRole("button", { name: "Try it" }).click();
    await form.getByRole("list", { name: "Result" }).getByText("joined #porch").waitFor();
    await page.setViewportSize({ width: 1200, height: 1100 });
    await picture(page, "connect");
    await page.setViewportSize({ width: 1200, height: 900 });
  });

  test("the chat, and Access with its guest", async () => {
    const guest = await joinRoom(browser, { link: await inviteTo(office), name: "Gus", options: { height: 640 } });
    await saying(guest.page, "On my way").waitFor();
    await say(guest.page, "I can see it from *here*: https://example.org/pier");
    await office.eve.ears.untilText(CHANNEL, "from");
    await office.eve.say(CHANNEL, "So can I!");
    await saying(guest.page, "So can I!").waitFor();
    await boxOf(guest.page).fill("Wave when you see");
    await picture(guest.page, "chat");
    const { page } = desk;
    await office.admin("POST", "/v1/admin/tokens", {
      account: "api.desk",
      name: "the harbour's display",
      scopes: ["read"],
    });
    await goTo(desk, "Access");
    await page.getByRole("table", { name: "Tokens" }).getByText("display").waitFor();
    await page.getByRole("table", { name: "Guests" }).getByText("Gus").waitFor();
    await picture(page, "access");
  });
});

/**
 * In the page: that a machine is busy is no matter here, and ids are made by chance. Texts of inputs stay, and so do
 * the elements, which are the page's own.
 */
const FIX = `(fixed) => {
  for (const notice of document.querySelectorAll(".notice"))
    if (notice.textContent.includes("event loop")) notice.style.display = "none";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const node = texts.currentNode;
    const isId = node.parentElement.localName === "code" && node.parentElement.closest("td, th") !== null;
    const text = isId
      ? "k3v9x2"
      : fixed.reduce((all, [source, shown]) => all.replaceAll(new RegExp(source, "gu"), shown), node.data);
    if (text !== node.data) node.data = text;
  }
}`;

import type { Server } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser, type Visit } from "../support/browser.ts";
import { request } from "../support/http.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { boxOf, joinRoom, logOf, say, saying } from "./chatting.ts";
import {
  channelOf,
  DROPPED,
  hostileConfig,
  NAMES,
  portOf,
  ROOM,
  strangersOn,
  unkindIrc,
  withoutMistakes,
} from "./hostile.ts";
import { goTo } from "./office.ts";

const TOKEN = "operators-only";
/** Those whose dialogs are opened: one of each kind. */
const SOME = ["<script>alert(1)</script>", `'><img src=x onerror=alert(1)>`, "[x](javascript:alert(1))"];

/** Waits until all of these stand there. Rialto has channels in small letters. */
async function expectAll(page: Page, words: readonly string[], where = "body"): Promise<void> {
  const missing = async (): Promise<readonly string[]> => {
    const text = (await page.locator(where).allTextContents()).join("\n").toLowerCase();
    return words.filter((word) => !text.includes(word.toLowerCase()));
  };
  await expect.poll(missing, { timeout: 20_000 }).toEqual([]);
}

needs(["chromium"], () => {
  const browser = useBrowser();
  let irc: Server;
  let rialto: Rialto;
  let url = "";
  let desk: Visit;

  const admin = async (method: string, path: string, body?: object): Promise<void> => {
    const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await request(`${url}/v1/admin/${path}`, { method, headers, ...content });
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  };
  const command = async (words: readonly string[]): Promise<string> => {
    const program = startProgram(rialto.dataPath, [...words, "--data", rialto.dataPath]);
    await program.exited();
    return program.output().trim();
  };

  beforeAll(async () => {
    const [port = 0, web = 0] = await freePorts(2);
    irc = await unkindIrc();
    url = `http://127.0.0.1:${port}`;
    const general = `[general]\nAdminBindAddress = "127.0.0.1:${port}"\nAdminToken = "${TOKEN}"\n`;
    rialto = await startRialto({ config: general + hostileConfig({ irc: portOf(irc), web }) });
    desk = await browser.open(await command(["dashboard"]), { shared: true });
    desk.expects(/401 .*\/v1\/session/u);
    await desk.page.getByRole("table", { name: "Bridges" }).waitFor();
  });
  afterAll(async () => {
    await rialto.dispose();
    irc.close();
  });

  test("names of accounts, channels and gateways, and what networks and `check` say of them, are text on Now", async () => {
    const { page } = desk;
    await expectAll(page, NAMES, ".topology");
    await expectAll(page, NAMES.map(channelOf), "table");
    // Why each was not let in, and why each bridge with a bad name was left out.
    const why = NAMES.map((name) => `(${name})`);
    await expectAll(page, [...why, ...NAMES.map((name) => JSON.stringify(name))], ".alerts");
    await page.getByRole("searchbox", { name: "Filter" }).fill(ROOM);
    await page.getByRole("searchbox", { name: "Filter" }).fill("");
    for (const name of SOME) {
      await page.getByRole("button", { name: `Pause irc.${name}`, exact: true }).click();
      await page
        .getByRole("dialog", { name: `Pause irc.${name}?` })
        .getByRole("button", { name: "Cancel" })
        .click();
      await page.getByRole("combobox", { name: "Messages of" }).selectOption(name);
    }
    expect(await strangersOn(page)).toEqual([]);
  });

  test("so is what is looked for, and the way of what was said", async () => {
    const { page } = desk;
    for (const name of SOME) {
      await rialto.client("desk").say({ text: `${name} said`, username: name, gateway: name, avatar: name });
    }
    await rialto.client("desk").post({ text: "<img src=x onerror=alert(2)>", username: ROOM, gateway: ROOM });
    await goTo(desk, "Messages");
    for (const name of SOME) {
      await page.goto(`${url}/#/messages?q=${encodeURIComponent(name)}`);
      const results = page.getByRole("list", { name: "Results" });
      await results
        .getByRole("button", { name: `${name} said` })
        .first()
        .click();
      const way = page.getByRole("region", { name: "Way", exact: true });
      await way
        .getByRole("row")
        .filter({ hasText: channelOf(name) })
        .waitFor();
      await page
        .getByRole("region", { name: "Test message" })
        .getByRole("combobox", { name: "Gateway" })
        .selectOption(name);
    }
    await page.goto(`${url}/#/messages?q=onerror`);
    await expectAll(page, [DROPPED], "table");
    for (const name of SOME) await page.goto(`${url}/#/${encodeURIComponent(name)}/${encodeURIComponent(name)}`);
    expect(await strangersOn(page)).toEqual([]);
  });

  test("so are the configuration, its problems, its difference in words and its values", async () => {
    const { page } = desk;
    await goTo(desk, "Configuration");
    const box = page.getByRole("textbox", { name: "Configuration" });
    await box.filter({ hasText: "AdminBindAddress" }).waitFor();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await expectAll(
      page,
      NAMES.map((name) => JSON.stringify(name)),
      ".problems",
    );
    const news = SOME.map((name) => `"new ${name}"`);
    const gateways = news.map(
      (name) =>
        `[[gateway]]\nname = ${name}\nenable = true\ninout = [{ account = "api.desk" }, { account = "web.hall", channel = "porch" }]\n`,
    );
    await box.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(`${withoutMistakes(await textIn(page))}\n${gateways.join("")}`);
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expectAll(
      page,
      SOME.map((name) => `The gateway new ${name} is added.`),
      "dialog",
    );
    expect(await strangersOn(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The configuration was applied").waitFor();
    await page
      .getByRole("button", { name: /^Put into the editor/u })
      .first()
      .click();
    await page.getByText("is in the editor. It is not applied").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  test("so is what somebody is asked who links networks", async () => {
    const { page } = desk;
    await goTo(desk, "Connect");
    const form = page.getByRole("form", { name: "Connect two networks" });
    const next = form.getByRole("button", { name: "Next" });
    const [name = ""] = SOME;
    await form.getByLabel("First network").selectOption(`account irc.${name}`);
    await form.getByLabel("Second network").selectOption("new irc");
    await next.click();
    await form.getByLabel("Channel", { exact: true }).fill(channelOf(name));
    await form.getByRole("button", { name: "Try it" }).click();
    await form.getByRole("list", { name: "Result" }).getByText(name).first().waitFor();
    await next.click();
    await form.getByLabel("Name of the account").fill(name);
    await form.getByLabel("Server", { exact: true }).fill(`${SOME[1] ?? ""}:6667`);
    await form.getByLabel("Nick", { exact: true }).fill(name);
    await form.getByLabel("Channel", { exact: true }).fill(channelOf(name));
    await form.getByRole("button", { name: "Try it" }).click();
    await form
      .getByRole("list", { name: "Result" })
      .getByText(SOME[1] ?? "")
      .first()
      .waitFor();
    await next.click();
    await form.getByLabel("Name of the gateway").fill(`new ${name}`);
    await next.click();
    desk.expects(/409 .*\/v1\/admin\/connect/u);
    await form
      .getByRole("alert")
      .filter({ hasText: `the name "${name}" may have` })
      .waitFor();
    await form.getByRole("button", { name: "Back" }).click();
    await form.getByLabel("Name of the account").fill("second");
    await next.click();
    await form.getByLabel("Name of the gateway").fill("second");
    await next.click();
    await form.getByRole("region", { name: "What is added" }).getByText(name).first().waitFor();
    expect(await strangersOn(page)).toEqual([]);
  });

  test("so are the names of tokens, and what guests are called and report, for operators and for guests", async () => {
    const { page } = desk;
    const tokens = SOME.map((name) => ({ account: "api.desk", name, gateways: [name] }));
    for (const token of tokens) await admin("POST", "tokens", token);
    const link = await command(["invite", ROOM, "--uses", "5"]);
    const guest = await joinRoom(browser, { link, name: "<i>gus</i>" });
    await say(guest.page, `<b>held</b> ${ROOM}`);
    const author = { username: SOME[1], gateway: ROOM, avatar: "javascript:alert(1)" };
    await rialto.client("desk").say({ text: "to be reported", ...author });
    const bad = saying(guest.page, "to be reported");
    await bad.waitFor();
    await bad.focus();
    await bad.getByRole("button", { name: "Report" }).press("Enter");
    const dialog = guest.page.getByRole("dialog");
    await dialog.getByRole("textbox").fill(SOME[0] ?? "");
    await dialog.getByRole("button", { name: "Report" }).click();
    await guest.page.getByRole("status").filter({ hasText: "Thank you" }).waitFor();

    await goTo(desk, "Access");
    const table = (name: string) => page.getByRole("table", { name });
    for (const name of SOME) await table("Tokens").getByRole("cell", { name, exact: true }).first().waitFor();
    await table("Invites").getByText(ROOM).waitFor();
    await table("Held messages").getByText(`<b>held</b> ${ROOM}`).waitFor();
    await table("Reports")
      .getByText(SOME[0] ?? "")
      .first()
      .waitFor();
    await table("Guests").getByRole("button", { name: "Ban <i>gus</i>" }).click();
    await page.getByRole("dialog", { name: "Ban <i>gus</i>?" }).getByRole("button", { name: "Cancel" }).click();
    expect(await strangersOn(page)).toEqual([]);
    expect(await strangersOn(guest.page)).toEqual([]);
    expect(await logOf(guest.page).locator("img").count()).toBe(0);
    await boxOf(guest.page).waitFor();
  });
});

/** What stands in the editor, as the server gave it: the page shows only the lines that are in sight. */
const textIn = async (page: Page): Promise<string> =>
  await page.evaluate<string>("fetch('/v1/admin/config').then(async (answer) => (await answer.json()).text)");

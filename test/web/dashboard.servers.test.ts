import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatusView } from "../../src/admin/views.ts";
import { arrival, brought, compare, numbered, postAll } from "../irc/world.ts";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser, type Visit } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { freePorts } from "../support/ports.ts";
import { joinRoom, say, saying } from "./chatting.ts";
import { CHANNEL, goTo, type Office, openOffice } from "./office.ts";

const PAGES = ["Now", "Messages", "Configuration", "Connect", "Access"];

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  /** Whom all cases share: an operator who is signed in. */
  let desk: Visit;
  beforeAll(async () => {
    office = await openOffice();
    await arrival(office.eve, CHANNEL);
    desk = await browser.open(await office.link(), { shared: true });
    // The page asks who it is before anybody is signed in.
    desk.expects(/status of 401/u);
    await desk.page.getByRole("table", { name: "Bridges" }).waitFor();
  });
  afterAll(async () => await office.close());

  test("a link signs in once; without one the page asks for it, and shows nothing else", async () => {
    const link = await office.link();
    const first = await browser.open(link);
    first.expects(/status of 401/u);
    await first.page.getByRole("table", { name: "Bridges" }).waitFor();
    expect(first.page.url()).not.toContain(link.split("#")[1]);
    const second = await browser.open(link);
    second.expects(/status of 401/u);
    await second.page.getByRole("alert").filter({ hasText: "does not work" }).waitFor();
    expect(await second.page.getByRole("table").count()).toBe(0);
    await second.page.goto(new URL("/", link).href);
    await second.page.getByText("rialto dashboard").waitFor();
    expect(await second.page.content()).not.toContain(CHANNEL);
    await first.page.reload();
    await first.page.getByRole("table", { name: "Bridges" }).waitFor();
    await first.page.getByRole("button", { name: "Sign out" }).click();
    await first.page.getByText("rialto dashboard").waitFor();
  });

  test("what is said is seen on Now as it is said", async () => {
    await goTo(desk, "Now");
    const live = desk.page.getByRole("log", { name: "Live" });
    await office.rialto().client("desk").say({ text: "seen by all", username: "anna" });
    await live.filter({ hasText: "seen by all" }).waitFor();
  });

  test("a message is found by its words, and its way shows where it arrived; so does a test message's", async () => {
    const { page } = desk;
    await office.rialto().client("desk").say({ text: "who finds the umbrella", username: "anna" });
    await office.rialto().client("desk").say({ text: "another matter", username: "anna" });
    await goTo(desk, "Messages");
    await page.getByRole("searchbox", { name: "Search" }).fill("umbrella");
    const results = page.getByRole("list", { name: "Results" });
    await results.filter({ hasNotText: "another matter" }).waitFor();
    await results.getByRole("button", { name: "who finds the umbrella" }).click();
    const row = (region: string) =>
      page.getByRole("region", { name: region, exact: true }).getByRole("row").filter({ hasText: "irc.town" });
    await row("Way").filter({ hasText: "arrived" }).waitFor();
    const form = page.getByRole("region", { name: "Test message", exact: true });
    await form.getByRole("textbox", { name: "Text" }).fill("a test of the page");
    await form.getByRole("button", { name: "Send test message" }).click();
    await row("Way of the test message").filter({ hasText: "arrived" }).waitFor();
    await office.eve.ears.untilText(CHANNEL, "a test of the page");
    await page.getByRole("searchbox", { name: "Search" }).fill("no such words");
    await page.getByText("No message was found.").waitFor();
  });

  test("the messages are listed without joins, each with its state, and narrowed by state and account", async () => {
    const { page } = desk;
    await office.eve.raw(`PART ${CHANNEL}`);
    await office.eve.raw(`JOIN ${CHANNEL}`);
    await office.eve.say(CHANNEL, "back again");
    await office.rialto().client("desk").say({ text: "which one arrived", username: "anna" });
    await goTo(desk, "Messages");
    const rows = page.getByRole("list", { name: "Results" }).getByRole("listitem");
    await rows.filter({ hasText: "which one arrived" }).filter({ hasText: "arrived" }).waitFor();
    await rows.filter({ hasText: "back again" }).waitFor();
    expect(await rows.filter({ hasText: "event: join" }).count()).toBe(0);
    await page.getByRole("checkbox", { name: "Show joins, leaves and deletions" }).check();
    await rows.filter({ hasText: "event: join" }).first().waitFor();
    await page.getByRole("checkbox", { name: "Show joins, leaves and deletions" }).uncheck();
    await rows.filter({ hasText: "event: join" }).first().waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "State" }).selectOption("did not arrive");
    await page.getByText("No message was found.").waitFor();
    await page.getByRole("combobox", { name: "State" }).selectOption("All states");
    await page.getByRole("combobox", { name: "Account" }).selectOption("irc.town");
    await rows.filter({ hasText: "which one arrived" }).waitFor();
  });

  test("a configuration with an error is refused at its line; a good one is applied, and no message is lost", async () => {
    const { eve } = office;
    const rialto = office.rialto();
    await goTo(desk, "Configuration");
    const { page } = desk;
    const box = page.getByRole("textbox", { name: "Configuration" });
    await box.filter({ hasText: "RemoteNickFormat" }).waitFor();
    const replace = async (text: string): Promise<void> => {
      await box.focus();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    };
    const before = await readFile(rialto.file, "utf8");
    const lines = before.split("\n");
    const at = lines.findIndex((line) => line.startsWith("RemoteNickFormat")) + 1;
    await replace(lines.with(at - 1, 'RemoteNickFormat = ["no"]').join("\n"));
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    const problem = page
      .getByRole("list", { name: "Problems" })
      .getByRole("listitem")
      .filter({ hasText: `line ${at},` });
    await problem.filter({ hasText: "RemoteNickFormat" }).waitFor();
    expect(await readFile(rialto.file, "utf8")).toBe(before);

    const texts = numbered("during", 300);
    const posting = (async () => {
      for (const text of texts) await rialto.client("desk").say({ text, username: "anna" });
    })();
    await replace(lines.with(at - 1, 'RemoteNickFormat = "[{NICK}] "').join("\n"));
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByRole("status").filter({ hasText: "was applied" }).waitFor();
    expect(await readFile(rialto.file, "utf8")).toContain('RemoteNickFormat = "[{NICK}] "');
    await posting;
    await rialto.client("desk").say({ text: "after", username: "anna" });
    await eve.ears.untilText(CHANNEL, "[anna] after");
    const heard = eve.ears.in(CHANNEL);
    const got = [...brought(heard, "<anna> "), ...brought(heard, "[anna] ")];
    expect(compare(texts, got)).toEqual({ arrived: texts.length, missing: [], doubled: [], inOrder: true });
  });

  test("axe-core finds nothing on any page", async () => {
    const visit = await browser.open(await office.link(), { axe: true });
    visit.expects(/status of 401/u);
    await visit.page.getByRole("table", { name: "Bridges" }).waitFor();
    for (const name of PAGES) {
      await goTo(visit, name);
      await eventually(
        async () => await visit.page.title(),
        (title) => title.startsWith(name),
        () => `the page ${name}`,
      );
      // Its code and its first answers come.
      await visit.page.getByRole("heading", { level: 1 }).waitFor();
      expect((await flawsOf(visit)).map((flaw) => `${name}: ${flaw}`)).toEqual([]);
    }
  });

  test("a theme that is chosen counts instead of the system's, stays over a reload, and is as legible", async () => {
    const visit = await browser.open(await office.link(), { axe: true });
    const { page } = visit;
    visit.expects(/status of 401/u);
    const shown = async (): Promise<string> =>
      await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    const select = page.getByRole("combobox", { name: "Theme" });
    await select.waitFor();
    const light = await shown();
    await select.selectOption("dark");
    const dark = await shown();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("table", { name: "Bridges" }).waitFor();
    expect([await select.inputValue(), await shown()]).toEqual(["dark", dark]);
    expect(await flawsOf(visit)).toEqual([]);
    await select.selectOption("auto");
    expect(await shown()).toBe(light);
    await visit.close();
  });

  test("a paused account stays so over kill -9 of Rialto; what waits for it arrives once, in order, when it is resumed", async () => {
    const { page } = desk;
    desk.expects(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/u);
    await goTo(desk, "Now");
    const texts = numbered("kept", 20);
    await page.getByRole("button", { name: "Pause irc.town" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    const alert = page.getByRole("region", { name: "Alerts" }).filter({ hasText: "irc.town paused by an operator" });
    await alert.waitFor();
    await postAll(office.rialto().client("desk"), texts.slice(0, 10));
    await office.rialto().kill9();
    await office.startAgain();
    await postAll(office.rialto().client("desk"), texts.slice(10));
    const { accounts } = (await office.admin("GET", "/v1/admin/status")) as StatusView;
    expect(accounts[0]).toMatchObject({ state: "paused", as: null, channels: [{ lanes: [{ waiting: 20 }] }] });
    const came = (): string[] => office.eve.ears.in(CHANNEL).flatMap(({ text }) => /kept \d+$/u.exec(text)?.[0] ?? []);
    expect(came()).toEqual([]);
    await alert.getByRole("button", { name: "Resume irc.town" }).click();
    await office.eve.ears.untilText(CHANNEL, "kept 20");
    expect(came()).toEqual(texts);
    await alert.waitFor({ state: "hidden" });
  });

  test("two networks are linked by questions alone, and messages cross", async () => {
    const { page } = desk;
    const [port = 0] = await freePorts(1);
    await office.eve.raw("JOIN #porch");
    await office.eve.raw("MODE #porch +k sesame");
    await goTo(desk, "Connect");
    const form = page.getByRole("form", { name: "Connect two networks" });
    const next = form.getByRole("button", { name: "Next" });
    const worked = form.getByRole("list", { name: "Result" });
    await form.getByLabel("First network").selectOption("new irc");
    await form.getByLabel("Second network").selectOption("new web");
    await next.click();
    await form.getByLabel("Server", { exact: true }).fill(`127.0.0.1:${office.irc.port}`);
    await form.getByLabel("Nick", { exact: true }).fill("porter");
    await form.getByLabel("Channel", { exact: true }).fill("#porch");
    await form.getByRole("button", { name: "Try it" }).click();
    await worked.getByText("#porch").waitFor();
    expect(await worked.textContent()).toContain("Does not work");
    expect(await form.getByLabel("Channel: key", { exact: true }).getAttribute("type")).toBe("password");
    await form.getByLabel("Channel: key", { exact: true }).fill("sesame");
    await form.getByRole("button", { name: "Try it" }).click();
    await worked.getByText("joined #porch").waitFor();
    await next.click();
    await form.getByLabel("BindAddress").fill(`127.0.0.1:${port}`);
    await form.getByLabel("Channel", { exact: true }).fill("porch");
    await form.getByRole("button", { name: "Try it" }).click();
    await worked.getByText("is free").waitFor();
    await next.click();
    await form.getByLabel("Name of the gateway").fill("porch");
    await next.click();
    expect(await form.getByRole("region", { name: "What is added" }).textContent()).toContain('key = "••••••"');
    await form.getByRole("button", { name: "Finish" }).click();
    await page.getByText("The networks are linked").waitFor();

    await arrival(office.eve, "#porch", { times: 2, by: "porter" });
    const { url } = await office.command(["invite", "porch", "--uses", "1"]);
    const gus = await joinRoom(browser, { link: String(url), name: "gus" });
    await office.eve.say("#porch", "come in");
    await saying(gus.page, "come in").waitFor();
    await say(gus.page, "here I am");
    await office.eve.ears.untilText("#porch", "here I am");
  });

  test("an outage is an alert on Now, with what waits, and gone when it is over", async () => {
    await goTo(desk, "Now");
    const { page } = desk;
    const alerts = page.getByRole("region", { name: "Alerts" });
    const row = page.getByRole("table", { name: "Bridges" }).getByRole("row").filter({ hasText: CHANNEL });
    await row.filter({ hasText: "joined" }).waitFor();
    await office.irc.kill();
    await alerts.filter({ hasText: "irc.town" }).waitFor();
    const said = office.rialto().client("desk").say({ text: "said while nobody hears", username: "anna" });
    await row
      .getByRole("cell", { name: /^1(?: ·|$)/u })
      .first()
      .waitFor();
    await said;
    await office.irc.restart();
    // It tries again by itself, at the latest after half a minute.
    await row.filter({ hasText: "joined" }).waitFor({ timeout: 60_000 });
    await alerts.filter({ hasNotText: "irc.town" }).waitFor();
  });
});

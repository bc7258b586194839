import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser } from "../support/browser.ts";
import { addBot } from "../servers/mattermost/people.ts";
import { FakeMattermost } from "../servers/mattermost/server.ts";
import { freePorts } from "../support/ports.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

const PROGRAM = path.join(import.meta.dirname, "../../bin/rialto.js");
/** A page asks whether it is signed in. */
const WITHOUT_SESSION = /401 .*\/v1\/session/u;
const SECRET = "hunter2hunter2";

/** Whether the page can be closed without a question. */
const leaves = async (page: Page): Promise<boolean> =>
  await page.evaluate<boolean>('dispatchEvent(new Event("beforeunload", { cancelable: true }))');

needs(["chromium"], () => {
  const browser = useBrowser();
  let rialto: Rialto;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    rialto = await startRialto({
      config: `[general]
AdminBindAddress = "127.0.0.1:${port}"

[api.left]
Token = "${SECRET}"

[api.right]

[[gateway]]
name = "lobby"
enable = true
inout = [{ account = "api.left", channel = "api" }, { account = "api.right", channel = "api" }]
`,
    });
  });
  afterAll(async () => await rialto.dispose());

  const link = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "dashboard", "--data", rialto.dataPath]);
    return stdout.trim();
  };

  test("a bad configuration is refused at its line, a good one is applied after its difference was shown", async () => {
    const visit = await browser.open(await link());
    const { page } = visit;
    visit.expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Configuration" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration" });
    await editor.waitFor();
    expect(await editor.textContent()).toContain("<kept:");
    expect(await page.content()).not.toContain(SECRET);
    await editor.getByText("[api.right]").click();
    await page.keyboard.press("End");
    await page.keyboard.type("\nLable = 'R'\nPort = oops");
    await page.getByRole("button", { name: "Check" }).click();
    const problems = page.getByRole("list", { name: "Problems" });
    await problems.getByText("text needs quotes").waitFor();
    await problems.getByRole("button", { name: "line 10, column 8" }).click();
    await page.keyboard.press("Shift+Home");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Shift+End");
    await page.keyboard.type("Label = 'two'");
    // Other pages do not cost what was typed.
    await page.getByRole("link", { name: "Now" }).click();
    await page.getByRole("link", { name: "Configuration" }).click();
    await problems.getByText('has no setting "Lable"').waitFor();
    await page.getByRole("button", { name: "Apply" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("api.right goes on with another Label.").waitFor();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The configuration was applied").waitFor();
    expect(readFileSync(rialto.file, "utf8")).toContain("Lable = 'R'\nLabel = 'two'\n");
    expect(readFileSync(rialto.file, "utf8")).toContain(SECRET);

    await editor.click();
    await page.keyboard.type("# mine\n");
    appendFileSync(rialto.file, "# by hand\n");
    await page.getByText("The file has changed meanwhile").waitFor();
    // What one goes back to is the file of now.
    await page.getByRole("button", { name: "Keep my text" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("takes the place of what somebody else has written").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await leaves(page)).toBe(false);
    await page.getByRole("button", { name: "Discard changes" }).click();
    await editor.getByText("# by hand").waitFor();
    expect(await leaves(page)).toBe(true);
    await page.getByRole("button", { name: /Put into the editor/u }).click();
    await page.getByText("is in the editor. It is not applied").waitFor();
    // The notice is painted before the editor has its text.
    await expect.poll(async () => await editor.textContent(), { timeout: 20_000 }).not.toContain("Lable");
  });

  test("Apply with an error says so and leads to the first error", async () => {
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Configuration" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration" });
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("[api.left]\n[api.left]\n");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("alert").getByText("Correct the errors first").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.evaluate<boolean>('document.querySelector(".editor").shadowRoot.activeElement !== null')).toBe(
      true,
    );
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  test("an editor that was not touched shows at once what somebody else has written", async () => {
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Configuration" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration" });
    await editor.getByText("[api.right]").waitFor();
    appendFileSync(rialto.file, "# written by another person\n");
    await editor.getByText("# written by another person").waitFor();
    await page.getByText("The file was changed elsewhere").waitFor();
  });

  test("the difference before applying is never that of somebody else", async () => {
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Configuration" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration" });
    await editor.click();
    // Nothing is noticed before the press.
    await page.route("**/v1/admin/config", async (route) => await route.abort());
    expects(/ERR_FAILED/u);
    await page.keyboard.type("# mine\n");
    const text = readFileSync(rialto.file, "utf8");
    writeFileSync(rialto.file, text.replace("[api.right]", "[api.right]\nBuffer = 77"));
    await page.unroute("**/v1/admin/config");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("The file has changed meanwhile").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Load the file" }).click();
    await editor.getByText("Buffer = 77").waitFor();
    writeFileSync(rialto.file, text);
    await editor.getByText("Buffer = 77").waitFor({ state: "detached" });
  });

  test("a press of Apply counts while the check runs that comes by itself", async () => {
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Configuration" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration" });
    await editor.click();
    const asked = Promise.withResolvers<void>();
    const pressed = Promise.withResolvers<void>();
    await page.route("**/v1/admin/check", async (route) => {
      asked.resolve();
      await pressed.promise;
      await route.continue();
    });
    await page.keyboard.type("# a line\n");
    await asked.promise;
    await page.getByRole("button", { name: "Apply" }).click();
    pressed.resolve();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  test("two networks are linked question by question, and what is added is shown without what was typed as secret", async () => {
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    const [port = 0] = await freePorts(1);
    await page.getByRole("link", { name: "Connect" }).click();
    const form = page.getByRole("form", { name: "Connect two networks" });
    const next = form.getByRole("button", { name: "Next" });
    await form.getByLabel("First network").selectOption("HTTP API");
    await form.getByLabel("Second network").selectOption("api.left");
    await next.click();
    await form.getByLabel("Name of the account").fill("");
    await next.click();
    // The fields that are empty say so until they are filled in, and the first of them has the focus.
    await form.getByText("Fill this in first.").waitFor();
    const name = form.getByLabel("Name of the account");
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(async () => await name.and(page.locator(":focus")).count()).toBe(1);
    await page.keyboard.type("third");
    await form.getByText("Fill this in first.").waitFor({ state: "detached" });
    expect(await name.getAttribute("aria-invalid")).toBeNull();
    await form.getByLabel("BindAddress").fill(`127.0.0.1:${port}`);
    await form.getByLabel("Token", { exact: true }).fill("typed-secret");
    await form.getByRole("button", { name: "Try it" }).click();
    await form.getByRole("list", { name: "Result" }).getByText(`127.0.0.1:${port} is free`).waitFor();
    await next.click();
    await form.getByRole("heading", { name: "Step 3 of 5" }).waitFor();
    await next.click();
    await form.getByLabel("Name of the gateway").fill("linked");
    // Back and forth costs nothing.
    await form.getByRole("button", { name: "Back" }).click();
    await page.getByRole("link", { name: "Now" }).click();
    await page.getByRole("link", { name: "Connect" }).click();
    await next.click();
    await next.click();
    const added = form.getByRole("region", { name: "What is added" });
    await added.getByText("[api.third]").waitFor();
    expect(await added.textContent()).not.toContain("typed-secret");
    await form.getByRole("button", { name: "Show secrets" }).click();
    expect(await added.textContent()).toContain('Token = "typed-secret"');
    appendFileSync(rialto.file, "# by hand, while it was looked at\n");
    expects(/412/u);
    await form.getByRole("button", { name: "Finish" }).click();
    await form.getByText("the configuration file has changed meanwhile").waitFor();
    await form.getByRole("button", { name: "Finish" }).click();
    await page.getByText("The networks are linked").waitFor();
    expect(readFileSync(rialto.file, "utf8")).toContain("# by hand, while it was looked at\n");
    expect(readFileSync(rialto.file, "utf8")).toContain("[api.third]\nBindAddress");
    expects(/ERR_FAILED/u);
    await page.route("**/v1/admin/messages", async (route) => await route.abort());
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByRole("alert").getByText("look into the room before you send it again").waitFor();
    await page.unroute("**/v1/admin/messages");
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByRole("link", { name: "See where it has arrived" }).waitFor();
  });

  test("the rooms that an account could bridge are offered, and what is typed stays free", async () => {
    const server = await FakeMattermost.start();
    const team = server.world.addTeam("crew");
    for (const name of ["town", "attic"]) server.world.addChannel(team.id, name);
    const { page, expects } = await browser.open(await link());
    expects(WITHOUT_SESSION);
    await page.getByRole("link", { name: "Connect" }).click();
    const form = page.getByRole("form", { name: "Connect two networks" });
    await form.getByLabel("First network").selectOption("Mattermost");
    await form.getByLabel("Second network").selectOption("api.left");
    await form.getByRole("button", { name: "Next" }).click();
    await form.getByText("More settings").click();
    await form.getByLabel("Server", { exact: true }).fill(server.address);
    await form.getByLabel("Team", { exact: true }).fill("crew");
    await form.getByLabel("Token", { exact: true }).fill(addBot(server, team, "rialto").token());
    await form.getByLabel("NoTLS").check();
    await form.getByRole("button", { name: "Try it" }).click();
    await form.getByRole("list", { name: "Result" }).getByText("signed in as rialto").waitFor();
    const channel = form.getByRole("combobox", { name: "Channel", exact: true });
    for (const room of ["attic", "town"])
      await form.locator(`datalist option[value="${room}"]`).waitFor({ state: "attached" });
    await form.getByText(/The account knows \d+ rooms: choose/u).waitFor();
    await channel.fill("elsewhere");
    expect(await channel.inputValue()).toBe("elsewhere");
    await page.reload();
    await server.stop();
  });

  test("keeps nobody out", async () => {
    for (const dark of [false, true]) {
      const visit = await browser.open(await link(), { axe: true, dark, width: dark ? 400 : 1200 });
      visit.expects(WITHOUT_SESSION);
      await visit.page.getByRole("link", { name: "Configuration" }).click();
      await visit.page.getByRole("textbox", { name: "Configuration" }).waitFor();
      await visit.page.getByRole("button", { name: "Check" }).click();
      await visit.page.getByText(/^(?:No problems\.|\d+ warnings?)$/u).waitFor();
      expect(await flawsOf(visit)).toEqual([]);
      await visit.page.getByRole("link", { name: "Connect" }).click();
      await visit.page.getByLabel("First network").selectOption("IRC");
      await visit.page.getByLabel("Second network").selectOption("Matrix");
      await visit.page.getByRole("button", { name: "Next" }).click();
      await visit.page.getByText("More settings").click();
      expect(await flawsOf(visit)).toEqual([]);
    }
  });
});

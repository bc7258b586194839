import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { flawsOf, useBrowser } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";
import { request } from "../support/http.ts";

/** A page asks whether it is signed in. */
const WITHOUT_SESSION = /401 .*\/v1\/session/u;

needs(["chromium"], () => {
  const browser = useBrowser();
  let rialto: Rialto;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    rialto = await startRialto({
      config: `[general]
AdminBindAddress = "127.0.0.1:${port}"
[api.left]
Token = "hunter2hunter2"
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
    const program = startProgram(rialto.dataPath, ["dashboard", "--data", rialto.dataPath]);
    await program.exited();
    return program.output().trim();
  };

  test("a token is made by keyboard alone, shown once, and revoked after a question", async () => {
    const visit = await browser.open(await link());
    const { page } = visit;
    visit.expects(WITHOUT_SESSION);
    visit.expects(/422 .*\/v1\/admin\/tokens/u);
    await page.getByRole("link", { name: "Access" }).press("Enter");
    for (const name of ["Tokens", "Webhooks", "Invites", "Sessions"]) await page.getByRole("table", { name }).waitFor();
    expect(page.url()).not.toContain("login");
    const tokens = page.getByRole("table", { name: "Tokens" });
    await tokens.getByText("There are no tokens.").waitFor();

    await page.getByRole("button", { name: "New token" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Account" }).press("ArrowDown");
    await dialog.getByRole("textbox", { name: "What it is for" }).press("b");
    await dialog.getByRole("checkbox", { name: "write" }).press("Space");
    await dialog.getByRole("checkbox", { name: "lobby" }).press("Space");
    await dialog.getByRole("textbox", { name: "Counts for" }).pressSequentially("soon");
    await dialog.getByRole("button", { name: "Create" }).press("Enter");
    await dialog.getByText('Must be a duration such as "12h" or "90d".').waitFor();
    await dialog.getByRole("textbox", { name: "Counts for" }).fill("90d");
    await dialog.getByRole("button", { name: "Create" }).press("Enter");
    const shown = page.getByRole("dialog").getByRole("textbox", { name: /^Token /u });
    const token = await shown.inputValue();
    const me = async (): Promise<number> =>
      (await request(`${rialto.url("api.right")}/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await me()).toBe(200);
    await page.getByRole("button", { name: "Done" }).press("Enter");
    const row = tokens.getByRole("row", { name: /api\.right.*read.*lobby/u });
    await row.waitFor();
    expect(await page.content()).not.toContain(token);

    await row.getByRole("button", { name: /^Revoke/u }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).press("Enter");
    expect(await me()).toBe(200);
    await row.getByRole("button", { name: /^Revoke/u }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).press("Enter");
    await tokens.getByText("There are no tokens.").waitFor();
    expect(await me()).toBe(401);
  });

  test("a session that is ended from another browser asks for a link", async () => {
    const one = await browser.open(await link());
    const other = await browser.open(await link());
    for (const visit of [one, other]) visit.expects(/401 /u);
    await one.page.getByRole("table", { name: "Bridges" }).waitFor();
    await other.page.getByRole("link", { name: "Access" }).click();
    const rows = other.page.getByRole("table", { name: "Sessions" }).getByRole("row");
    const theirs = rows.filter({ hasNotText: "this one" }).getByRole("button", { name: /^End/u });
    await theirs.first().waitFor();
    for (let left = await theirs.count(); left > 0; left--) {
      const name = await theirs.first().getAttribute("aria-label");
      await theirs.first().click();
      await other.page.getByRole("dialog").getByRole("button", { name: "End" }).click();
      await other.page.getByRole("button", { name: name ?? "" }).waitFor({ state: "detached" });
    }
    await one.page.getByText("rialto dashboard").waitFor();
    await other.page
      .getByRole("table", { name: "Sessions" })
      .getByText(/^Chrome on Linux \(this one\)$/u)
      .waitFor();
  });

  test("the page is without flaws for who cannot see it", async () => {
    const visit = await browser.open(await link(), { axe: true });
    visit.expects(WITHOUT_SESSION);
    await visit.page.getByRole("link", { name: "Access" }).click();
    await visit.page.getByText("There are no webhooks.").waitFor();
    expect(await flawsOf(visit)).toEqual([]);
    await visit.page.getByRole("button", { name: "New token" }).click();
    await visit.page.getByRole("dialog").waitFor();
    expect(await flawsOf(visit)).toEqual([]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser, type Visit } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { type Program, startProgram } from "../support/program.ts";

/** Forms of the dashboard: what they offer, and how they say what is wrong. The cases build on one another. */
needs(["chromium"], () => {
  const browser = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), "rialto-forms-"));
  let program: Program;
  let visit: Visit;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    writeFileSync(join(folder, "rialto.toml"), `[general]\nAdminBindAddress = "127.0.0.1:${port}"\n`);
    program = startProgram(folder, []);
    await program.prints(/Rialto runs/u);
    const command = startProgram(folder, ["dashboard"]);
    await command.exited();
    visit = await browser.open(command.output().trim(), { shared: true });
    visit.expects(/401 .*\/v1\/session/u);
  });
  afterAll(async () => {
    program.child.kill("SIGTERM");
    await program.exited();
    rmSync(folder, { recursive: true, force: true });
  });

  const hasFocus = async (field: Locator): Promise<boolean> =>
    (await field.and(field.page().locator(":focus")).count()) === 1;

  test("a button that has nothing to work on says why, and leads to where that is added", async () => {
    const { page } = visit;
    await page.getByRole("link", { name: "Access" }).click();
    for (const [button, why] of [
      ["New token", "Tokens are for accounts of the HTTP API, and there is none."],
      ["New invite", "No web chat is open, so there is no room to join."],
    ] as const) {
      expect(await page.getByRole("button", { name: button }).isDisabled()).toBe(true);
      await page.getByText(why).getByRole("link").waitFor();
    }
    await page.getByText("No web chat is open").getByRole("link", { name: "Link one" }).click();
    await page.getByRole("form", { name: "Connect two networks" }).waitFor();
  });

  test("the wizard fills in a free address, turns TLS on by the port, and offers an invite to the new web chat", async () => {
    const { page } = visit;
    const form = page.getByRole("form", { name: "Connect two networks" });
    const next = form.getByRole("button", { name: "Next" });
    await form.getByLabel("First network").selectOption("IRC");
    await form.getByLabel("Second network").selectOption("Web chat");
    await next.click();
    const server = form.getByLabel("Server", { exact: true });
    const tls = form.getByLabel("UseTLS");
    await server.fill("irc.example.org:6697");
    expect(await tls.isChecked()).toBe(true);
    await server.fill("irc.example.org:6667");
    expect(await tls.isChecked()).toBe(false);
    await form.getByRole("button", { name: "Back" }).click();
    await form.getByLabel("First network").selectOption("HTTP API");
    await next.click();
    const one = await form.getByLabel("BindAddress").inputValue();
    await next.click();
    await form.getByRole("heading", { name: "Step 3 of 5" }).waitFor();
    const other = await form.getByLabel("BindAddress").inputValue();
    expect([one, other]).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/u), expect.not.stringContaining(one)]);
    await form.getByLabel("Channel", { exact: true }).fill("square");
    await next.click();
    await form.getByLabel("Name of the gateway").fill("square");
    await next.click();
    await form.getByRole("button", { name: "Finish" }).click();
    await page.getByRole("link", { name: "Invite people" }).click();
    const dialog = page.getByRole("dialog", { name: "New invite" });
    expect(await dialog.getByRole("combobox", { name: "Gateway" }).inputValue()).toBe("square");
  });

  test("what is wrong is said in plain words at its field, which has the focus, until it is corrected", async () => {
    const { page } = visit;
    visit.expects(/400 .*\/v1\/admin\/invites/u);
    const dialog = page.getByRole("dialog", { name: "New invite" });
    const create = dialog.getByRole("button", { name: "Create" });
    const uses = dialog.getByRole("textbox", { name: "How many may join by it" });
    for (const [typed, said] of [
      ["0", "Must be at least 1."],
      ["abc", "Must be a whole number."],
      ["1.5", "Must be a whole number."],
      ["1000000", "Must be at most 100000."],
    ] as const) {
      await uses.fill(typed);
      await create.click();
      await dialog.getByText(said).waitFor();
      expect(await uses.getAttribute("aria-invalid")).toBe("true");
      await expect.poll(async () => await hasFocus(uses)).toBe(true);
    }
    expect(await dialog.getByRole("alert").count()).toBe(0);
    await uses.fill("2");
    await dialog.getByText("Must be at most 100000.").waitFor({ state: "detached" });
    expect(await uses.getAttribute("aria-invalid")).toBeNull();
    await dialog.getByRole("textbox", { name: "Counts for" }).fill("2w");
    await create.click();
    await dialog.getByText('Must be a duration of at most a year, such as "2h" or "7d".').waitFor();
    await dialog.getByRole("textbox", { name: "Counts for" }).fill("7d");
    await create.click();
    await page.getByRole("dialog", { name: "Invite", exact: true }).getByRole("textbox").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
  });

  test("the rules of a room and a token say what is wrong at their fields as well", async () => {
    const { page } = visit;
    visit.expects(/4(?:00|22) .*\/v1\/admin\/(?:rooms|tokens)/u);
    await page.getByRole("button", { name: "Change the rules of square" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Seconds between two messages").fill("99999");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Must be at most 21600.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "New token" }).click();
    const expires = dialog.getByRole("textbox", { name: "Counts for" });
    await expires.fill("soon");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText('Must be a duration such as "12h" or "90d".').waitFor();
    await expect.poll(async () => await hasFocus(expires)).toBe(true);
  });
});

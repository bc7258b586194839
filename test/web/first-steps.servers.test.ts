import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser } from "../support/browser.ts";
import { ApiClient } from "../support/client.ts";
import { freePorts } from "../support/ports.ts";
import { type Program, startOnTerminal, startProgram } from "../support/program.ts";
import { eventually } from "../support/wait.ts";

/** A page asks whether it is signed in. */
const WITHOUT_SESSION = /401 .*\/v1\/session/u;

needs(["chromium"], () => {
  const browser = useBrowser();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rialto-first-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  });

  const ended = (program: Program): Program => {
    onTestFinished(async () => {
      program.child.kill("SIGTERM");
      await program.exited();
    });
    return program;
  };

  const dashboard = async (): Promise<string> => {
    const command = startProgram(folder, ["dashboard"]);
    await command.exited();
    return command.output().trim();
  };

  const formOf = (page: Page): Locator => page.getByRole("form", { name: "Connect two networks" });

  /** Answers the wizard until its last step. */
  const link = async (page: Page, ports: readonly number[]): Promise<void> => {
    const form = formOf(page);
    const next = form.getByRole("button", { name: "Next" });
    for (const which of ["First", "Second"]) await form.getByLabel(`${which} network`).selectOption("HTTP API");
    await next.click();
    for (const [at, port] of ports.entries()) {
      await form.getByRole("heading", { name: `Step ${at + 2} of 5` }).waitFor();
      await form.getByLabel("BindAddress").fill(`127.0.0.1:${port}`);
      await next.click();
    }
    await form.getByLabel("Name of the gateway").fill("mine");
    await next.click();
    await form.getByRole("heading", { name: "Step 5 of 5" }).waitFor();
  };

  test("on a terminal the example prints a link to the wizard, which writes a file that Rialto goes on with", async () => {
    const program = ended(startOnTerminal(folder, ["--or-example"]));
    const [, address = ""] = await program.prints(/(http:\S+&page=connect)/u);
    const visit = await browser.open(address);
    visit.expects(WITHOUT_SESSION);
    const { page } = visit;
    const file = join(folder, "rialto.toml");
    await formOf(page).getByText(file).waitFor();
    const ports = await freePorts(2);
    await link(page, ports);
    await formOf(page).getByText("[api.main2]").waitFor();
    await formOf(page).getByRole("button", { name: "Finish" }).click();
    await page.getByText("The networks are linked").waitFor();
    await page.getByText(`written ${file}`).waitFor();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toMatch(
      /^# The dashboard.*\n\[general\]\nAdminBindAddress = "127\.0\.0\.1:\d+"\n\n\[api\.main\]/u,
    );
    expect(readFileSync(file, "utf8")).not.toContain("api.left");
    const [one, two] = ports.map((port) => new ApiClient(`http://127.0.0.1:${port}`));
    await one?.say({ text: "over the new link", username: "anna" });
    await eventually(
      async () => (await two?.request("/api/messages"))?.body ?? "",
      (body) => body.includes("over the new link"),
      program.output,
    );
    // Later changes of the file count as if Rialto had been started with it.
    writeFileSync(file, readFileSync(file, "utf8").replace('name = "mine"', 'name = "ours"'));
    await program.prints(/reloaded[^]*ours/u);
  });

  test("the wizard says before its first question that a file is there already, and leaves it alone", async () => {
    const program = ended(startProgram(folder, ["example"]));
    await program.prints(/Rialto runs/u);
    const visit = await browser.open(await dashboard());
    visit.expects(WITHOUT_SESSION);
    const { page } = visit;
    writeFileSync(join(folder, "rialto.yaml"), "# not yet finished\n");
    await page.getByRole("link", { name: "Connect" }).click();
    await formOf(page).getByText("rialto.yaml is there").waitFor();
    expect(await formOf(page).getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    expect(readFileSync(join(folder, "rialto.yaml"), "utf8")).toBe("# not yet finished\n");
  });

  test("a file that cannot be run is not left behind, and the example goes on", async () => {
    const program = ended(startProgram(folder, ["example"]));
    await program.prints(/Rialto runs/u);
    const visit = await browser.open(await dashboard());
    visit.expects(WITHOUT_SESSION);
    visit.expects(/422/u);
    const { page } = visit;
    await page.getByRole("link", { name: "Connect" }).click();
    const [, left = ""] = await program.prints(/curl -s (\S+)\/api\/message/u);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    await link(page, [(other.address() as AddressInfo).port, ...(await freePorts(1))]);
    await formOf(page).getByRole("button", { name: "Finish" }).click();
    await formOf(page).getByText("cannot listen on").first().waitFor();
    expect(existsSync(join(folder, "rialto.toml"))).toBe(false);
    expect((await new ApiClient(left).request("/api/health")).status).toBe(200);
  });

  test("a file with AdminBindAddress alone runs, says what is missing, and gets its first gateway from the wizard", async () => {
    const [port = 0, ...ports] = await freePorts(3);
    const file = join(folder, "rialto.toml");
    writeFileSync(file, `[general]\nAdminBindAddress = "127.0.0.1:${port}"\n`);
    const program = ended(startProgram(folder, []));
    await program.prints(/no gateway is configured; link the first networks on the page Connect/u);
    await program.prints(/Rialto runs/u);
    const status = startProgram(folder, ["status"]);
    await status.exited();
    expect(status.output()).toMatch(/no gateway is configured[^]*→ Link the first networks on the page Connect/u);
    const visit = await browser.open(await dashboard());
    visit.expects(WITHOUT_SESSION);
    const { page } = visit;
    await page.getByRole("region", { name: "Alerts" }).getByRole("link", { name: "Link the first networks" }).click();
    await link(page, ports);
    await formOf(page).getByRole("button", { name: "Finish" }).click();
    await page.getByText("The networks are linked").waitFor();
    await page.getByRole("link", { name: "Now" }).click();
    await page.getByText("Nothing needs attention.").waitFor();
    // What waits in the lanes is not given up because a file is only half written.
    writeFileSync(file, `[general]\nAdminBindAddress = "127.0.0.1:${port}"\n`);
    await program.prints(/the configuration has no gateway any more/u);
    await page.getByRole("region", { name: "Alerts" }).getByText("has no gateway any more").waitFor();
    expect((await new ApiClient(`http://127.0.0.1:${ports[0] ?? 0}`).request("/api/health")).status).toBe(200);
  });
});

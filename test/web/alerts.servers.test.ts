import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";

/** An IRC server that answers each registration with a refusal. Resolves with its port. */
async function refusing(line: string): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(`:irc.test ${line}\r\nERROR :Closing link\r\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

needs(["chromium"], () => {
  const browser = useBrowser();

  test("a refused password leads to the settings, a ban to the people of the network, and neither says that all is well", async () => {
    const [admin = 0, api = 0] = await freePorts(2);
    const wrong = await refusing("464 * :Password incorrect");
    const banned = await refusing("465 * :You are banned");
    const folder = mkdtempSync(join(tmpdir(), "rialto-alerts-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const account = (name: string, port: number): string =>
      `[irc.${name}]\nServer = "127.0.0.1:${port}"\nNick = "bot"\n`;
    const bridge = (name: string): string => `{ account = "irc.${name}", channel = "#a" }`;
    const text = `[general]\nAdminBindAddress = "127.0.0.1:${admin}"\n${"\n".repeat(40)}${account("banned", banned)}${account("wrong", wrong)}[api.one]\nBindAddress = "127.0.0.1:${api}"\n[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.one" }, ${bridge("wrong")}, ${bridge("banned")}]\n`;
    writeFileSync(join(folder, "rialto.toml"), text);
    const program = startProgram(folder, []);
    onTestFinished(async () => {
      program.child.kill("SIGTERM");
      await program.exited();
    });
    await program.prints(/Rialto runs/u);
    const command = startProgram(folder, ["dashboard"]);
    await command.exited();
    const visit = await browser.open(command.output().trim());
    visit.expects(/401 /u);
    const { page } = visit;
    const alerts = page.getByRole("region", { name: "Alerts" });
    await alerts.getByText("irc.wrong action-needed").waitFor();
    await alerts.getByText("irc.banned action-needed").waitFor();
    await alerts.getByText("Ask the people who run the network why it refuses the account.").waitFor();
    expect(await alerts.getByText("Nothing needs attention.").count()).toBe(0);
    expect(await alerts.getByRole("button", { name: /irc\.wrong/u }).count()).toBe(0);
    expect(await alerts.getByRole("button", { name: /irc\.banned/u }).count()).toBe(1);
    await alerts.getByRole("link", { name: "Open its settings" }).click();
    const line = page.locator(".cm-activeLine");
    await line.filter({ hasText: "[irc.wrong]" }).waitFor();
    expect(await line.isVisible()).toBe(true);
  });
});

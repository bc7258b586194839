import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gateway } from "../irc/world.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import type { IrcServer } from "../servers/irc/server.ts";
import { type PythonPerson, pythonPerson } from "../servers/people/python.ts";
import type { Visit } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { startProgram } from "../support/program.ts";
import { type Rialto, startRialto } from "../support/rialto.ts";

export const CHANNEL = "#square";

/** The program with a dashboard, a room on a real IRC server, and eve in it; the other end is an account of the API. */
export interface Office {
  readonly rialto: Rialto;
  readonly irc: IrcServer;
  readonly eve: PythonPerson;
  /** What `rialto dashboard` prints. */
  readonly link: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface OfficeOptions {
  /** Further lines of the configuration. */
  readonly more?: string;
}

export async function openOffice({ more = "" }: OfficeOptions = {}): Promise<Office> {
  const [irc, [port = 0]] = await Promise.all([startNgircd(), freePorts(1)]);
  const eve = await pythonPerson({ port: irc.port, nick: "eve", channels: [CHANNEL] });
  const room = gateway({ irc: { town: { port: irc.port, channel: CHANNEL } }, api: ["desk"] });
  const rialto = await startRialto({
    config: `[general]\nAdminBindAddress = "127.0.0.1:${port}"\n${room}${more}`,
  });
  return {
    rialto,
    irc,
    eve,
    link: async () => await dashboardLink(rialto.dataPath),
    close: async () => {
      await rialto.dispose();
      await eve.quit();
      await irc.stop();
    },
  };
}

export async function dashboardLink(dataPath: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-office-"));
  const program = startProgram(folder, ["dashboard", "--json", "--data", dataPath]);
  if ((await program.exited()) !== 0) throw new Error(program.output());
  return (JSON.parse(program.output()) as { readonly url: string }).url;
}

/** Somebody at the page of this name, by the navigation. */
export async function goTo({ page }: Visit, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

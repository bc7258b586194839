import { mkdtemp, rm } from "node:fs/promises";
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
  /** The one that runs now. */
  readonly rialto: () => Rialto;
  readonly irc: IrcServer;
  readonly eve: PythonPerson;
  /** Address of the dashboard, without a slash at its end. */
  readonly url: string;
  /** What `rialto dashboard` prints. */
  readonly link: () => Promise<string>;
  /** What `rialto` prints as JSON for this command. */
  readonly command: (words: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
  /** An answer of `/v1/admin` with a good status, by the token. */
  readonly admin: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** After its end: again, with what it has on the disk. */
  readonly startAgain: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OfficeOptions {
  /** Lines behind `[general]`. */
  readonly general?: string;
  /** Further lines of the configuration; the gateway is the last of those before. */
  readonly more?: string;
}

const TOKEN = "operators-only";

export async function openOffice({ general = "", more = "" }: OfficeOptions = {}): Promise<Office> {
  const [irc, [port = 0]] = await Promise.all([startNgircd(), freePorts(1)]);
  const eve = await pythonPerson({ port: irc.port, nick: "eve", channels: [CHANNEL] });
  const room = gateway({ irc: { town: { port: irc.port, channel: CHANNEL } }, api: ["desk"] });
  const admin = `AdminBindAddress = "127.0.0.1:${port}"\nAdminToken = "${TOKEN}"`;
  const config = `[general]\n${admin}\n${general}\n${room}${more}`;
  const first = await startRialto({ config });
  let now = first;
  const url = `http://127.0.0.1:${port}`;
  const command: Office["command"] = async (words) => await askedOf(first.dataPath, words);
  return {
    rialto: () => now,
    irc,
    eve,
    url,
    command,
    link: async () => String((await command(["dashboard"]))["url"]),
    admin: async (method, path, body) => {
      const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
      const answer = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === "" ? null : (JSON.parse(text) as unknown);
    },
    startAgain: async () => {
      now = await startRialto({ config, dataPath: first.dataPath });
    },
    close: async () => {
      if (now !== first) await now.dispose();
      await first.dispose();
      await eve.quit();
      await irc.stop();
    },
  };
}

async function askedOf(dataPath: string, words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "rialto-office-"));
  const program = startProgram(folder, [...words, "--json", "--data", dataPath]);
  if ((await program.exited()) !== 0) throw new Error(program.output());
  await rm(folder, { recursive: true });
  return JSON.parse(program.output()) as Readonly<Record<string, unknown>>;
}

/** Somebody at the page of this name, by the navigation. */
export async function goTo({ page }: Visit, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

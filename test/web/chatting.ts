import type { Locator, Page } from "playwright-core";
import { arrival } from "../irc/world.ts";
import type { TestBrowser, Visit, VisitOptions } from "../support/browser.ts";
import { freePorts } from "../support/ports.ts";
import { CHANNEL, type Office, openOffice } from "./office.ts";

/** The program with a room that guests join from a browser, linked with the one on IRC; `rest` of its configuration. */
export async function openRoom(rest = ""): Promise<Office> {
  const [port = 0] = await freePorts(1);
  const bridge = '[[gateway.inout]]\naccount = "web.hall"\nchannel = "lobby"\n';
  const more = `${bridge}[web.hall]\nBindAddress = "127.0.0.1:${port}"\nRate = 100000\n${rest}`;
  const office = await openOffice({ more });
  await arrival(office.eve, CHANNEL);
  return office;
}

export const inviteTo = async (office: Office, words: readonly string[] = ["--uses", "10"]): Promise<string> =>
  String((await office.command(["invite", "square", ...words]))["url"]);

interface Joining {
  readonly link: string;
  readonly name: string;
  readonly options?: VisitOptions;
}

/** Somebody who opens a link, types a name, and is in the room. */
export async function joinRoom(browser: TestBrowser, { link, name, options = {} }: Joining): Promise<Visit> {
  const visit = await browser.open(link, options);
  // The page asks who it is before anybody has joined.
  visit.expects(/status of 401/u);
  await visit.page.getByRole("textbox", { name: "Your name" }).fill(name);
  await visit.page.getByRole("button", { name: "Join" }).click();
  await boxOf(visit.page).waitFor();
  return visit;
}

export const logOf = (page: Page): Locator => page.getByRole("log", { name: "Messages" });
export const boxOf = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
export const saying = (page: Page, text: string): Locator => logOf(page).getByRole("article").filter({ hasText: text });

export async function say(page: Page, text: string): Promise<void> {
  await boxOf(page).fill(text);
  await boxOf(page).press("Enter");
}

/** Presses a button of a message, which a mouse shows first. */
export async function actOn(message: Locator, button: string): Promise<void> {
  await message.hover();
  await message.getByRole("button", { name: button }).click();
}

/** The texts of the room that begin so, in order. A text that still waits for its answer is not one of the room. */
export const shown = async (page: Page, prefix: string): Promise<string[]> =>
  (await logOf(page).locator("article:not(.waiting) .text").allTextContents()).filter((text) =>
    text.startsWith(prefix),
  );

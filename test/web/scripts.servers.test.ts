import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { useBrowser } from "../support/browser.ts";
import { eventually } from "../support/wait.ts";
import { boxOf, inviteTo, joinRoom, logOf, openRoom, say, saying, shown } from "./chatting.ts";
import { CHANNEL, goTo, type Office } from "./office.ts";
import { PAYLOADS } from "./payloads.ts";

needs(["chromium", "ngircd", "python3-irc"], () => {
  const browser = useBrowser();
  let office: Office;
  beforeAll(async () => {
    office = await openRoom();
  });
  afterAll(async () => await office.close());

  test("nothing that anybody writes is read as anything but text, in the room and on the dashboard", async () => {
    const link = await inviteTo(office);
    const desk = await browser.open(await office.link());
    desk.expects(/status of 401/u);
    await desk.page.getByRole("log", { name: "Live" }).waitFor();
    const mallory = await joinRoom(browser, { link, name: "<b>mallory</b>" });
    // Both count and neither changes: an address that a link names is asked for by nobody.
    await office.eve.raw(`TOPIC ${CHANNEL} :<img src=x onerror=alert(1)>`);
    const texts = PAYLOADS.map((payload, index) => `no ${index}: ${payload}`);
    await office.eve.say(CHANNEL, ...texts);
    for (const text of texts) await say(mallory.page, text);
    for (const name of ["<img src=x onerror=alert(1)>.png", '"><script>alert(1)</script>.svg']) {
      await mallory.page.locator("input[type=file]").setInputFiles({ name, mimeType: "image/svg+xml", buffer: SVG });
      const remove = mallory.page.getByRole("button", { name: /^Remove/u });
      await remove.waitFor();
      // Nothing is sent before the file is there.
      await mallory.page.locator("button.main:enabled").waitFor();
      await boxOf(mallory.page).press("Enter");
      // The next one would go with it, were it chosen before this one is on its way.
      await remove.waitFor({ state: "hidden" });
    }
    const last = texts.at(-1) ?? "";
    await eventually(
      async () => await shown(mallory.page, last.slice(0, 6)),
      (found) => found.length === 2,
      () => "the last of both",
    );
    const reader = await joinRoom(browser, { link, name: "ned" });
    await saying(reader.page, last.slice(0, 6)).first().waitFor();
    expect(await reader.page.locator("script:not([src]), iframe, object, embed, img[src=x], base").count()).toBe(0);
    const links = await logOf(reader.page)
      .locator("a")
      .evaluateAll((all) => all.map((a) => String(a)));
    expect(links.filter((href) => !/^https?:/u.test(href))).toEqual([]);
    await desk.page
      .getByRole("log", { name: "Live" })
      .filter({ hasText: last.slice(0, 6) })
      .waitFor();
    await goTo(desk, "Now");
  });
});

const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>');

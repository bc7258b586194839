import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { startNgircd } from "../servers/irc/ngircd.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { startProxy } from "../servers/proxy.ts";
import { onStage } from "../servers/stage.ts";
import { launch } from "../support/suite.ts";
import { arrival, brought, compare, gateway, numbered, postAll, receiptsIn } from "./world.ts";

const CHANNEL = "#square";
const KILLS = 5;
const BACKLOG = 500;

needs(["ngircd", "python3-irc"], () => {
  test("kill -9 five times while a backlog drains: all of it arrives or is known as unconfirmed, nothing twice", async () => {
    const server = await onStage(startNgircd());
    const proxy = await onStage(startProxy(server.port));
    const pia = await onStage(pythonPerson({ port: server.port, nick: "pia", channels: [CHANNEL] }));
    const dataPath = await mkdtemp(path.join(os.tmpdir(), "rialto-drain-"));
    onTestFinished(() => rm(dataPath, { recursive: true, force: true }));
    const irc = { net: { port: proxy.port, channel: CHANNEL, settings: "MessageDelay = 10" } };
    const config = gateway({ irc, api: ["one"] });
    const texts = numbered("backlog", BACKLOG);
    const lines = (): string[] => brought(pia.ears.in(CHANNEL), "<anna> ");

    proxy.shut();
    let rialto = await launch({ config, dataPath });
    await postAll(rialto.client("one"), texts);
    expect(lines()).toEqual([]);
    proxy.open();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const enough = (BACKLOG / (KILLS + 1)) * kill;
      await pia.ears.until(CHANNEL, (heard) => brought(heard, "<anna> ").length >= enough, `${enough} lines`, 20_000);
      await rialto.kill9();
      rialto = await launch({ config, dataPath });
    }
    await pia.ears.untilText(CHANNEL, `backlog ${BACKLOG}`, 20_000);
    await arrival(pia, CHANNEL, { times: KILLS + 1 });
    expect(await rialto.stop()).toEqual({ code: 0, signal: null });

    const found = compare(texts, lines());
    const receipts = await receiptsIn(dataPath, { api: "one", gateway: "square" });
    const unconfirmed = receipts.filter(({ state }) => state === "unconfirmed").map(({ text }) => text);
    console.log(
      `figures: kill -9 of Rialto x ${KILLS} while ${BACKLOG} drain: ${found.arrived} arrived, ${found.doubled.length} doubled, ` +
        `${unconfirmed.length} unconfirmed of which ${unconfirmed.filter((text) => lines().includes(text)).length} had arrived, ` +
        `in order: ${found.inOrder}`,
    );
    expect(found.doubled).toEqual([]);
    expect(found.inOrder).toBe(true);
    expect(found.missing.filter((text) => !unconfirmed.includes(text))).toEqual([]);
    expect(receipts.filter(({ state }) => state !== "unconfirmed")).toEqual([]);
  });
});

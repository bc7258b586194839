import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { inserted, toldOf } from "./situations/page.ts";
import type { Scene } from "./situations/scene.ts";
import { type SceneName, SCENES } from "./situations/scenes.ts";
import { Ends, setStage } from "./situations/stage.ts";

/**
 * What an operator, and people in the rooms, see when something is wrong: made to happen, and held against
 * docs/what-you-see.md.
 */

const PAGE = path.join(import.meta.dirname, "../../docs/what-you-see.md");
/** Servers of four networks and six Rialtos; on a busy machine. */
const PATIENCE_MS = 400_000;
const UPDATES = process.env["UPDATE_SITUATIONS"] === "1";
const NAMES = Object.keys(SCENES) as SceneName[];

needs(["inspircd", "python3-irc", "prosody", "python3-slixmpp", "synapse", "python3-matrix-nio"], () => {
  describe("what an operator sees", () => {
    const ends = new Ends();
    const scenes = new Map<SceneName, PromiseSettledResult<Scene>>();

    beforeAll(async () => {
      const stage = await setStage(ends);
      const page = readFileSync(PAGE, "utf8");
      const results = await Promise.allSettled(
        NAMES.map(async (name) => await SCENES[name](stage, UPDATES ? null : toldOf(page, name))),
      );
      for (const [at, result] of results.entries()) scenes.set(NAMES[at] as SceneName, result);
    }, PATIENCE_MS);
    afterAll(async () => await ends.end(), 60_000);

    test.each(NAMES)("%s, as docs/what-you-see.md says (UPDATE_SITUATIONS=1 writes it)", (name) => {
      const scene = scenes.get(name);
      if (scene?.status !== "fulfilled") throw scene?.reason;
      const page = readFileSync(PAGE, "utf8");
      const made = inserted(page, name, scene.value);
      if (UPDATES) writeFileSync(PAGE, made);
      else expect(made).toBe(page);
    });
  });
});

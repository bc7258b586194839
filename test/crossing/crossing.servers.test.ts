import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../servers/installed.ts";
import { type Cell, judgeAll } from "./judge.ts";
import { type Losses, lossesIn, wayOf } from "./losses.ts";
import { inserted, tablesOf } from "./page.ts";
import { play } from "./play.ts";
import { setStage, type Stage } from "./stage.ts";

/**
 * Everything that a message can carry, from every network to every other, on real servers: what people there get to
 * see.
 */

const PAGE = path.join(import.meta.dirname, "../../docs/crossing.md");
/** Four programs of others start, and some hundred messages cross; each wait has its own end. */
const PATIENCE_MS = 600_000;

needs(["inspircd", "python3-irc", "prosody", "python3-slixmpp", "synapse", "python3-matrix-nio"], () => {
  describe("everything from everywhere to everywhere", () => {
    let stage: Stage | null = null;
    let cells: readonly Cell[] = [];
    let losses: Losses = new Map();

    beforeAll(async () => {
      stage = await setStage();
      try {
        cells = await judgeAll(stage, await play(stage.places, stage.reached));
        await stage.rialto.stop();
        losses = await lossesIn(stage.rialto.dataPath);
      } catch (error) {
        console.error(`Rialto printed:\n${stage.rialto.output().slice(-4_000)}`);
        throw error;
      }
    }, PATIENCE_MS);
    afterAll(async () => await stage?.end());

    test("nothing is lost, torn, escaped or about the wrong message", () => {
      expect(cells.length).toBeGreaterThan(0);
      expect(
        cells.flatMap(({ thing, from, to, faults }) => faults.map((fault) => `${thing}, ${from} to ${to}: ${fault}`)),
      ).toEqual([]);
    });

    test("every loss is named in the receipt, and nothing else is", () => {
      expect(cells.flatMap((cell) => misnamed(cell, losses))).toEqual([]);
    });

    test("docs/crossing.md says what was seen (UPDATE_CROSSING=1 writes it)", () => {
      const page = readFileSync(PAGE, "utf8");
      const made = inserted(page, tablesOf(cells));
      if (process.env["UPDATE_CROSSING"] === "1") writeFileSync(PAGE, made);
      else expect(made).toBe(page);
    });
  });
});

/** Nobody takes these for a loss: the words, or the link, are the whole of it. */
const WHOLE: ReadonlySet<string> = new Set([
  "mention",
  "pill",
  "lines",
  "notice",
  "file",
  "picture",
  "files",
  "hidden",
  "join",
  "leave",
  "topic",
]);

function misnamed({ thing, from, to, verdict }: Cell, losses: Losses): readonly string[] {
  if (verdict === null || to === "api" || to === "plain" || WHOLE.has(thing)) return [];
  // A line above the text links to the message that is answered: webhooks have nothing else, and nothing of it is lost.
  if (to === "discord" && (thing === "reply" || thing === "answer")) return [];
  const all = losses.get(wayOf(thing, from, to)) ?? [];
  // There whatever answers is in a thread as well, and that is what is lost.
  const named =
    (from === "mattermost" || from === "slack") && thing !== "thread" ? all.filter((what) => what !== "thread") : all;
  if ((verdict.is === "native") === (named.length === 0)) return [];
  return [
    `${thing}, ${from} to ${to}: it came as ${JSON.stringify(verdict)}, and the receipt names ${JSON.stringify(named)}`,
  ];
}

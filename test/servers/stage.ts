import { onTestFailed, onTestFinished } from "vitest";
import type { Rialto } from "../support/rialto.ts";
import type { IrcServer } from "./irc/server.ts";
import type { Person } from "./people/person.ts";

interface Hooks {
  readonly onTestFinished: (task: () => Promise<void>) => void;
  readonly onTestFailed: (task: () => void) => void;
}

/** Most of what it printed that a failed test shows. */
const SHOWN = 4_000;

/**
 * For one test: what is started ends with it, the newest first, and a failed test shows what it printed. A test that
 * runs beside others of its file hands in the hooks of its own context.
 */
export async function onStage<T extends Rialto | IrcServer | Person | Stoppable>(
  starting: Promise<T>,
  hooks: Hooks = { onTestFinished, onTestFailed },
): Promise<T> {
  const started = await starting;
  hooks.onTestFinished(async () => {
    if ("dispose" in started) await started.dispose();
    else if ("quit" in started) await started.quit();
    else await started.stop();
  });
  hooks.onTestFailed(() => {
    if ("log" in started) console.error(`${started.name} printed:\n${started.log().slice(-SHOWN)}`);
    if ("output" in started) console.error(`Rialto printed:\n${started.output().slice(-SHOWN)}`);
  });
  return started;
}

interface Stoppable {
  readonly stop: () => Promise<unknown>;
}

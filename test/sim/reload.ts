import type { Config } from "../../src/config/config.ts";
import { changeOf } from "../../src/config/diff.ts";
import type { Delivery } from "../../src/delivery/delivery.ts";
import type { LiveRoutes } from "../../src/gateway/live-routes.ts";
import type { Routes } from "../../src/gateway/routes.ts";
import type { ReadWriteLock } from "../../src/lib/read-write-lock.ts";
import { LogError } from "../../src/log/errors.ts";
import type { Log } from "../../src/log/log.ts";
import type { Api } from "./api.ts";
import type { Life } from "./life.ts";

/** How long a change waits for appends that are under way. */
const ALONE_MS = 2_000;

interface Change {
  readonly old: Config;
  readonly next: Config;
  readonly compiled: Routes;
  /** Called when what comes in goes by it. */
  readonly swapped: () => void;
}

interface Running {
  readonly life: Life;
  readonly delivery: Delivery;
  readonly log: Log;
  readonly routes: LiveRoutes;
  readonly lock: ReadWriteLock;
  readonly api: Api;
}

/**
 * The steps of `app/change.ts`, without the sockets of its servers. A log that refuses the change refuses it; nothing
 * has moved then.
 */
export async function changeTo({ old, next, compiled, swapped }: Change, running: Running): Promise<void> {
  const { life, delivery, log, routes, lock, api } = running;
  const kept = [...next.accounts.values()].filter(({ key }) => old.accounts.has(key));
  const reopened = kept.filter((account) => changeOf(old.accounts.get(account.key), account) === "reopen");
  const all = { config: next, routes: compiled, reopen: new Set(reopened.map(({ key }) => key)) };
  try {
    const steps = [await delivery.change(all), await api.change(all)];
    const isSwapped = await lock.exclusive(ALONE_MS, async () => {
      const marks = steps.flatMap((step) => step.marks());
      if (marks.length > 0) await log.mark(marks);
      if (life.dead) return false;
      swapped();
      routes.swap(compiled);
      for (const step of steps) step.swap();
      return true;
    });
    if (isSwapped) await Promise.all(steps.map(async (step) => await step.settle()));
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
  }
}

import type { Config } from "../config/config.ts";
import type { Routes } from "../gateway/routes.ts";
import type { Mark } from "../log/log.ts";
import { end } from "./account-end.ts";
import { forgetRemoved, removedLanes } from "./forgetting.ts";
import { type LaneSpec, laneSpecs } from "./lane-specs.ts";
import { beginningMarks, joiningMark } from "./lanes.ts";
import type { AccountRuntime, Shared } from "./account-runtime.ts";
import type { AccountRegistry } from "./account-registry.ts";
import { marksOf } from "./lane/checkpoint.ts";

/** The configuration that is to take the place of the one there is. */
export interface NextConfig {
  readonly config: Config;
  /** Those that `config` is compiled to. */
  readonly routes: Routes;
  /** Keys of the accounts that need another session although they are in both configurations. */
  readonly reopen: ReadonlySet<string>;
}

/**
 * A change of the configuration while all runs, in the order of its steps. Killed between any two of them, the next
 * start continues from what is on disk.
 *
 *   1. `marks` are made durable while nothing is being appended: what is new begins here. Until then, nothing has
 *      changed, and if the log refuses them, nothing does, also where it has stored them all the same.
 *   2. `swap`, at once after that: what comes in goes by the new configuration.
 *   3. `settle`: lanes and sessions follow. What waits for those that stay waits in the log meanwhile.
 */
export interface DeliveryChange {
  marks(): readonly OwnMark[];
  swap(): void;
  /** Bounded, but for a log that cannot be read. Never rejects. */
  settle(): Promise<void>;
}

/** `account`: key of the one whose it is. */
export interface OwnMark extends Mark {
  readonly account: string;
}

export const ownedBy = (account: string, marks: readonly Mark[]): readonly OwnMark[] =>
  marks.map(({ name, value }) => ({ account, name, value }));

/** Nothing else waits for these lanes and sessions, so they may take their time. */
const PATIENCE = { lanesMs: 10_000, drainMs: 10_000 };

export interface Scene {
  readonly parts: AccountRegistry;
  readonly shared: Shared;
  /** Aborted when the program stops: what is under way is cut short, and nothing is opened any more. */
  readonly signal: AbortSignal;
  /** An error of the configuration so far has left something out. */
  readonly isDegraded: boolean;
  /** Whether the account with this key is open here; absent: all are, or are to be. */
  readonly isHere?: (accountKey: string) => boolean;
  /** … and whether it is not about to end here; absent: none is. */
  readonly stays?: (accountKey: string) => boolean;
}

/** Moves nothing yet. Rejects with the log's LogError. */
export async function prepareChange(next: NextConfig, scene: Scene): Promise<DeliveryChange> {
  const { parts, shared, isDegraded, isHere = EVERY } = scene;
  const { log, lanes } = shared;
  // What runs elsewhere follows there.
  const specs = new Map([...laneSpecs(next.config, next.routes)].filter(([accountKey]) => isHere(accountKey)));
  const open = new Map(parts.all.flatMap((part) => part.specs.map((spec) => [spec.name, spec])));
  // Those of an account that is opened again as well: a log that does not take this would not take where they stand,
  // either.
  const isMoving = ({ name, route, configHash }: LaneSpec): boolean =>
    open.get(name)?.configHash !== configHash || next.reopen.has(route.account.key);
  const moving = [...specs.values()].flat().filter(isMoving);
  const leftOut = isDegraded ? await lanesOnDisk(log) : NONE;
  const isNew = ({ name }: LaneSpec): boolean => !open.has(name) && !leftOut.has(name);
  const names = new Set([...specs.values()].flat().map(({ name }) => name));
  const unchanged = new Set([...names].filter((name) => moving.every((spec) => spec.name !== name)));
  // Where machines share the log, each has its own configuration: what none has is forgotten without a note.
  const isAlone = scene.isHere === undefined;
  const removed = isAlone ? [...open.values()].filter(({ name }) => !names.has(name)) : [];
  const sources = moving.every(isNew) ? new Map<string, string>() : await log.marks(marksOf("").sources);
  let unpin = (): void => undefined;
  return {
    marks: () => [
      // They write while they stop, so that they cannot be forgotten yet.
      ...removed.map(({ name, route }) => ({ name: marksOf(name).removed, value: "yes", account: route.account.key })),
      ...moving.flatMap((spec) => {
        const { name, route } = spec;
        const { subjects } = route;
        const { subjects: before } = open.get(name)?.route ?? route;
        const known = { sources: sources.get(marksOf(name).sources), before, isAlone };
        const own = isNew(spec)
          ? beginningMarks({ name, subjects }, log.head)
          : [joiningMark({ name, subjects }, known, log.head)];
        return ownedBy(route.account.key, own);
      }),
    ],
    swap: () => {
      unpin = lanes.pin();
      for (const part of parts.all) {
        part.endLanes(unchanged, log.head);
        const account = next.config.accounts.get(part.account.key);
        if (account !== undefined) part.renormalize(account);
      }
    },
    settle: async () => {
      await parts.settle(settle(next, { specs, names }, scene));
      unpin();
    },
  };
}

const NONE: ReadonlySet<string> = new Set();
const EVERY = (): boolean => true;

/** Names of the lanes that have a position, but for those that were removed. */
async function lanesOnDisk(log: Shared["log"]): Promise<ReadonlySet<string>> {
  const { checkpoint } = marksOf("");
  const names = Array.from((await log.marks(checkpoint)).keys(), (mark) => mark.slice(checkpoint.length));
  const removed = await removedLanes(log);
  return new Set(names.filter((name) => !removed.has(name)));
}

/** The lanes that there are to be. */
interface Lanes {
  /** By account. */
  readonly specs: ReadonlyMap<string, readonly LaneSpec[]>;
  readonly names: ReadonlySet<string>;
}

async function settle(next: NextConfig, { specs, names }: Lanes, scene: Scene): Promise<void> {
  const { parts, shared, signal, isHere = EVERY, stays = EVERY } = scene;
  const patience = { ...PATIENCE, signal };
  const { config, routes, reopen } = next;
  const accounts = new Map([...config.accounts].filter(([, { protocol }]) => protocol !== "api"));
  const isOver = (part: AccountRuntime): boolean => !accounts.has(part.account.key) || reopen.has(part.account.key);
  const follow = async (part: AccountRuntime): Promise<void> => {
    const account = accounts.get(part.account.key);
    await part.drain(names, patience);
    if (isOver(part)) await end(part, patience, parts);
    if (account === undefined || (isOver(part) && !stays(account.key))) return;
    const wanted = { account, config, routes, specs: specs.get(account.key) ?? [] };
    if (isOver(part)) await parts.add(wanted, signal);
    else await part.change(wanted, patience);
  };
  const known = new Set(parts.all.map(({ account }) => account.key));
  const added = [...accounts.values()].filter(({ key }) => !known.has(key) && isHere(key));
  await Promise.all([
    ...parts.all.map(follow),
    ...added.map(async (account) => {
      await parts.add({ account, config, routes, specs: specs.get(account.key) ?? [] }, signal);
    }),
  ]);
  parts.order([...accounts.keys()]);
  // One machine alone does not know what others run.
  if (signal.aborted || scene.isHere !== undefined) return;
  const left = { lanes: names, accounts: new Set(config.accounts.keys()) };
  try {
    await forgetRemoved(shared.log, shared.logger, left);
  } catch (error) {
    shared.logger.warn(
      { error: String(error) },
      "the records of removed bridges could not be deleted; the next start deletes them",
    );
  }
}

import type { AccountStatus } from "../delivery/status.ts";
import type { StatusView } from "./views.ts";

/**
 * What makes the status that a page has into the one there is now: the data of an event `change` of
 * `GET /v1/admin/events`. Plain data; what is not named here stays as it was.
 */
export interface StatusChange {
  /** Keys of the top level that are otherwise, each whole. */
  readonly changed: Partial<Omit<StatusView, "accounts">>;
  /** Accounts that are new or otherwise, each whole. */
  readonly accounts: readonly AccountStatus[];
  /** Keys of all accounts, in their order; null: none has come, gone or moved. */
  readonly order: readonly string[] | null;
}

/** Always otherwise: told with what has changed, and no change by themselves. */
const DRIFTING = ["nowMs", "loop", "log"] as const;

/** Pure. Null: nothing that is worth telling. */
export function changesBetween(before: StatusView, after: StatusView): StatusChange | null {
  const known = new Map(before.accounts.map((account) => [account.key, account]));
  const accounts = after.accounts.filter((account) => !isSame(known.get(account.key), account));
  const order = keysOf(after);
  const isOrdered = isSame(keysOf(before), order);
  const [was, is] = [steady(before), steady(after)];
  const changed = Object.fromEntries(Object.entries(after).filter(([key]) => !isSame(was[key], is[key])));
  if (isOrdered && accounts.length === 0 && Object.keys(changed).length === 0) return null;
  for (const key of DRIFTING) changed[key] = after[key];
  return { changed, accounts, order: isOrdered ? null : order };
}

/** Pure: `applyChange(before, changesBetween(before, after))` is `after`. */
export function applyChange(before: StatusView, { changed, accounts, order }: StatusChange): StatusView {
  const known = new Map([...before.accounts, ...accounts].map((account) => [account.key, account]));
  const all = (order ?? keysOf(before)).flatMap((key) => known.get(key) ?? []);
  return { ...before, ...changed, accounts: all };
}

const keysOf = ({ accounts }: StatusView): readonly string[] => accounts.map(({ key }) => key);

/** The top level without the accounts, and without what drifts. */
const steady = (view: StatusView): Readonly<Record<string, unknown>> => {
  return { ...view, accounts: null, nowMs: null, loop: null, log: { ...view.log, freeBytes: null } };
};

/** Both were made by the same code, so that their keys stand in the same order. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

import type { Routes } from "../../gateway/routes.ts";
import type { TailListener } from "../../log/log.ts";
import type { ApiAccount } from "./account.ts";

/** Hands each commit's entries to the API accounts that may see them, by account key. */
export function dispatchTo(accounts: ReadonlyMap<string, ApiAccount>, routes: Routes): TailListener {
  return (entries) => {
    const touched = new Map<ApiAccount, number>();
    for (const entry of entries) {
      for (const target of routes.targets(entry.subject)) {
        const account = accounts.get(target.account.key);
        if (account === undefined) continue;
        if (!touched.has(account)) touched.set(account, account.end);
        account.push(entry, target.gateway);
      }
    }
    for (const [account, from] of touched) account.flush(from);
  };
}

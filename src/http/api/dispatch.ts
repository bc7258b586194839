import type { Routes } from "../../gateway/routes.ts";
import type { TailListener } from "../../log/log.ts";
import type { ApiAccount } from "./account.ts";

/** Hands each commit's entries to the API accounts that may see them, by account key. */
export function dispatchTo(accounts: ReadonlyMap<string, ApiAccount>, routes: Routes): TailListener {
  return (entries) => {
    const touched = new Set<ApiAccount>();
    for (const entry of entries) {
      for (const target of routes.targets(entry.subject)) {
        const account = accounts.get(target.account.key);
        if (account === undefined) continue;
        account.push(entry, target.gateway);
        touched.add(account);
      }
    }
    for (const account of touched) account.flush();
  };
}

import type { Routes } from "../gateway/routes.ts";
import { withdrawalEntry } from "../gateway/withdrawals.ts";
import type { Log } from "../log/log.ts";

/** A log that gets, with each deletion, the entry by which the place of the deletion takes the words out of answers. */
export function withWithdrawals(log: Pick<Log, "append">, routes: Pick<Routes, "targets">): Pick<Log, "append"> {
  return {
    append: async (batch) => {
      const more = batch.entries
        .map(withdrawalEntry)
        .filter((entry) => entry !== null)
        .filter(({ subject }) => routes.targets(subject).length > 0);
      if (more.length === 0) return await log.append(batch);
      const appended = await log.append({ ...batch, entries: [...batch.entries, ...more] });
      if (appended.is !== "stored") return appended;
      return { ...appended, seqs: appended.seqs.slice(0, batch.entries.length) };
    },
  };
}

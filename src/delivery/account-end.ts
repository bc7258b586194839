import type { AccountRegistry } from "./account-registry.ts";
import type { AccountRuntime, Patience } from "./account-runtime.ts";

/** Ends an account while others go on; resolves when it writes nothing more or the signal is aborted. Never rejects. */
export async function end(part: AccountRuntime, patience: Patience, runtimes: AccountRegistry): Promise<void> {
  await part.quiesce(patience);
  await part.close();
  await part.atRest(patience.signal ?? new AbortController().signal);
  runtimes.remove(part);
}

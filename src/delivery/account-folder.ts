import { join } from "node:path";
import type { Account } from "../config/config.ts";

/** Where an account may keep files of its own: below the data folder; two accounts never share one. */
export function accountFolder(dataPath: string, { protocol, key }: Pick<Account, "protocol" | "key">): string {
  return join(dataPath, `${protocol}-${encodeURIComponent(key.slice(protocol.length + 1))}`);
}

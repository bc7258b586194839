import type { ApiAccount } from "./account.ts";
import type { Ingest } from "./ingest.ts";

/** What the endpoints of one API account need. */
export interface ApiDeps {
  readonly readers: ApiAccount;
  readonly ingest: Ingest;
  readonly nowMs: () => number;
  /** Unexpected failures: bugs, never a client's fault. */
  readonly onError: (error: unknown, path: string) => void;
}

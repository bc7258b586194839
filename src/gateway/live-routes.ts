import type { Routes } from "./routes.ts";

/** Routes that can be changed under those who hold them. */
export interface LiveRoutes extends Routes {
  /** From now on everybody asks these. */
  swap(next: Routes): void;
}

export function liveRoutes(initial: Routes): LiveRoutes {
  let current = initial;
  return {
    targets: (subject) => current.targets(subject),
    subjects: () => current.subjects(),
    reads: (accountKey) => current.reads(accountKey),
    seen: (accountKey) => current.seen(accountKey),
    posting: (accountKey, gatewayName) => current.posting(accountKey, gatewayName),
    lanes: () => current.lanes(),
    channels: (accountKey) => current.channels(accountKey),
    swap: (next) => {
      current = next;
    },
  };
}

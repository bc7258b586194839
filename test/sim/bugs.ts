import type { Host } from "../../src/contract/host.ts";
import type { Session } from "../../src/contract/session.ts";
import type { Routes } from "../../src/gateway/routes.ts";
import type { Log } from "../../src/log/log.ts";

/** Bugs that a test plants between the real parts, to see that they are found. Absent: none. */
export interface Bugs {
  readonly log?: (log: Log) => Log;
  readonly routes?: (routes: Routes) => Routes;
  readonly host?: (host: Host) => Host;
  readonly session?: (session: Session) => Session;
}

import type { GuestOffice } from "../guest-office.ts";
import type { AdminDeps } from "../routes.ts";
import type { ConfigDeps } from "./config-deps.ts";
import type { ConnectDeps } from "./connect-deps.ts";
import type { AccessDeps } from "./access-deps.ts";
import type { NowDeps } from "./now-deps.ts";
import type { SessionDeps } from "./session-deps.ts";

/** What the operations below `/v1` of the admin server work with. Each part belongs to one file of `routes/`. */
export interface AdminV1Deps {
  /** What an operator can do through the socket as well. */
  readonly operator: AdminDeps;
  /** The configuration file. */
  readonly config: ConfigDeps;
  /** What helps to link networks. */
  readonly connect: ConnectDeps;
  /** What the dashboard shows. */
  readonly now: NowDeps;
  /** People of the web chat. */
  readonly guests: GuestOffice;
  readonly session: SessionDeps;
  readonly access: AccessDeps;
}

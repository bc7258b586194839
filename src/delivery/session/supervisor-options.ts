import type { Account } from "../../config/config.ts";
import type { Adapter } from "../../contract/adapter.ts";
import type { Clock, Hint } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Files } from "../../files/files.ts";
import type { Logger } from "../../logger.ts";
import type { Intake } from "../intake.ts";
import type { LinkedOfAccount } from "../linked-people.ts";
import type { Meter } from "../meter.ts";
import type { RemoteFiles } from "../remote-files.ts";
import type { AccountStatus } from "../status.ts";
import type { JoinChannel } from "./channel.ts";

export interface SupervisorOptions {
  readonly account: Account;
  readonly adapter: Adapter;
  /** As in OpenArgs. */
  readonly folder?: string;
  readonly channels: readonly JoinChannel[];
  readonly intake: Intake;
  readonly files: Pick<Files, "open" | "publish">;
  readonly remoteFiles: RemoteFiles;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Absent: nothing is counted. */
  readonly meter?: Pick<Meter, "reconnected">;
  /** As in `HostOptions`. Absent: nobody listens. */
  readonly hinted?: (channel: string, hint: Hint) => void;
  /** As in `HostOptions`. */
  readonly linked?: LinkedOfAccount;
  /** An operator wants no session; absent: none does. */
  readonly paused?: boolean;
}

export interface State {
  readonly is: AccountStatus["state"];
  /** Unix ms. */
  readonly sinceMs: number;
  /** What led to it; null while all goes as it should. */
  readonly why: Reason | null;
}

export interface DownTime {
  /** Unix ms. */
  readonly sinceMs: number;
  /** How long that is, whatever the calendar says now. */
  readonly forMs: number;
  readonly why: Reason | null;
}

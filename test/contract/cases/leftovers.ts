import { CountingClock, type RecordingHost } from "../recording-host.ts";
import type { Stage } from "../stage.ts";

/** How many sockets this process has; take it before a session opens. */
export function sockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(?:TCP|TLS|Pipe)\w*Wrap$/.test(kind)).length;
}

/** A session that is over leaves no timer and no socket. */
export async function expectNothingLeft(stage: Stage, host: RecordingHost, socketsBefore: number): Promise<void> {
  await stage.until(
    () => waitingTimers(host) === 0 && sockets() <= socketsBefore,
    () => `timers and sockets to go: ${waitingTimers(host)} timers, ${sockets() - socketsBefore} sockets are left`,
  );
}

function waitingTimers({ clock }: RecordingHost): number {
  return clock instanceof CountingClock ? clock.waiting : 0;
}

import { LiveStatus } from "../admin/live.ts";
import type { AdminDeps } from "../http/admin/routes.ts";
import { OperatorDoorman } from "../http/admin/v1/doorman.ts";
import { openAdminV1 } from "../http/admin/v1/index.ts";
import type { V1Host, V1Service } from "../http/v1/index.ts";
import type { Clock } from "../contract/host.ts";

/** What `/v1` of the admin server is made of. */
export interface AdminV1Sources {
  readonly operator: AdminDeps;
  /** `AdminToken`; null: there is none. */
  readonly token: string | null;
  readonly clock: Clock;
}

/** Loaded at the first request: reads what it needs, and serves. Rejects with a LogError. */
export function openOperatorApi({ operator, token, clock }: AdminV1Sources, host: V1Host): Promise<V1Service> {
  const doorman = new OperatorDoorman({ token });
  const monoMs = (): number => clock.monoMs();
  const live = new LiveStatus({
    status: operator.status,
    clock,
    onError: (error) => host.onError(error, "the status for pages"),
  });
  return Promise.resolve(openAdminV1({ deps: { operator, now: { live, clock } }, doorman, monoMs, host }));
}

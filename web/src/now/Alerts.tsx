import type { JSX } from "preact";
import type { Alert, StatusView } from "../../../src/admin/views.ts";
import { duration } from "../lib/format.ts";
import { nowMs } from "../lib/live.ts";
import { linkTo } from "../lib/place.ts";
import { Notice } from "../parts/Notice.tsx";
import { AccountActions } from "./AccountActions.tsx";
import { keyed } from "./keyed.ts";
import { nowTexts as texts } from "./texts.ts";

/** Of an alert about the whole configuration. */
const CONFIGURATION = "the configuration";
/** A place in the configuration: `rialto.toml:3:7`. */
const CONFIGURED = /:\d+(?::\d+)?$/u;

/** What a person should look at: first what is wrong, worst first, then what only waits for somebody. */
export function Alerts({ view }: { readonly view: StatusView }): JSX.Element {
  return (
    <section aria-label={texts.alerts} class="alerts stack">
      {view.troubles.length === 0 ? <p class="muted">{texts.noAlerts}</p> : null}
      {view.troubles.map((alert) => (
        <AlertNotice key={`${alert.of} ${alert.what}`} alert={alert} view={view} />
      ))}
      {keyed(view.notices).map(({ key, alert: { of, what, remedy, sinceMs } }) => (
        <Notice
          key={key}
          kind="info"
          title={<Title of={of} what={what} sinceMs={sinceMs} />}
          actions={
            <a class="button small" href={linkTo(["access"])}>
              {texts.toGuests}
            </a>
          }
        >
          {remedy === null ? null : <p>{remedy}</p>}
        </Notice>
      ))}
    </section>
  );
}

function Title({ of, what, sinceMs }: Pick<Alert, "of" | "what" | "sinceMs">): JSX.Element {
  return (
    <>
      {of} {what}
      {sinceMs === null ? null : <span class="since"> {texts.since(duration(nowMs.value - sinceMs))}</span>}
    </>
  );
}

function AlertNotice({ alert, view }: { readonly alert: Alert; readonly view: StatusView }): JSX.Element {
  const { of, what, remedy, sinceMs } = alert;
  const account = view.accounts.find((each) => of === each.account || of.startsWith(`${each.account} `));
  return (
    <Notice
      kind={account === undefined || (account.state !== "degraded" && account.state !== "paused") ? "bad" : "warn"}
      title={<Title of={of} what={what} sinceMs={sinceMs} />}
      actions={
        account !== undefined && account.account === of ? (
          <AccountActions account={account} repair />
        ) : view.gateways.length === 0 && of === CONFIGURATION ? (
          <a class="button small" href={linkTo(["connect"])}>
            {texts.toConnect}
          </a>
        ) : CONFIGURED.test(of) ? (
          <a class="button small" href={linkTo(["configuration"])}>
            {texts.toConfiguration}
          </a>
        ) : null
      }
    >
      {remedy === null || remedy === "" ? null : <p>{remedy}</p>}
    </Notice>
  );
}

import type { JSX } from "preact";
import type { Alert, StatusView } from "../../../src/admin/views.ts";
import type { AccountStatus } from "../../../src/delivery/status.ts";
import { duration } from "../lib/format.ts";
import { nowMs } from "../lib/live.ts";
import { linkTo } from "../lib/place.ts";
import { Notice } from "../parts/Notice.tsx";
import { AccountActions, isOfSettings } from "./AccountActions.tsx";
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
      {view.troubles.length === 0 && view.notices.length === 0 ? <p class="muted">{texts.noAlerts}</p> : null}
      {view.troubles.map((alert) => (
        <AlertNotice key={`${alert.of} ${alert.what}`} alert={alert} view={view} />
      ))}
      {keyed(view.notices).map(({ key, alert: { of, what, remedy, sinceMs, seq } }) => (
        <Notice
          key={key}
          kind="info"
          title={<Title of={of} what={what} sinceMs={sinceMs} />}
          actions={
            seq === undefined ? (
              <Lead to={["access"]} text={texts.toGuests} />
            ) : (
              <Lead to={["messages", seq]} text={texts.toMessage} />
            )
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
      actions={<Actions alert={alert} account={account ?? null} view={view} />}
    >
      {remedy === null || remedy === "" ? null : <p>{remedy}</p>}
    </Notice>
  );
}

interface ActionsProps {
  readonly alert: Alert;
  /** That it is about, or about a channel of which; null: none. */
  readonly account: AccountStatus | null;
  readonly view: StatusView;
}

/** Leads to where the trouble can be ended. */
function Actions({ alert: { of, seq }, account, view }: ActionsProps): JSX.Element | null {
  if (seq !== undefined) return <Lead to={["messages", seq]} text={texts.toMessage} />;
  if (account !== null && account.account === of) {
    return (
      <>
        {isOfSettings(account) ? (
          <Lead to={["configuration"]} query={{ account: account.account }} text={texts.toSettings} />
        ) : null}
        <AccountActions account={account} repair />
      </>
    );
  }
  if (view.gateways.length === 0 && of === CONFIGURATION) return <Lead to={["connect"]} text={texts.toConnect} />;
  return CONFIGURED.test(of) ? <Lead to={["configuration"]} text={texts.toConfiguration} /> : null;
}

interface LeadProps {
  readonly to: readonly (string | number)[];
  readonly query?: Readonly<Record<string, string>>;
  readonly text: string;
}

const Lead = ({ to, query = {}, text }: LeadProps): JSX.Element => (
  <a class="button small" href={linkTo(to, query)}>
    {text}
  </a>
);

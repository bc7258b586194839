import type { JSX } from "preact";
import type { StatusView } from "../../../src/admin/views.ts";
import type { AccountStatus } from "../../../src/delivery/status.ts";
import { count, duration } from "../lib/format.ts";
import { nowMs } from "../lib/live.ts";
import { fits } from "../parts/filter.ts";
import { State } from "../parts/State.tsx";
import { AccountActions } from "./AccountActions.tsx";
import { accountsOf, type AccountSight, rowsOf, wordsOf } from "./rows.ts";
import { filter, picked } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

/** One card for each network: how it is, and how it was. */
export function Accounts({ view }: { readonly view: StatusView }): JSX.Element {
  const fitting = new Set(
    rowsOf(view)
      .filter((row) => filter.value.trim() === "" || fits(wordsOf(row), filter.value))
      .map(({ accountKey }) => accountKey),
  );
  const shown = accountsOf(view).filter(({ key }) => filter.value.trim() === "" || fitting.has(key));
  return (
    <section aria-labelledby="accounts-title" class="stack">
      <h2 id="accounts-title">{texts.accounts}</h2>
      <ul class="accounts">
        {shown.map((sight) =>
          sight.status === null ? null : <Card key={sight.key} sight={sight} status={sight.status} />,
        )}
      </ul>
    </section>
  );
}

interface CardProps {
  readonly sight: AccountSight;
  readonly status: AccountStatus;
}

function Card({ sight, status }: CardProps): JSX.Element {
  const { name, state } = sight;
  const isPicked = picked.value?.side === "L" && picked.value.key === sight.key;
  return (
    <li class={`card account${isPicked ? " picked" : ""}`}>
      <div class="row">
        <h3>{name}</h3>
        <State kind={state.kind} word={state.word} />
        <span class="muted">{duration(nowMs.value - (status.downSinceMs ?? status.sinceMs))}</span>
      </div>
      {state.why === null ? null : <p class="why">{state.why}</p>}
      <dl>
        <dt>{texts.waiting}</dt>
        <dd>{waitingOf(status)}</dd>
        <dt>{texts.received}</dt>
        <dd>{count(status.accepted)}</dd>
        <dt>{texts.sent}</dt>
        <dd>{count(status.delivered)}</dd>
      </dl>
      <div class="row">
        <AccountActions account={status} />
      </div>
    </li>
  );
}

function waitingOf({ channels }: AccountStatus): string {
  const lanes = channels.flatMap((channel) => channel.lanes);
  const oldest = lanes.flatMap(({ oldestMs }) => oldestMs ?? []);
  if (lanes.some(({ waiting }) => waiting === null)) return texts.unknown;
  const sum = lanes.reduce((total, { waiting }) => total + (waiting ?? 0), 0);
  if (sum === 0) return texts.nothingWaits;
  return oldest.length === 0 ? count(sum) : texts.waitingOf(count(sum), duration(nowMs.value - Math.min(...oldest)));
}

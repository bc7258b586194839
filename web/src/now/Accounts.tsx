import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { AccountHistory, StatusView } from "../../../src/admin/views.ts";
import type { AccountStatus } from "../../../src/delivery/status.ts";
import { count, duration, latency } from "../lib/format.ts";
import { nowMs } from "../lib/live.ts";
import { Bar } from "../parts/Bar.tsx";
import { shareOf } from "../parts/beats.ts";
import { Spark } from "../parts/Spark.tsx";
import { State } from "../parts/State.tsx";
import { AccountActions } from "./AccountActions.tsx";
import { beatsOf, history, watchHistory } from "./history.ts";
import { accountFlow, type AccountSight } from "./rows.ts";
import { accounts, fitting, picked } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

const DAY_MS = 86_400_000;

/** One line for each account: how it is, and how it was. */
export function Accounts({ view }: { readonly view: StatusView }): JSX.Element {
  useEffect(watchHistory, []);
  const keys = new Set(fitting.value.map(({ accountKey }) => accountKey));
  return (
    <section aria-labelledby="accounts-title" class="card stack">
      <h2 id="accounts-title">{texts.accounts}</h2>
      <ul class="accounts">
        {accounts.value.map((sight) =>
          keys.has(sight.key) ? <AccountLine key={sight.key} sight={sight} view={view} /> : null,
        )}
      </ul>
    </section>
  );
}

function AccountLine({ sight, view }: { readonly sight: AccountSight; readonly view: StatusView }): JSX.Element {
  const { key, name, state, status } = sight;
  const isPicked = picked.value?.side === "L" && picked.value.key === key;
  const known = history.value?.accounts.find(({ account }) => account === key);
  const { perMinute, minutes, p50Ms, p99Ms } = accountFlow(view, key);
  return (
    <li class={`account${isPicked ? " picked" : ""}`}>
      <div class="who">
        <h3>{name}</h3>
        <p>
          <State kind={state.kind} word={state.word} {...(state.why !== null && { title: state.why })} />{" "}
          {status === null ? null : <span class="muted">{duration(nowMs.value - sinceOf(status))}</span>}
        </p>
      </div>
      <Heartbeats name={name} known={known} slotMs={history.value?.slotMs ?? 0} />
      <div class="traffic">
        <p class="row">
          <span class="muted">{texts.traffic}</span>
          <span class="push">{texts.perMinute(count(perMinute))}</span>
        </p>
        <Spark values={minutes} label={texts.trafficOf(name, count(Math.max(...minutes, 0)))} />
      </div>
      <dl>
        <dt>{texts.delivery}</dt>
        <dd>{p50Ms === null || p99Ms === null ? texts.dash : texts.delays(latency(p50Ms), latency(p99Ms))}</dd>
        <dt>{texts.waiting}</dt>
        <dd>{status === null ? texts.nothingWaits : waitingOf(status)}</dd>
      </dl>
      <div class="row does">{status === null ? null : <AccountActions account={status} />}</div>
    </li>
  );
}

/** An outage is older than the pause that it ended in, and than each try to end it. */
const sinceOf = ({ state, sinceMs, downSinceMs }: AccountStatus): number =>
  state === "paused" ? sinceMs : (downSinceMs ?? sinceMs);

interface HeartbeatsProps {
  readonly name: string;
  readonly known: AccountHistory | undefined;
  readonly slotMs: number;
}

function Heartbeats({ name, known, slotMs }: HeartbeatsProps): JSX.Element {
  const none = { upMs: 0, downMs: 0 };
  const spans = [
    { key: "day", words: texts.day, beats: beatsOf(known?.day ?? []), stepMs: slotMs, time: known?.time.day ?? none },
    {
      key: "quarter",
      words: texts.quarter,
      beats: beatsOf(known?.quarter ?? []),
      stepMs: DAY_MS,
      time: known?.time.quarter ?? none,
    },
  ];
  return (
    <>
      {spans.map(({ key, words, beats, stepMs, time }) => (
        <div key={key} class={`beats ${key}`}>
          <p class="row">
            <span class="muted">{words}</span>
            <span class="push" {...(time.downMs > 0 && { title: texts.downFor(duration(time.downMs)) })}>
              {shareOf(time) ?? texts.dash}
            </span>
          </p>
          {beats.length === 0 ? null : (
            <Bar
              of={texts.barOf(name, words)}
              beats={beats}
              stepMs={stepMs}
              nowMs={nowMs.value}
              share={shareOf(time)}
            />
          )}
        </div>
      ))}
    </>
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

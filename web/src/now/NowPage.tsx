import type { JSX } from "preact";
import type { StatusView } from "../../../src/admin/views.ts";
import { duration } from "../lib/format.ts";
import { nowMs, status } from "../lib/live.ts";
import { Button } from "../parts/Button.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
import { Accounts } from "./Accounts.tsx";
import { Alerts } from "./Alerts.tsx";
import { Bridges } from "./Bridges.tsx";
import { Live } from "./Live.tsx";
import { Machines } from "./Machines.tsx";
import "./now.css";
import { Picture } from "./Picture.tsx";
import { filter, picked, problem } from "./state.ts";
import { nowTexts as texts } from "./texts.ts";

/** How everything is at this moment. */
export function NowPage(): JSX.Element {
  const view = status.value;
  if (view === null) return <p role="status">{texts.loading}</p>;
  return (
    <div class="page now">
      <div class="head">
        <h1>{texts.title}</h1>
        <p class="muted">{summaryOf(view)}</p>
      </div>
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      <Alerts view={view} />
      <div class="row">
        <label class="row filter">
          <span>{texts.filter}</span>
          <input
            type="search"
            placeholder={texts.filterHint}
            value={filter.value}
            onInput={({ currentTarget }) => {
              filter.value = currentTarget.value;
            }}
          />
        </label>
        {picked.value === null ? null : (
          <Button
            kind="quiet"
            onPress={() => {
              picked.value = null;
            }}
          >
            {texts.all}
          </Button>
        )}
      </div>
      <div class="sight">
        <Picture view={view} />
        <Bridges />
      </div>
      <Accounts view={view} />
      {view.cluster === undefined ? null : <Machines cluster={view.cluster} />}
      <Live view={view} />
    </div>
  );
}

function summaryOf({ troubles, startedMs, log }: StatusView): string {
  const parts = [
    troubles.length === 0 ? texts.well : texts.troubles(troubles.length),
    texts.running(duration(nowMs.value - startedMs)),
    ...(log.takes ? [] : [texts.noMessages]),
  ];
  return parts.join(" · ");
}

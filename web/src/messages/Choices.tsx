import type { JSX } from "preact";
import type { StoryState } from "../../../src/admin/views.ts";
import { status } from "../lib/live.ts";
import { goTo, linkTo } from "../lib/router.ts";
import { Field } from "../parts/Field.tsx";
import { messageTexts as texts, overallTexts } from "./texts.ts";

/** Which messages are listed, as the address has it; empty: any. */
export interface MessageChoice {
  readonly gateway: string;
  readonly account: string;
  readonly state: string;
  /** Not empty: joins, leaves and deletions as well. */
  readonly events: string;
}

const STATES: readonly StoryState[] = ["refused", "unconfirmed", "waiting", "arrived"];

export const choiceIn = (query: URLSearchParams): MessageChoice => {
  const said = (name: string): string => query.get(name) ?? "";
  return { gateway: said("gateway"), account: said("account"), state: said("state"), events: said("events") };
};

/** In the address of the page. */
export const addressOf = (question: string, choice: MessageChoice): Readonly<Record<string, string>> => ({
  q: question,
  ...choice,
});

/** In the request. */
export function queryOf(question: string, { events, ...only }: MessageChoice): Record<string, string> {
  const chosen = Object.entries(only).filter(([, value]) => value !== "");
  return { q: question, ...Object.fromEntries(chosen), events: String(events !== "") };
}

/** Narrows the list. */
export function Choices({ only, question }: { readonly only: MessageChoice; readonly question: string }): JSX.Element {
  const change = (what: Partial<MessageChoice>): void => {
    goTo(linkTo(["messages"], addressOf(question, { ...only, ...what })));
  };
  const { gateways = [], accounts = [], readers = [] } = status.value ?? {};
  const names = [...accounts, ...readers].map(({ account }) => account);
  return (
    <div class="row choices">
      <Choose
        label={texts.gateway}
        all={texts.allGateways}
        value={only.gateway}
        options={gateways.map((name) => [name, name])}
        onChange={(gateway) => change({ gateway })}
      />
      <Choose
        label={texts.account}
        all={texts.allAccounts}
        value={only.account}
        options={[...new Set(names)].map((name) => [name, name])}
        onChange={(account) => change({ account })}
      />
      <Choose
        label={texts.state}
        all={texts.allStates}
        value={only.state}
        options={STATES.map((state) => [state, overallTexts[state]])}
        onChange={(state) => change({ state })}
      />
      <label>
        <input
          type="checkbox"
          checked={only.events !== ""}
          onChange={({ currentTarget }) => change({ events: currentTarget.checked ? "1" : "" })}
        />{" "}
        {texts.events}
      </label>
    </div>
  );
}

interface ChooseProps {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

function Choose({ label, all, value, options, onChange }: ChooseProps): JSX.Element {
  return (
    <Field label={label}>
      {(input) => (
        <select {...input} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{all}</option>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

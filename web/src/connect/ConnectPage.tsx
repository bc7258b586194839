import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { focusInvalid } from "../parts/focus.ts";
import { Notice, ProblemNotice } from "../parts/Notice.tsx";
import { AccountStep } from "./AccountStep.tsx";
import "./connect.css";
import { Done } from "./Done.tsx";
import { Review } from "./Review.tsx";
import {
  accountOf,
  busy,
  checked,
  choose,
  finish,
  gateway,
  isNew,
  load,
  prepare,
  protocols,
  type WizardSide,
  sides,
  step,
  STEPS,
  target,
  titles,
  trouble,
  viewOf,
} from "./store.ts";
import { connectTexts as texts } from "./texts.ts";

/** Links two networks, question by question. */
export function ConnectPage(): JSX.Element {
  // What is missing is said from the first press of Next on, as long as it is.
  const isTried = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step.value);
  useEffect(() => void load(), []);
  useEffect(() => {
    if (shown.current !== step.value) heading.current?.focus();
    shown.current = step.value;
  }, [step.value]);
  if (protocols.value === null)
    return trouble.value === null ? <p role="status">{texts.loading}</p> : <ProblemNotice problem={trouble.value} />;
  const { value } = step;
  if (value === "done") return <Done />;
  const at = STEPS.indexOf(value);
  const go = (by: 1 | -1): void => {
    isTried.value = false;
    trouble.value = null;
    step.value = STEPS[at + by] ?? value;
  };
  const next = async (): Promise<void> => {
    if (busy.value) return;
    isTried.value = true;
    if (missingIn(value).size > 0) return focusInvalid(form.current);
    if (value === "review") await finish();
    else if (value !== "gateway" || (await prepare())) go(1);
  };
  const isRefused =
    value === "review" && checked.value?.problems.some(({ severity }) => severity === "error") !== false;
  return (
    <div class="connect">
      <h1>{texts.title}</h1>
      <form
        ref={form}
        noValidate
        aria-label={texts.form}
        onSubmit={(event) => {
          event.preventDefault();
          void next();
        }}
      >
        <h2 ref={heading} tabIndex={-1}>
          {texts.step(at + 1, STEPS.length, HEADINGS[value]())}
        </h2>
        <Questions missing={isTried.value ? missingIn(value) : NOTHING} />
        {trouble.value === null ? null : <ProblemNotice problem={trouble.value} />}
        <div class="buttons">
          <Button disabled={at === 0} onPress={() => go(-1)}>
            {texts.back}
          </Button>
          <Button kind="main" type="submit" busy={busy.value} disabled={isRefused || obstacle() !== null}>
            {value === "review" ? texts.finish : texts.next}
          </Button>
        </div>
      </form>
    </div>
  );
}

const NOTHING: ReadonlySet<string> = new Set();

const HEADINGS = {
  networks: () => texts.networks,
  first: () => texts.account(titles.value[0] ?? ""),
  second: () => texts.account(titles.value[1] ?? ""),
  gateway: () => texts.gateway,
  review: () => texts.review,
} as const;

function Questions({ missing }: { readonly missing: ReadonlySet<string> }): JSX.Element {
  switch (step.value) {
    case "first":
      return <AccountStep key="first" at={0} missing={missing} />;
    case "second":
      return <AccountStep key="second" at={1} missing={missing} />;
    case "gateway":
      return (
        <Field label={texts.gatewayName} hint={texts.gatewayHint} error={missing.has("gateway") ? texts.missing : null}>
          {(input) => (
            <input
              {...input}
              value={gateway.value}
              onInput={(event) => void (gateway.value = event.currentTarget.value)}
            />
          )}
        </Field>
      );
    case "review":
      return <Review />;
    case "networks":
    case "done":
      return (
        <>
          <Target />
          <p>{texts.networksMore}</p>
          <Network at={0} label={texts.first} missing={missing} />
          <Network at={1} label={texts.second} missing={missing} />
        </>
      );
  }
}

/** Why the last step could not write what was asked for; null: it can. */
function obstacle(): string | null {
  if (target.value === null) return null;
  const { writable, why, format } = target.value;
  if (!writable) return why;
  return format === "toml" ? null : texts.notToml(format.toUpperCase());
}

/** Where the last step writes. It is said before the first question. */
function Target(): JSX.Element | null {
  const why = obstacle();
  const creates = target.value?.creates ?? null;
  if (why !== null)
    return (
      <Notice kind="warn" title={texts.notWritable}>
        <p>{why}</p>
      </Notice>
    );
  if (creates === null) return null;
  return (
    <Notice kind="info" title={texts.example}>
      <p>{texts.exampleMore(creates)}</p>
    </Notice>
  );
}

interface NetworkProps {
  readonly at: 0 | 1;
  readonly label: string;
  readonly missing: ReadonlySet<string>;
}

function Network({ at, label, missing }: NetworkProps): JSX.Element {
  const all = protocols.value ?? [];
  const known = all.flatMap(({ accounts }) => accounts);
  const error = missing.has(`network${at}`) ? texts.missing : missing.has("same") ? texts.same : null;
  return (
    <Field label={label} error={error}>
      {(input) => (
        <select {...input} value={sides.value[at].chosen} onChange={(event) => choose(at, event.currentTarget.value)}>
          <option value="">{texts.choose}</option>
          <optgroup label={texts.isNew}>
            {all.map(({ protocol, title }) => (
              <option key={protocol} value={`new ${protocol}`}>
                {texts.newOf(title)}
              </option>
            ))}
          </optgroup>
          {known.length === 0 ? null : (
            <optgroup label={texts.isThere}>
              {known.map((name) => (
                <option key={name} value={`account ${name}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      )}
    </Field>
  );
}

/** What has to be filled in before the next step. */
function missingIn(at: (typeof STEPS)[number]): ReadonlySet<string> {
  const [one, other] = sides.value;
  if (at === "first") return missingOf(one);
  if (at === "second") return missingOf(other);
  if (at === "gateway") return new Set(gateway.value.trim() === "" ? ["gateway"] : []);
  if (at === "review") return new Set();
  const empty = sides.value.flatMap(({ chosen }, index) => (chosen === "" ? [`network${index}`] : []));
  const same = !isNew(one) && accountOf(one) === accountOf(other);
  return new Set(empty.length === 0 && same ? ["same"] : empty);
}

function missingOf(side: WizardSide): ReadonlySet<string> {
  const view = viewOf(side);
  const missing = new Set(side.channel.trim() === "" && view?.onlyChannel === null ? ["channel"] : []);
  if (!isNew(side)) return missing;
  if (side.name.trim() === "") missing.add("name");
  for (const [name, { default: value }] of Object.entries(view?.settings ?? {}))
    if (value === undefined && (side.typed[name] ?? "") === "") missing.add(name);
  return missing;
}

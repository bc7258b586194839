import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/Button.tsx";
import { checked, made, sides, viewOf } from "./store.ts";
import { connectTexts as texts } from "./texts.ts";
import { withDots } from "./typed.ts";

/** What Finish applies. */
export function Review(): JSX.Element {
  const isShown = useSignal(false);
  const added = made.value?.added ?? "";
  const dotted = sides.value.reduce((text, side) => {
    const { settings = {}, options = {} } = viewOf(side) ?? {};
    return withDots(withDots(text, side.typed, settings), side.options, options);
  }, added);
  const { problems = [], changes = [] } = checked.value ?? {};
  return (
    <>
      <p>{texts.reviewMore}</p>
      <pre tabIndex={0} role="region" aria-label={texts.added}>
        {isShown.value ? added : dotted}
      </pre>
      {dotted === added ? null : (
        <Button kind="quiet" pressed={isShown.value} onPress={() => (isShown.value = !isShown.value)}>
          {texts.showSecrets}
        </Button>
      )}
      {problems.length === 0 ? null : (
        <>
          <h3>{texts.problems}</h3>
          <ul class="tried" aria-label={texts.problems}>
            {problems.map(({ severity, message, remedy, line }) => (
              <li key={`${line} ${message}`} class={severity === "error" ? "bad" : "warn"}>
                {remedy === "" ? message : `${message}; ${remedy}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {changes.length === 0 ? null : (
        <>
          <h3>{texts.changes}</h3>
          <ul class="tried" aria-label={texts.changes}>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

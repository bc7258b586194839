import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { inDoubt, post } from "../lib/api.ts";
import { status } from "../lib/live.ts";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { type FormRefusal, useRefusal } from "../parts/Refusal.tsx";
import { messageTexts as texts } from "./texts.ts";
import { Way } from "./Way.tsx";

interface Said {
  readonly seq: number;
  readonly destinations: number;
}

/** Says something in a gateway, and watches where it goes. */
export function TestMessage(): JSX.Element {
  const gateways = status.value?.gateways ?? [];
  const chosen = useSignal("");
  const text = useSignal("");
  const name = useSignal("");
  const busy = useSignal(false);
  const said = useSignal<Said | null>(null);
  const refusal = useRefusal(["text", "as", "gateway"]);
  const gateway = gateways.includes(chosen.value) ? chosen.value : (gateways[0] ?? "");
  const send = async (): Promise<void> => {
    busy.value = true;
    said.value = null;
    refusal.set(null);
    const answer = await post<Said>("/v1/admin/messages", { gateway, text: text.value, as: name.value });
    busy.value = false;
    if (answer.ok) said.value = answer.value;
    else refusal.set(inDoubt(answer.problem));
  };
  return (
    <section class="card stack" aria-labelledby="test-title">
      <h2 id="test-title">{texts.test}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy.value) void send();
        }}
      >
        <Field label={texts.gateway} error={refusal.at("gateway")}>
          {(input) => (
            <select {...input} value={gateway} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
              {gateways.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
        </Field>
        {status.value !== null && gateways.length === 0 ? <p class="muted">{texts.noGateways}</p> : null}
        <Words
          name="text"
          label={texts.text}
          hint={texts.testHint}
          max={16_000}
          words={text}
          required
          refusal={refusal}
        />
        <Words name="as" label={texts.name} hint={texts.nameHint} max={100} words={name} refusal={refusal} />
        <p>
          <Button type="submit" kind="main" busy={busy.value} disabled={gateway === ""}>
            {texts.send}
          </Button>
        </p>
      </form>
      {refusal.notice}
      {said.value === null ? null : (
        <>
          <p role="status">{texts.sent(said.value.destinations)}</p>
          <Way key={said.value.seq} seq={said.value.seq} title={texts.testWay} />
        </>
      )}
    </section>
  );
}

interface WordsProps {
  /** In the request. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly max: number;
  readonly words: Signal<string>;
  readonly required?: boolean;
  readonly refusal: FormRefusal;
}

function Words({ name, label, hint, max, words, required = false, refusal }: WordsProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={refusal.at(name)}>
      {(input) => (
        <input
          {...input}
          required={required}
          maxLength={max}
          value={words.value}
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value;
            refusal.clear(name);
          }}
        />
      )}
    </Field>
  );
}

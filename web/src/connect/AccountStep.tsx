import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { SettingSchema } from "../../../src/contract/manifest.ts";
import { Button } from "../parts/Button.tsx";
import { Field, type FieldInput } from "../parts/Field.tsx";
import { busy, change, isNew, type WizardSide, sides, tryIt, viewOf } from "./store.ts";
import { connectTexts as texts } from "./texts.ts";
import { defaultWords, typedWith } from "./typed.ts";

/** The questions about one account, and whether it works. */
export function AccountStep({
  at,
  missing,
}: {
  readonly at: 0 | 1;
  readonly missing: ReadonlySet<string>;
}): JSX.Element {
  const side = sides.value[at];
  const view = viewOf(side);
  const settings = Object.entries(view?.settings ?? {});
  const first = view?.first ?? [];
  const ask = ([name, schema]: readonly [string, SettingSchema]): JSX.Element => (
    <Setting
      key={name}
      name={name}
      schema={schema}
      value={side.typed[name]}
      onChange={(value) => change(at, { typed: typedWith(side.typed, name, value, view?.settings ?? {}), steps: null })}
      error={missing.has(name) ? texts.missing : null}
    />
  );
  const of = new Map(settings);
  return (
    <>
      {isNew(side) ? (
        <>
          <Field
            label={texts.name}
            hint={texts.nameHint(view?.protocol ?? "")}
            error={missing.has("name") ? texts.missing : null}
          >
            {(input) => (
              <input
                {...input}
                value={side.name}
                onInput={(event) => change(at, { name: event.currentTarget.value })}
              />
            )}
          </Field>
          {first.map((name) => ask([name, of.get(name) ?? {}]))}
          <details>
            <summary>{texts.more}</summary>
            {settings.filter(([name]) => !first.includes(name)).map(ask)}
          </details>
        </>
      ) : null}
      <Channel at={at} side={side} error={missing.has("channel") ? texts.missing : null} />
      <Button busy={busy.value} onPress={() => void tryIt(at)}>
        {busy.value ? texts.trying : texts.try}
      </Button>
      <div role="status">{side.steps === null ? null : <Result side={side} />}</div>
    </>
  );
}

interface ChannelProps {
  readonly at: 0 | 1;
  readonly side: WizardSide;
  readonly error: string | null;
}

/** Which room, and what has to be known to enter it. */
function Channel({ at, side, error }: ChannelProps): JSX.Element {
  const view = viewOf(side);
  return (
    <>
      {view?.onlyChannel === null ? (
        <Field label={texts.channel} hint={channelHint(view.channel?.hint, side.rooms.length)} error={error}>
          {(input) => (
            <>
              <input
                {...input}
                value={side.channel}
                list={side.rooms.length === 0 ? undefined : `${input.id}-rooms`}
                autocomplete="off"
                onInput={(event) => change(at, { channel: event.currentTarget.value, steps: null })}
              />
              <datalist id={`${input.id}-rooms`}>
                {side.rooms.map((room) => (
                  <option key={room} value={room} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      ) : null}
      {Object.entries(view?.options ?? {}).map(([name, { description, secret }]) => (
        <Setting
          key={name}
          name={name}
          label={texts.optionOf(name)}
          schema={{ type: "string", default: "", description, secret }}
          value={side.options[name]}
          onChange={(value) => change(at, { options: { ...side.options, [name]: value }, steps: null })}
          error={null}
        />
      ))}
    </>
  );
}

function channelHint(written: string | undefined, rooms: number): string | undefined {
  const hints = [written === undefined ? "" : texts.channelHint(written), rooms === 0 ? "" : texts.rooms(rooms)];
  return hints.filter((hint) => hint !== "").join(" ") || undefined;
}

function Result({ side }: { readonly side: WizardSide }): JSX.Element {
  return (
    <ul class="tried" aria-label={texts.result}>
      {side.steps?.map(({ name, ok, why, remedy }) => (
        <li key={`${name} ${why}`} class={ok ? "good" : "bad"}>
          <strong>{ok ? texts.worked : texts.failed}:</strong> {why}
          {remedy === "" ? null : <p>{remedy}</p>}
        </li>
      ))}
    </ul>
  );
}

/** What is in backticks is code. */
const words = (text: string): readonly (JSX.Element | string)[] =>
  text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>));

interface SettingProps {
  readonly name: string;
  readonly label?: string;
  readonly schema: SettingSchema;
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string | boolean) => void;
  readonly error: string | null;
}

function Setting({ name, label = name, schema, value, onChange: set, error }: SettingProps): JSX.Element {
  const isShown = useSignal(false);
  const { description = "", type, secret = false } = schema;
  const usual = defaultWords(schema);
  if (type === "boolean") {
    const isOn = (value ?? schema.default) === true;
    return (
      <Field label={label} hint={words(description)}>
        {(input) => (
          <input {...input} type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
        )}
      </Field>
    );
  }
  const hint = (
    <>
      {words(description)} {type === "array" ? texts.lines : null}
    </>
  );
  const text = typeof value === "string" ? value : "";
  const inputOf = (input: FieldInput): JSX.Element => {
    if (schema.enum !== undefined) {
      return (
        <select
          {...input}
          value={text === "" ? (usual ?? "") : text}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {schema.enum.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      );
    }
    if (type === "array")
      return <textarea {...input} rows={2} value={text} onInput={(event) => set(event.currentTarget.value)} />;
    const common = {
      ...input,
      autocomplete: "off",
      value: text,
      placeholder: usual === null ? undefined : texts.default(usual),
      onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
    };
    return secret && !isShown.value ? <input {...common} type="password" /> : <input {...common} type="text" />;
  };
  return (
    <div class="asked">
      <Field label={label} hint={hint} error={error}>
        {inputOf}
      </Field>
      {secret && type === "string" ? (
        <Button
          kind="quiet"
          pressed={isShown.value}
          label={texts.showOf(label)}
          onPress={() => (isShown.value = !isShown.value)}
        >
          {texts.show}
        </Button>
      ) : null}
    </div>
  );
}

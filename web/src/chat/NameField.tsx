import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ApiProblem } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Field } from "../parts/Field.tsx";
import { chatTexts as texts } from "./texts.ts";

interface NameFieldProps {
  readonly name: Signal<string>;
  /** What is wrong with the name, for people; null: nothing. */
  readonly error: string | null;
  /** Why the server refused the name; null: it did not. */
  readonly problem: ApiProblem | null;
  /** A name that the server suggests is taken. */
  readonly onUse: (name: string) => void;
}

/** The name of a guest, with what is wrong with it and a name that is free. */
export function NameField({ name, error, problem, onUse }: NameFieldProps): JSX.Element {
  const suggestion = problem?.body["suggestion"];
  return (
    <>
      <Field label={texts.yourName} hint={texts.nameHint} error={error}>
        {(field) => (
          <input
            {...field}
            type="text"
            autocomplete="nickname"
            autofocus
            value={name.value}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value;
            }}
          />
        )}
      </Field>
      {typeof suggestion === "string" ? (
        <p>
          <Button onPress={() => onUse(suggestion)}>{texts.use(suggestion)}</Button>
        </p>
      ) : null}
    </>
  );
}

export const reasonOf = ({ title, detail }: ApiProblem): string => (detail === "" ? title : detail);

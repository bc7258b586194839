import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with what was typed. */
  readonly error?: string | null;
  /** The input, which gets the id and what describes it. */
  readonly children: (input: FieldInput) => JSX.Element;
}

/** To be spread on the input. */
export interface FieldInput {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
}

export function Field({ label, hint, error = null, children }: FieldProps): JSX.Element {
  const id = useId();
  const about = [hint === undefined ? null : `${id}-hint`, error === null ? null : `${id}-error`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": about.length === 0 ? undefined : about.join(" "),
        "aria-invalid": error === null ? undefined : "true",
      })}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === null ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

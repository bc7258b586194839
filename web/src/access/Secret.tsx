import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { accessTexts as texts } from "./texts.ts";

/** What is shown this once. */
export function Secret(props: {
  readonly name: string;
  readonly text: string;
  readonly onClose: () => void;
}): JSX.Element {
  const told = useSignal("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.text);
      told.value = texts.copied;
    } catch {
      // Only pages of encrypted addresses, and of this machine, may: the text is there to be picked.
    }
  };
  return (
    <Dialog
      title={props.name}
      onClose={props.onClose}
      actions={
        <>
          <Button onPress={() => void copy()}>{texts.copy}</Button>
          <Button kind="main" onPress={props.onClose}>
            {texts.done}
          </Button>
        </>
      }
    >
      <Field label={props.name} hint={texts.once}>
        {(input) => (
          <input
            {...input}
            type="text"
            readOnly
            value={props.text}
            onFocus={(event) => event.currentTarget.select()}
            spellcheck={false}
          />
        )}
      </Field>
      <p role="status" class="hint">
        {told.value}
      </p>
    </Dialog>
  );
}

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type ApiProblem, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
import { invites } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

/** `onClose`: with the link that was made; null: none. */
export function NewInviteForm({ onClose }: { readonly onClose: (url: string | null) => void }): JSX.Element {
  const gateway = useSignal("");
  const uses = useSignal("1");
  const expires = useSignal("7d");
  const hold = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<ApiProblem | null>(null);
  const make = async (): Promise<void> => {
    busy.value = true;
    const asked = { uses: Number(uses.value), expires: expires.value.trim(), hold: hold.value };
    const answer = await post<{ readonly url: string }>("/v1/admin/invites", { gateway: gateway.value, ...asked });
    busy.value = false;
    if (!answer.ok) return void (problem.value = answer.problem);
    onClose(answer.value.url);
    await invites.load();
  };
  const texted = (label: string, value: { value: string }): JSX.Element => (
    <Field label={label}>
      {(input) => (
        <input
          {...input}
          type="text"
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
  return (
    <Dialog
      title={texts.newInvite}
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onPress={() => onClose(null)}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} disabled={gateway.value === ""} onPress={() => void make()}>
            {texts.create}
          </Button>
        </>
      }
    >
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      {texted(texts.gateway, gateway)}
      {texted(texts.usesLabel, uses)}
      {texted(texts.expiresLabel, expires)}
      <label>
        <input type="checkbox" checked={hold.value} onChange={(event) => (hold.value = event.currentTarget.checked)} />{" "}
        {texts.hold}
      </label>
    </Dialog>
  );
}

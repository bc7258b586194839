import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { type FormRefusal, useRefusal } from "../parts/Refusal.tsx";
import { invites } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

interface NewInviteProps {
  /** Those with a room that guests can join. */
  readonly gateways: readonly string[];
  readonly chosen: string;
  /** With the link that was made; null: none. */
  readonly onClose: (url: string | null) => void;
}

export function NewInviteForm({ gateways, chosen, onClose }: NewInviteProps): JSX.Element {
  const gateway = useSignal(chosen);
  const uses = useSignal("1");
  const expires = useSignal("7d");
  const hold = useSignal(false);
  const busy = useSignal(false);
  const refusal = useRefusal(["gateway", "uses", "expires"]);
  const make = async (): Promise<void> => {
    busy.value = true;
    const asked = { uses: Number(uses.value), expires: expires.value.trim(), hold: hold.value };
    const answer = await post<{ readonly url: string }>("/v1/admin/invites", { gateway: gateway.value, ...asked });
    busy.value = false;
    if (!answer.ok) return refusal.set(answer.problem);
    onClose(answer.value.url);
    await invites.load();
  };
  return (
    <Dialog
      title={texts.newInvite}
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onPress={() => onClose(null)}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} onPress={() => void make()}>
            {texts.create}
          </Button>
        </>
      }
    >
      {refusal.notice}
      <Field label={texts.gateway} error={refusal.at("gateway")}>
        {(input) => (
          <select
            {...input}
            value={gateway.value}
            onChange={({ currentTarget }) => {
              gateway.value = currentTarget.value;
              refusal.clear("gateway");
            }}
          >
            {gateways.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <Line name="uses" label={texts.usesLabel} value={uses} refusal={refusal} />
      <Line name="expires" label={texts.expiresLabel} hint={texts.inviteExpires} value={expires} refusal={refusal} />
      <label>
        <input type="checkbox" checked={hold.value} onChange={(event) => (hold.value = event.currentTarget.checked)} />{" "}
        {texts.hold}
      </label>
    </Dialog>
  );
}

interface LineProps {
  /** In the request. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: Signal<string>;
  readonly refusal: FormRefusal;
}

function Line({ name, label, hint, value, refusal }: LineProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={refusal.at(name)}>
      {(input) => (
        <input
          {...input}
          type="text"
          value={value.value}
          onInput={({ currentTarget }) => {
            value.value = currentTarget.value;
            refusal.clear(name);
          }}
        />
      )}
    </Field>
  );
}

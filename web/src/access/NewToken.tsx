import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ApiAccountView } from "../../../src/http/admin/v1/access-deps.ts";
import { post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { type FormRefusal, useRefusal } from "../parts/Refusal.tsx";
import { type MadeToken, tokens } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

/** What a token may do. */
const SCOPES = ["read", "write", "moderate", "admin"] as const;

interface NewTokenProps {
  readonly accounts: readonly ApiAccountView[];
  /** With what was made; null: nothing. */
  readonly onClose: (made: MadeToken | null) => void;
}

export function NewToken({ accounts, onClose }: NewTokenProps): JSX.Element {
  const account = useSignal(accounts[0]?.account ?? "");
  const name = useSignal("");
  const expires = useSignal("");
  const scopes = useSignal<readonly string[]>(["read", "write"]);
  const gateways = useSignal<readonly string[]>([]);
  const busy = useSignal(false);
  const refusal = useRefusal(["account", "name", "expires"]);
  const own = accounts.find((each) => each.account === account.value)?.gateways ?? [];
  const make = async (): Promise<void> => {
    busy.value = true;
    const answer = await post<MadeToken>("/v1/admin/tokens", {
      account: account.value,
      name: name.value.trim(),
      scopes: scopes.value,
      gateways: gateways.value.length === 0 ? null : gateways.value,
      expires: expires.value.trim() === "" ? null : expires.value.trim(),
    });
    busy.value = false;
    if (!answer.ok) return refusal.set(answer.problem);
    onClose(answer.value);
    await tokens.load();
  };
  const typed = (field: string, value: Signal<string>) => typedInto(refusal, field, value);
  return (
    <Dialog
      title={texts.newToken}
      onClose={() => onClose(null)}
      actions={
        <>
          <Button onPress={() => onClose(null)}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} disabled={scopes.value.length === 0} onPress={() => void make()}>
            {texts.create}
          </Button>
        </>
      }
    >
      {refusal.notice}
      <Field label={texts.account} error={refusal.at("account")}>
        {(input) => (
          <select
            {...input}
            value={account.value}
            onChange={(event) => {
              account.value = event.currentTarget.value;
              refusal.clear("account");
              gateways.value = [];
            }}
          >
            {accounts.map((each) => (
              <option key={each.account}>{each.account}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label={texts.tokenName} error={refusal.at("name")}>
        {(input) => <input {...input} type="text" maxLength={64} onInput={typed("name", name)} />}
      </Field>
      <Choices name={texts.scopes} all={SCOPES} chosen={scopes.value} onChange={(list) => (scopes.value = list)} />
      <Choices name={texts.gateways} all={own} chosen={gateways.value} onChange={(list) => (gateways.value = list)} />
      <p class="hint">{texts.gatewaysAbout}</p>
      <Field label={texts.expiresLabel} hint={texts.expiresAbout} error={refusal.at("expires")}>
        {(input) => <input {...input} type="text" onInput={typed("expires", expires)} />}
      </Field>
    </Dialog>
  );
}

const typedInto =
  (refusal: Pick<FormRefusal, "clear">, field: string, value: Signal<string>) =>
  ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    value.value = currentTarget.value;
    refusal.clear(field);
  };

interface ChoicesProps {
  readonly name: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choices({ name, all, chosen, onChange }: ChoicesProps): JSX.Element {
  return (
    <fieldset class="row">
      <legend class="label">{name}</legend>
      {all.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={(event) => {
              const others = chosen.filter((other) => other !== each);
              onChange(event.currentTarget.checked ? [...others, each] : others);
            }}
          />{" "}
          {each}
        </label>
      ))}
    </fieldset>
  );
}

import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GuestRoomView } from "../../../src/http/admin/guest-office.ts";
import { path, put } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { type FormRefusal, useRefusal } from "../parts/Refusal.tsx";
import { rooms } from "./store.ts";
import { accessTexts as texts } from "./texts.ts";

interface RulesFormProps {
  readonly room: GuestRoomView;
  readonly onClose: () => void;
}

export function RulesForm({ room, onClose }: RulesFormProps): JSX.Element {
  const hold = useSignal(room.hold);
  const slow = useSignal(String(room.slowModeS));
  const links = useSignal(String(room.linksAfter));
  const busy = useSignal(false);
  const refusal = useRefusal(["slowModeS", "linksAfter"]);
  const save = async (): Promise<void> => {
    busy.value = true;
    const rules = { hold: hold.value, slowModeS: Number(slow.value), linksAfter: Number(links.value) };
    const answer = await put(`/v1/admin/rooms${path([room.gateway, "moderation"])}`, rules);
    busy.value = false;
    if (!answer.ok) return refusal.set(answer.problem);
    onClose();
    await rooms.load();
  };
  return (
    <Dialog
      title={texts.rulesOf(room.gateway)}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} onPress={() => void save()}>
            {texts.save}
          </Button>
        </>
      }
    >
      {refusal.notice}
      <label>
        <input type="checkbox" checked={hold.value} onChange={(event) => (hold.value = event.currentTarget.checked)} />{" "}
        {texts.holdLabel}
      </label>
      <Counted name="slowModeS" label={texts.slowLabel} hint={texts.slowHint} value={slow} refusal={refusal} />
      <Counted name="linksAfter" label={texts.linksLabel} hint={texts.linksHint} value={links} refusal={refusal} />
    </Dialog>
  );
}

interface CountedProps {
  /** In the request. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: Signal<string>;
  readonly refusal: FormRefusal;
}

function Counted({ name, label, hint, value, refusal }: CountedProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={refusal.at(name)}>
      {(input) => (
        <input
          {...input}
          type="number"
          min="0"
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

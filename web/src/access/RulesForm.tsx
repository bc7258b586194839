import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { GuestRoomView } from "../../../src/http/admin/guest-office.ts";
import { type ApiProblem, path, put } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
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
  const problem = useSignal<ApiProblem | null>(null);
  const save = async (): Promise<void> => {
    busy.value = true;
    const rules = { hold: hold.value, slowModeS: Number(slow.value), linksAfter: Number(links.value) };
    const answer = await put(`/v1/admin/rooms${path([room.gateway, "moderation"])}`, rules);
    busy.value = false;
    if (!answer.ok) return void (problem.value = answer.problem);
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
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      <label>
        <input type="checkbox" checked={hold.value} onChange={(event) => (hold.value = event.currentTarget.checked)} />{" "}
        {texts.holdLabel}
      </label>
      <Counted label={texts.slowLabel} hint={texts.slowHint} value={slow} />
      <Counted label={texts.linksLabel} hint={texts.linksHint} value={links} />
    </Dialog>
  );
}

interface CountedProps {
  readonly label: string;
  readonly hint: string;
  readonly value: Signal<string>;
}

function Counted({ label, hint, value }: CountedProps): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(input) => (
        <input
          {...input}
          type="number"
          min="0"
          value={value.value}
          onInput={(event) => (value.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

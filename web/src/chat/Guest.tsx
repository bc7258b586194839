import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { WebMe } from "../../../src/contract/web-chat.ts";
import { type ApiAnswer, type ApiProblem, patch, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { confirm, Dialog } from "../parts/Dialog.tsx";
import { deleteNow } from "./deletions.ts";
import { NameField, reasonOf } from "./NameField.tsx";
import { inRoom } from "./rooms.ts";
import { exit, me } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";

/** A guest takes another name. */
export function Renaming({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const name = useSignal(me.value?.name ?? "");
  const problem = useSignal<ApiProblem | null>(null);
  const missing = useSignal(false);
  const busy = useSignal(false);
  const rename = async (wanted: string): Promise<void> => {
    missing.value = wanted.trim() === "";
    problem.value = null;
    if (missing.value || busy.value) return;
    busy.value = true;
    const answer = await patch<WebMe>(inRoom("/v1/me"), { name: wanted.trim() });
    busy.value = false;
    if (!answer.ok) {
      problem.value = answer.problem;
      return;
    }
    me.value = answer.value.guest;
    onClose();
  };
  return (
    <Dialog
      title={texts.changeName}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} onPress={() => void rename(name.value)}>
            {texts.save}
          </Button>
        </>
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void rename(name.value);
        }}
      >
        <NameField
          name={name}
          error={missing.value ? texts.nameMissing : problem.value === null ? null : reasonOf(problem.value)}
          problem={problem.value}
          onUse={(suggestion) => {
            name.value = suggestion;
            void rename(suggestion);
          }}
        />
      </form>
    </Dialog>
  );
}

/** Asks first. `onFailed` gets the answer of a server that did not end the session. */
export async function askToLeave(room: string, onFailed: (answer: ApiAnswer<unknown>) => void): Promise<void> {
  const question = { title: texts.leaveTitle(room), text: texts.leaveMore, action: texts.leave, danger: true };
  if (!(await confirm(question))) return;
  // After the end of the session, nothing can be deleted.
  await deleteNow();
  const answer = await post(inRoom("/v1/leave"));
  if (answer.ok) exit();
  else onFailed(answer);
}

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Destination } from "../../../src/admin/views.ts";
import { type ApiProblem, path, post } from "../lib/api.ts";
import { newKey } from "../lib/new-key.ts";
import { Button } from "../parts/Button.tsx";
import { confirm } from "../parts/Dialog.tsx";
import { useFocusLeft } from "../parts/focus.ts";
import { ProblemNotice } from "../parts/Notice.tsx";
import { messageTexts as texts } from "./texts.ts";

interface AgainProps {
  readonly seq: number;
  readonly row: Destination;
  readonly onSent: () => void;
}

/** Sends a message again to one destination. Where it may be there already, that is asked first. */
export function Again({ seq, row, onSent }: AgainProps): JSX.Element {
  // With the press, the button goes.
  const box = useFocusLeft<HTMLDivElement>();
  const busy = useSignal(false);
  const problem = useSignal<ApiProblem | null>(null);
  const { gateway, account, channel, state, refs } = row;
  const press = async (): Promise<void> => {
    const mayDouble = state === "unconfirmed";
    const question = { title: texts.againTitle(channel), text: texts.againText, action: texts.sendAgain };
    if (mayDouble && !(await confirm(question))) return;
    busy.value = true;
    const body = { gateway, account, channel, may_double: mayDouble };
    // A request that the browser repeats sends nothing twice.
    const headers = { "Idempotency-Key": newKey() };
    const answer = await post(`/v1/admin/messages${path([seq])}/again`, body, { headers });
    busy.value = false;
    problem.value = answer.ok ? null : answer.problem;
    if (answer.ok) onSent();
  };
  return (
    <div ref={box} class="stack">
      <p>{state === "unconfirmed" ? texts.maybeThere : refs.length > 0 ? texts.partlyThere : texts.notThere}</p>
      <Button
        small
        busy={busy.value}
        label={texts.sendAgainTo(channel, account)}
        onPress={() => {
          void press();
        }}
      >
        {texts.sendAgain}
      </Button>
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
    </div>
  );
}

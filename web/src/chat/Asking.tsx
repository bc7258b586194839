import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { WebMessage } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
import { chatTexts as texts } from "./texts.ts";

interface ReactingProps {
  readonly onPick: (emoji: string) => void;
  readonly onClose: () => void;
}

export function Reacting({ onPick, onClose }: ReactingProps): JSX.Element {
  const signs = useSignal<readonly (readonly [sign: string, name: string])[]>([]);
  useEffect(() => {
    void import("./emoji.ts").then(({ SIGNS }) => {
      signs.value = [...SIGNS];
    });
  }, []);
  return (
    <Dialog title={texts.reactTitle} onClose={onClose}>
      <div class="signs">
        {signs.value.map(([sign, name]) => (
          <button
            key={sign}
            type="button"
            aria-label={`${sign} ${name.replaceAll("_", " ")}`}
            title={name}
            onClick={() => onPick(sign)}
          >
            {sign}
          </button>
        ))}
      </div>
    </Dialog>
  );
}

interface ReportingProps {
  readonly message: WebMessage;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function Reporting({ message, onDone, onClose }: ReportingProps): JSX.Element {
  const why = useSignal("");
  const problem = useSignal<ApiProblem | null>(null);
  const busy = useSignal(false);
  const report = async (): Promise<void> => {
    busy.value = true;
    const answer = await post("/v1/report", { id: message.id, why: why.value });
    busy.value = false;
    if (answer.ok) onDone();
    else problem.value = answer.problem;
  };
  return (
    <Dialog
      title={texts.reportTitle(message.author.name)}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value} onPress={() => void report()}>
            {texts.reportSend}
          </Button>
        </>
      }
    >
      {problem.value === null ? null : <ProblemNotice problem={problem.value} />}
      <Field label={texts.reportWhy}>
        {(field) => (
          <textarea
            {...field}
            rows={3}
            maxLength={500}
            value={why.value}
            onInput={({ currentTarget }) => {
              why.value = currentTarget.value;
            }}
          />
        )}
      </Field>
    </Dialog>
  );
}

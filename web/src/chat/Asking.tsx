import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { WebMessage } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, post } from "../lib/api.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { Field } from "../parts/Field.tsx";
import { ProblemNotice } from "../parts/Notice.tsx";
import { cellAfter } from "./grid.ts";
import { charactersOver } from "./long-text.ts";
import { inRoom } from "./rooms.ts";
import { chatTexts as texts } from "./texts.ts";

interface ReactingProps {
  readonly onPick: (emoji: string) => void;
  readonly onClose: () => void;
}

const COLUMNS = 8;
/** Characters of a report. */
const WHY_MAX = 500;

/** One stop for Tab; the arrows lead from sign to sign. */
export function Reacting({ onPick, onClose }: ReactingProps): JSX.Element {
  const signs = useSignal<readonly (readonly [sign: string, name: string])[]>([]);
  useEffect(() => {
    void import("./emoji.ts").then(({ SIGNS }) => {
      signs.value = [...SIGNS];
    });
  }, []);
  const at = useSignal(0);
  const grid = useRef<HTMLDivElement>(null);
  const focus = (index: number): void => grid.current?.querySelectorAll("button")[index]?.focus();
  useEffect(() => focus(0), [signs.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = cellAfter(event, at.value, { count: signs.value.length, columns: COLUMNS });
    if (next === null) return;
    event.preventDefault();
    at.value = next;
    focus(next);
  };
  const rows = Array.from({ length: Math.ceil(signs.value.length / COLUMNS) }, (_, y) =>
    signs.value.slice(y * COLUMNS, (y + 1) * COLUMNS),
  );
  return (
    <Dialog title={texts.reactTitle} onClose={onClose}>
      <div ref={grid} class="signs" role="grid" aria-label={texts.reactTitle} onKeyDown={onKeyDown}>
        {rows.map((row, y) => (
          <div key={y} role="row">
            {row.map(([sign, name], x) => (
              <div key={sign} role="gridcell">
                <button
                  type="button"
                  tabIndex={y * COLUMNS + x === at.value ? 0 : -1}
                  aria-label={`${sign} ${name.replaceAll("_", " ")}`}
                  title={name}
                  onClick={() => onPick(sign)}
                >
                  {sign}
                </button>
              </div>
            ))}
          </div>
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
  const over = charactersOver(why.value, WHY_MAX);
  const report = async (): Promise<void> => {
    if (over > 0) return;
    busy.value = true;
    const answer = await post(inRoom("/v1/report"), { id: message.id, why: why.value });
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
      <Field label={texts.reportWhy} error={over > 0 ? texts.tooLong(over) : null}>
        {(field) => (
          <textarea
            {...field}
            rows={3}
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

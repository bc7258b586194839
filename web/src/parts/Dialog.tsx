import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./Button.tsx";
import { partTexts } from "./texts.ts";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Buttons at its end; without: one that closes it. */
  readonly actions?: ComponentChildren;
  /** Escape, or a press beside it. */
  readonly onClose: () => void;
}

/** Shown as long as it is rendered. The browser keeps the focus in it. */
export function Dialog({ title, children, actions, onClose }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      // Removed as it is, the browser leaves the focus nowhere.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="sheet">
        <h2 id={id}>{title}</h2>
        <div class="body">{children}</div>
        <div class="actions">{actions ?? <Button onPress={onClose}>{partTexts.close}</Button>}</div>
      </div>
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** On the button that does it. */
  readonly action: string;
  readonly danger?: boolean;
}

const asked = signal<{ readonly question: Question; readonly answer: (yes: boolean) => void } | null>(null);

/** Asks before something that cannot be taken back. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = {
      question,
      answer: (yes) => {
        asked.value = null;
        resolve(yes);
      },
    };
  });
}

/** Stands once in the page, for `confirm`. */
export function Confirming(): JSX.Element | null {
  if (asked.value === null) return null;
  const { question, answer } = asked.value;
  return (
    <Dialog
      title={question.title}
      onClose={() => answer(false)}
      actions={
        <>
          <Button onPress={() => answer(false)}>{partTexts.cancel}</Button>
          <Button kind={question.danger === true ? "danger" : "main"} onPress={() => answer(true)}>
            {question.action}
          </Button>
        </>
      }
    >
      <p>{question.text}</p>
    </Dialog>
  );
}

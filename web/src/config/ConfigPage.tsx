import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ConfigFlaw } from "../../../src/http/admin/v1/config-deps.ts";
import { place as address } from "../lib/router.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { useFresh } from "../parts/fresh.ts";
import { Notice, ProblemNotice } from "../parts/Notice.tsx";
import "./config.css";
import type { ConfigEditor } from "./editor.ts";
import { lineOf } from "./find.ts";
import { PROBLEMS_ID, Problems } from "./Problems.tsx";
import {
  applied,
  apply,
  busy,
  check,
  checked,
  draft,
  errorsIn,
  file,
  isDirty,
  isOverriding,
  isReloaded,
  isStale,
  keepMine,
  load,
  placed,
  refused,
  takeFile,
} from "./store.ts";
import { configTexts as texts } from "./texts.ts";
import { Versions } from "./Versions.tsx";

/** After the last key, so that not every one asks. */
const CHECK_MS = 700;

export function ConfigPage(): JSX.Element {
  const editor = useRef<ConfigEditor | null>(null);
  const review = useSignal(false);
  const isAsking = useSignal(false);
  const hasErrors = useSignal(false);
  const goTo = ({ line, column }: ConfigFlaw): void => editor.current?.goTo(line, column);
  useFresh(load);
  useEffect(() => {
    if (!isDirty.value) return;
    const timer = setTimeout(() => void check(), CHECK_MS);
    return () => clearTimeout(timer);
  }, [draft.value]);
  const ask = async (): Promise<void> => {
    isAsking.value = true;
    // The difference is one to what runs: what somebody else has changed must not be in it.
    await load();
    const found = isStale.value ? null : await check();
    isAsking.value = false;
    const error = found?.problems.find(({ severity }) => severity === "error");
    hasErrors.value = error !== undefined;
    if (error === undefined) review.value = found !== null;
    else if (error.line > 0) goTo(error);
    else document.querySelector<HTMLElement>(`#${PROBLEMS_ID}`)?.focus();
  };
  if (file.value === null)
    return refused.value === null ? <p role="status">{texts.loading}</p> : <ProblemNotice problem={refused.value} />;
  const { path, creates, writable, why, format } = file.value;
  const errors = errorsIn(checked.value?.problems ?? []);
  return (
    <div class="configuration">
      <div class="heading">
        <h1>{texts.title}</h1>
        {path === null ? null : <p class="hint">{texts.file(path)}</p>}
        {creates === null ? null : <p class="hint">{texts.creates(creates)}</p>}
      </div>
      {writable ? null : (
        <Notice kind="warn" title={texts.notWritable}>
          <p>{why}</p>
        </Notice>
      )}
      <Told />
      {hasErrors.value && errors > 0 ? <Faulty /> : null}
      <TextEditor editor={editor} format={format} readOnly={!writable} />
      <p class="hint">{texts.secrets}</p>
      <div class="buttons">
        <Button busy={busy.value === "check"} onPress={() => void check()}>
          {texts.check}
        </Button>
        <Button
          kind="main"
          disabled={!writable || !isDirty.value}
          // The check that comes by itself while somebody types takes no press away.
          busy={isAsking.value || busy.value === "apply"}
          onPress={() => void ask()}
        >
          {texts.apply}
        </Button>
        <Button kind="quiet" disabled={!isDirty.value} onPress={() => void takeFile()}>
          {texts.discard}
        </Button>
        <span role="status" class="hint">
          {isDirty.value ? texts.unsaved : ""}
        </span>
      </div>
      <Problems checked={checked.value} onGo={goTo} />
      <Versions />
      {review.value && !isStale.value ? <Review onClose={() => (review.value = false)} /> : null}
    </div>
  );
}

const Faulty = (): JSX.Element => (
  <Notice kind="bad" title={texts.hasErrors} live>
    <p>{texts.hasErrorsMore}</p>
  </Notice>
);

/** What came of the last thing that was asked. */
function Told(): JSX.Element | null {
  if (isStale.value) {
    const actions = (
      <>
        <Button onPress={() => void takeFile()}>{texts.loadFile}</Button>
        <Button onPress={keepMine}>{texts.keepMine}</Button>
      </>
    );
    return (
      <Notice kind="warn" title={texts.changedMeanwhile} actions={actions} live>
        <p>{texts.changedMeanwhileMore}</p>
      </Notice>
    );
  }
  if (refused.value !== null) return <ProblemNotice problem={refused.value} />;
  if (isReloaded.value && !isDirty.value) return <Notice kind="info" title={texts.reloaded} live />;
  if (applied.value === null || isDirty.value) return null;
  return (
    <Notice kind="good" title={texts.applied} live>
      {applied.value.length === 0 ? null : <Lines lines={applied.value} />}
    </Notice>
  );
}

/** Asks before it is done: the difference in words. */
function Review({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { changes = [], needsRestart = [] } = checked.value ?? {};
  const press = async (): Promise<void> => {
    await apply();
    onClose();
  };
  return (
    <Dialog
      title={texts.review}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="main" busy={busy.value === "apply"} onPress={() => void press()}>
            {texts.apply}
          </Button>
        </>
      }
    >
      {isOverriding.value ? <p>{texts.overriding}</p> : null}
      <p>{changes.length === 0 ? texts.nothingMoves : texts.reviewMore}</p>
      <Lines lines={changes} />
      {needsRestart.length === 0 ? null : (
        <p>
          {texts.restart} {needsRestart.join(", ")}
        </p>
      )}
    </Dialog>
  );
}

const Lines = ({ lines }: { readonly lines: readonly string[] }): JSX.Element => (
  <ul class="lines">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

interface TextEditorProps {
  readonly editor: { current: ConfigEditor | null };
  readonly format: "toml" | "yaml" | "json";
  readonly readOnly: boolean;
}

/** Its code is large, and comes when it is needed. */
function TextEditor({ editor, format, readOnly }: TextEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const isThere = useSignal(false);
  useEffect(() => {
    let isGone = false;
    void import("./editor.ts").then(({ openEditor }) => {
      if (isGone || host.current === null) return;
      const onChange = (text: string): void => void (draft.value = text);
      const label = texts.editor;
      editor.current = openEditor(host.current, { label, text: draft.value, format, readOnly, onChange });
      editor.current.mark(checked.value?.problems ?? []);
      const line = lineOf(draft.value, address.value.query.get("account") ?? "");
      if (line !== null) editor.current.goTo(line, 1);
      isThere.value = true;
    });
    return () => {
      isGone = true;
      editor.current?.end();
      editor.current = null;
    };
  }, [format, readOnly]);
  useEffect(() => editor.current?.put(draft.value), [placed.value]);
  useEffect(() => editor.current?.mark(checked.value?.problems ?? []), [checked.value]);
  return (
    <>
      {isThere.value ? null : <p role="status">{texts.loading}</p>}
      <div class="editor" ref={host} />
    </>
  );
}

import { type Signal, useSignal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { WebMessage, WebRoom } from "../../../src/contract/web-chat.ts";
import { patch, path, post } from "../lib/api.ts";
import { Attached, Pick } from "./Attached.tsx";
import { choose, completion, suggest, wholeEmoji } from "./completion.ts";
import { draftOf } from "./kept.ts";
import { charactersOver, DOCUMENT_CHARS } from "./long-text.ts";
import { inRoom } from "./rooms.ts";
import { lastOwn, say, slowUntilMs } from "./state.ts";
import { chatTexts as texts } from "./texts.ts";
import { attach, takeUploads, uploads, uploadTrouble } from "./uploads.ts";

/** What Enter does. */
export type ComposerMode = { readonly does: "say" } | { readonly does: "reply" | "edit"; readonly message: WebMessage };

interface ComposerProps {
  readonly room: WebRoom;
  readonly mode: Signal<ComposerMode>;
}

const TYPING_MS = 4_000;

export function Composer({ room, mode }: ComposerProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const trouble = useSignal("");
  const left = useSecondsLeft();
  const over = useSignal(0);
  const write = useText(room, box, mode, over);
  useMode(box, mode, write);
  const editing = mode.value.does === "edit";
  const uploading = uploads.value.some(({ file }) => file === null);
  const hasTried = useSignal(false);
  const blocked = room.muted || (!editing && left > 0) || uploading || over.value > 0;
  const leave = (): void => {
    mode.value = { does: "say" };
    box.current?.focus();
  };
  const submit = async (): Promise<void> => {
    const text = box.current?.value ?? "";
    hasTried.value = uploading;
    if (blocked) return;
    trouble.value = "";
    if (mode.value.does === "edit") {
      trouble.value = await edited(mode.value.message, text);
      if (trouble.value === "") leave();
      return;
    }
    if (text.trim() === "" && uploads.value.length === 0) return;
    const answered = mode.value.does === "reply" ? replyTo(mode.value.message) : null;
    say({ text, files: takeUploads(), replyTo: answered });
    write("");
    leave();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Doing mode={mode.value} onLeave={leave} />
      <Attached />
      <div class="writing">
        <Suggestions onChoose={() => take(box.current, write)} />
        <Pick room={room} disabled={editing} />
        <Box box={box} room={room} mode={mode} write={write} submit={submit} isTooLong={over.value > 0} />
        <button type="submit" class="button main" disabled={blocked}>
          {editing ? texts.save : texts.send}
        </button>
      </div>
      <p class="error" id="too-long" role="status">
        {over.value > 0 ? texts.tooLong(over.value) : ""}
      </p>
      {hasTried.value && uploading ? (
        <p class="hint" role="status">
          {texts.stillUploading}
        </p>
      ) : null}
      {left > 0 ? <p class="hint">{texts.slow(left)}</p> : null}
      {trouble.value === "" ? null : (
        <p class="error" role="alert">
          {trouble.value}
        </p>
      )}
    </form>
  );
}

/** Why it could not be; empty when it is done. */
async function edited(message: WebMessage, text: string): Promise<string> {
  if (text === message.text) return "";
  const answer = await patch(inRoom(`/v1/messages${path([message.id])}`), { text });
  if (answer.ok) return "";
  return answer.problem.detail === "" ? answer.problem.title : answer.problem.detail;
}

interface BoxProps extends ComposerProps {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly write: Write;
  readonly submit: () => Promise<void>;
  readonly isTooLong: boolean;
}

function Box({ box, room, mode, write, submit, isTooLong }: BoxProps): JSX.Element {
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || completes(event, box.current, write)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === "Escape") mode.value = { does: "say" };
    else if (event.key === "ArrowUp" && box.current?.value === "" && mode.value.does === "say") {
      const message = lastOwn();
      if (message === undefined) return;
      event.preventDefault();
      mode.value = { does: "edit", message };
    }
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (pastesDocument(event, room, mode.value.does === "edit")) return event.preventDefault();
    const files = event.clipboardData?.files;
    if (files === undefined || files.length === 0 || mode.value.does === "edit") return;
    // Office programs put a picture of the text beside it.
    const { clipboardData } = event;
    if (clipboardData?.types.includes("text/rtf") === true && clipboardData.getData("text/plain") !== "") return;
    event.preventDefault();
    attach(files, room);
  };
  return (
    <textarea
      ref={box}
      rows={1}
      dir="auto"
      aria-label={texts.message}
      placeholder={texts.message}
      title={texts.messageHint}
      // Whatever else puts text there: a longer one would block the page.
      maxLength={DOCUMENT_CHARS}
      aria-invalid={isTooLong}
      aria-describedby={isTooLong ? "too-long" : undefined}
      disabled={room.muted}
      aria-autocomplete="list"
      aria-controls={completion.value === null ? undefined : "suggestions"}
      aria-activedescendant={completion.value === null ? undefined : `suggestion-${completion.value.chosen}`}
      onInput={() => write(null)}
      onKeyDown={onKey}
      onPaste={onPaste}
      onBlur={() => {
        completion.value = null;
      }}
    />
  );
}

/** Whether it is too long for the box: then it is attached as a file. */
function pastesDocument({ clipboardData }: ClipboardEvent, room: WebRoom, isEditing: boolean): boolean {
  const text = clipboardData?.getData("text/plain") ?? "";
  if (text.length <= DOCUMENT_CHARS) return false;
  if (isEditing) uploadTrouble.value = texts.tooLong(charactersOver(text, room.textMax));
  else attach([new File([text], texts.pastedName, { type: "text/plain" })], room);
  return true;
}

const replyTo = ({ id, author, text, blocks }: WebMessage): { id: string; author: string; excerpt: string } => ({
  id,
  author: author.name,
  excerpt: text === "" ? excerptOf(blocks) : text.slice(0, 100),
});

/** The first words of a message, whatever they are in. */
function excerptOf(blocks: WebMessage["blocks"]): string {
  const words = (node: unknown): string => {
    if (Array.isArray(node)) return node.map(words).join(" ");
    if (typeof node !== "object" || node === null) return "";
    const { text, of, items } = node as { readonly text?: unknown; readonly of?: unknown; readonly items?: unknown };
    return typeof text === "string" ? text : words(of ?? items);
  };
  return words(blocks).slice(0, 100);
}

type Write = (text: string | null) => void;

/** The text is the box's own; what is typed is kept, and said to be typed. `write(null)`: somebody has typed. */
function useText(
  { name, textMax }: WebRoom,
  box: RefObject<HTMLTextAreaElement | null>,
  mode: Signal<ComposerMode>,
  over: Signal<number>,
): Write {
  const told = useRef(0);
  const draft = draftOf(name);
  const write: Write = (text) => {
    const { current } = box;
    if (current === null) return;
    if (text !== null) current.value = text;
    over.value = charactersOver(current.value, textMax);
    if (mode.value.does !== "edit") draft.write(current.value);
    if (text !== null) {
      completion.value = null;
      return;
    }
    const before = current.value.slice(0, current.selectionStart);
    const isCurrent = (): boolean => current.value.slice(0, current.selectionStart) === before;
    void suggest(before, isCurrent);
    void wholeEmoji(before).then((found) => {
      if (found !== null && isCurrent()) insert(current, found.from, found.text, write);
    });
    if (current.value !== "" && Date.now() - told.current > TYPING_MS) {
      told.current = Date.now();
      void post(inRoom("/v1/typing"));
    }
  };
  useLayoutEffect(() => {
    write(draft.read());
    box.current?.focus();
  }, [name]);
  return write;
}

/** Editing puts the message into the box, and gives back afterwards what was there. */
function useMode(box: RefObject<HTMLTextAreaElement | null>, mode: Signal<ComposerMode>, write: Write): void {
  const before = useRef<string | null>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    if (mode.value.does === "edit") {
      before.current ??= current.value;
      write(mode.value.message.text);
    } else if (before.current !== null) {
      write(before.current);
      before.current = null;
    }
    if (mode.value.does === "say") return;
    current.focus();
    current.setSelectionRange(current.value.length, current.value.length);
  }, [mode.value]);
}

function insert(box: HTMLTextAreaElement, from: number, text: string, write: Write): void {
  const whole = box.value.slice(0, from) + text + box.value.slice(box.selectionStart);
  write(whole);
  box.setSelectionRange(from + text.length, from + text.length);
}

function take(box: HTMLTextAreaElement | null, write: Write): void {
  const found = completion.value;
  const option = found?.options[found.chosen];
  if (box !== null && found !== null && option !== undefined) insert(box, found.from, option.text, write);
}

/** Whether the list of suggestions has the key. */
function completes(event: KeyboardEvent, box: HTMLTextAreaElement | null, write: Write): boolean {
  if (completion.value === null) return false;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") choose(event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Enter" || event.key === "Tab") take(box, write);
  else if (event.key === "Escape") completion.value = null;
  else return false;
  event.preventDefault();
  return true;
}

function Suggestions({ onChoose }: { readonly onChoose: () => void }): JSX.Element | null {
  if (completion.value === null) return null;
  const { options, chosen } = completion.value;
  return (
    <ul class="suggestions" id="suggestions" role="listbox" aria-label={texts.suggestions}>
      {options.map(({ label }, index) => (
        <li
          key={label}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === chosen}
          onPointerDown={(event) => {
            // The box keeps the focus.
            event.preventDefault();
            choose(index - chosen);
            onChoose();
          }}
        >
          {label}
        </li>
      ))}
    </ul>
  );
}

function Doing({ mode, onLeave }: { readonly mode: ComposerMode; readonly onLeave: () => void }): JSX.Element | null {
  if (mode.does === "say") return null;
  return (
    <p class="doing">
      <span>{mode.does === "edit" ? texts.editing : texts.replying(mode.message.author.name)}</span>{" "}
      <button type="button" class="button quiet" onClick={onLeave}>
        {texts.cancel}
      </button>
    </p>
  );
}

/** Of slow mode; 0: now. */
function useSecondsLeft(): number {
  const now = useSignal(Date.now());
  const until = slowUntilMs.value;
  useEffect(() => {
    if (until <= Date.now()) return;
    now.value = Date.now();
    const timer = setInterval(() => {
      now.value = Date.now();
      if (now.value >= until) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now.value) / 1000));
}

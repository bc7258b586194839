import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { WebRoom } from "../../../src/contract/web-chat.ts";
import { chatTexts as texts } from "./texts.ts";
import { attach, detach, hide, uploads, uploadTrouble } from "./uploads.ts";

/** The files of the message that is being written, and how far they have come. */
export function Attached(): JSX.Element | null {
  const trouble = uploadTrouble.value;
  if (uploads.value.length === 0 && trouble === "") return null;
  return (
    <div class="attached">
      <ul aria-label={texts.attached}>
        {uploads.value.map(({ key, name, done, file, hidden }) => (
          <li key={key}>
            <bdi>{name}</bdi>
            {file === null ? <progress value={done} aria-label={texts.uploading(name)} /> : null}
            <label class="hide">
              <input
                type="checkbox"
                aria-label={texts.hideFile(name)}
                checked={hidden}
                onChange={({ currentTarget }) => hide(key, currentTarget.checked)}
              />
              {texts.hide}
            </label>
            <button
              type="button"
              class="button quiet"
              aria-label={texts.remove(name)}
              onClick={({ currentTarget }) => {
                // The button goes, and the focus with it.
                currentTarget.closest("form")?.querySelector("textarea")?.focus();
                detach(key);
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {trouble === "" ? null : (
        <p class="error" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

export function Pick({ room, disabled }: { readonly room: WebRoom; readonly disabled: boolean }): JSX.Element | null {
  const input = useRef<HTMLInputElement>(null);
  useDrop(room, disabled);
  if (room.filesMax === 0) return null;
  return (
    <>
      <button
        type="button"
        class="button quiet attach"
        aria-label={texts.attach}
        title={texts.attach}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        +
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={() => {
          const { current } = input;
          if (current?.files === null || current === null) return;
          attach([...current.files], room);
          current.value = "";
        }}
      />
    </>
  );
}

/** Anywhere on the page. Without this the browser would leave the page for the file. */
function useDrop(room: WebRoom, disabled: boolean): void {
  useEffect(() => {
    const isFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const onOver = (event: DragEvent): void => {
      if (!isFiles(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    };
    const onLeave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) document.body.classList.remove("dropping");
    };
    const onDrop = (event: DragEvent): void => {
      document.body.classList.remove("dropping");
      if (!isFiles(event)) return;
      event.preventDefault();
      if (!disabled && room.filesMax > 0) attach(event.dataTransfer?.files ?? [], room);
    };
    addEventListener("dragover", onOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDrop);
    };
  }, [room, disabled]);
}

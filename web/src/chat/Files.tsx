import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { WebFile } from "../../../src/contract/web-chat.ts";
import { bytes as bytesOf } from "../lib/format.ts";
import { inRoom } from "./rooms.ts";
import { chatTexts as texts } from "./texts.ts";

/** What browsers show without running anything of it. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Only from this server, whatever the file was at first. */
const addressOf = (id: string): string => inRoom(`/v1/files/${encodeURIComponent(id)}`);

export function Files({ files }: { readonly files: readonly WebFile[] }): JSX.Element | null {
  if (files.length === 0) return null;
  return (
    <ul class="files">
      {files.map((file, index) => (
        <li key={file.id === "" ? index : file.id}>
          {file.spoiler === undefined ? <Captioned file={file} /> : <Covered file={file} />}
        </li>
      ))}
    </ul>
  );
}

function Captioned({ file }: { readonly file: WebFile }): JSX.Element {
  return (
    <>
      <Shown file={file} />
      {file.caption === "" ? null : <p dir="auto">{file.caption}</p>}
    </>
  );
}

/** Nothing of a hidden file is shown or fetched before it is asked for. */
function Covered({ file }: { readonly file: WebFile }): JSX.Element {
  const open = useSignal(false);
  const place = useRef<HTMLSpanElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (open.value) place.current?.focus();
  }, [open.value]);
  if (open.value) {
    return (
      <span ref={place} tabIndex={-1}>
        <Captioned file={file} />
      </span>
    );
  }
  return (
    <button
      type="button"
      class="file covered"
      onClick={() => {
        open.value = true;
      }}
    >
      {isPicture(file) ? texts.hiddenPicture : texts.hiddenFile}
    </button>
  );
}

const isPicture = ({ mime }: WebFile): boolean => PICTURES.has(mime);

function Shown({ file }: { readonly file: WebFile }): JSX.Element {
  const { id, name, bytes, missing } = file;
  const size = bytes === 0 ? "" : ` (${bytesOf(bytes)})`;
  if (id === "") {
    return (
      <span class="file missing">
        <bdi>{name}</bdi>
        {missing === "" ? "" : `: ${missing}`}
      </span>
    );
  }
  return (
    <a class="file" href={addressOf(id)} download={name} title={texts.download(name)}>
      {isPicture(file) ? <img src={addressOf(id)} alt={texts.picture(name)} loading="lazy" decoding="async" /> : null}
      <bdi>{name}</bdi>
      {size}
    </a>
  );
}

import type { JSX } from "preact";
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
          <Shown file={file} />
          {file.caption === "" ? null : <p dir="auto">{file.caption}</p>}
        </li>
      ))}
    </ul>
  );
}

function Shown({ file: { id, name, mime, bytes, missing } }: { readonly file: WebFile }): JSX.Element {
  const size = bytes === 0 ? "" : ` (${bytesOf(bytes)})`;
  if (id === "") {
    return (
      <span class="file missing">
        <bdi>{name}</bdi>
        {missing === "" ? "" : `: ${missing}`}
      </span>
    );
  }
  const picture = PICTURES.has(mime);
  return (
    <a class="file" href={addressOf(id)} download={name} title={texts.download(name)}>
      {picture ? <img src={addressOf(id)} alt={texts.picture(name)} loading="lazy" decoding="async" /> : null}
      <bdi>{name}</bdi>
      {size}
    </a>
  );
}

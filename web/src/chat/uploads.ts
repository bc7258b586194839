import { signal } from "@preact/signals";
import type { WebFile, WebRoom, WebUploaded } from "../../../src/contract/web-chat.ts";
import { bytes } from "../lib/format.ts";
import { newKey } from "../lib/new-key.ts";
import { chatTexts as texts } from "./texts.ts";

export interface ChatUpload {
  readonly key: string;
  readonly name: string;
  /** 0 to 1. */
  readonly done: number;
  /** Null until it is there. */
  readonly file: WebFile | null;
  readonly stop: () => void;
}

/** What the message that is being written will carry. */
export const uploads = signal<readonly ChatUpload[]>([]);
/** Why a file was not taken. */
export const uploadTrouble = signal("");

export function attach(files: Iterable<File>, { fileBytesMax, filesMax }: WebRoom): void {
  uploadTrouble.value = "";
  for (const file of files) {
    if (uploads.value.length >= filesMax) uploadTrouble.value = texts.tooMany(filesMax);
    else if (file.size > fileBytesMax) uploadTrouble.value = texts.tooLarge(file.name, bytes(fileBytesMax));
    else upload(file);
  }
}

export function detach(key: string): void {
  uploads.value.find((each) => each.key === key)?.stop();
  uploads.value = uploads.value.filter((each) => each.key !== key);
}

export function takeUploads(): readonly WebFile[] {
  const files = uploads.value.flatMap(({ file }) => file ?? []);
  uploads.value = [];
  return files;
}

/** `fetch` does not tell how far it has come. */
function upload(file: File): void {
  const key = newKey();
  const request = new XMLHttpRequest();
  const fail = (why: string): void => {
    uploadTrouble.value = texts.uploadFailed(file.name, why);
    uploads.value = uploads.value.filter((each) => each.key !== key);
  };
  const change = (facts: Partial<ChatUpload>): void => {
    uploads.value = uploads.value.map((each) => (each.key === key ? { ...each, ...facts } : each));
  };
  uploads.value = [...uploads.value, { key, name: file.name, done: 0, file: null, stop: () => request.abort() }];
  request.upload.addEventListener("progress", ({ loaded, total }) =>
    change({ done: total === 0 ? 0 : loaded / total }),
  );
  request.addEventListener("error", () => fail(texts.noAnswer));
  request.addEventListener("load", () => {
    const answer = parsed(request.responseText);
    if (request.status === 201) change({ done: 1, file: (answer as unknown as WebUploaded).file });
    else fail(typeof answer["detail"] === "string" ? answer["detail"] : texts.noAnswer);
  });
  request.open("POST", `/v1/files?name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("X-Rialto", "1");
  request.setRequestHeader("Content-Type", file.type === "" ? "application/octet-stream" : file.type);
  request.send(file);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

import { signal } from "@preact/signals";
import type { WebFile, WebRoom, WebUploaded } from "../../../src/contract/web-chat.ts";
import { del } from "../lib/api.ts";
import { bytes } from "../lib/format.ts";
import { newKey } from "../lib/new-key.ts";
import { inRoom } from "./rooms.ts";
import { chatTexts as texts } from "./texts.ts";

export interface ChatUpload {
  readonly key: string;
  readonly name: string;
  /** 0 to 1. */
  readonly done: number;
  /** Null until it is there. */
  readonly file: WebFile | null;
  /** Readers see it only when they ask for it. */
  readonly hidden: boolean;
  readonly stop: () => void;
}

/** What became of a request. `retryMs`: the server has no room now; null: it refuses the file for good. */
type Result = { readonly file: WebFile } | { readonly why: string; readonly retryMs: number | null };

/** The server takes four files of a guest at a time, also those of other tabs. */
const AT_ONCE_MAX = 2;
/** Where the server does not say when to try again, in ms; and the longest wait. */
const RETRY_MS = { usual: 2_000, most: 60_000 };
/** Tries of a file, the first one included. */
const TRIES_MAX = 20;
/** No room, or no answer: it may be there in a moment. */
const PASSING: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/** What the message that is being written will carry. */
export const uploads = signal<readonly ChatUpload[]>([]);
/** Why files were not taken: a line each. */
export const uploadTrouble = signal("");

/** Files that wait for their turn, oldest first. */
let waiting: (() => Promise<void>)[] = [];
let underWay = 0;

export function attach(files: Iterable<File>, { fileBytesMax, filesMax }: WebRoom): void {
  uploadTrouble.value = "";
  for (const file of files) {
    if (uploads.value.length >= filesMax) complain(texts.tooMany(filesMax));
    else if (file.size > fileBytesMax) complain(texts.tooLarge(file.name, bytes(fileBytesMax)));
    else upload(file);
  }
}

/** It is not wanted: neither here nor on the server. */
export function detach(key: string): void {
  const found = uploads.value.find((each) => each.key === key);
  forget(key);
  found?.stop();
  if (found?.file) void del(inRoom(`/v1/files/${encodeURIComponent(found.file.id)}`));
}

export function takeUploads(): readonly WebFile[] {
  const files = uploads.value.flatMap(({ file, hidden }): readonly WebFile[] => {
    if (file === null) return [];
    return [hidden ? { ...file, spoiler: true } : file];
  });
  uploads.value = [];
  return files;
}

function complain(why: string): void {
  if (!uploadTrouble.value.split("\n").includes(why)) {
    uploadTrouble.value = uploadTrouble.value === "" ? why : `${uploadTrouble.value}\n${why}`;
  }
}

function forget(key: string): void {
  uploads.value = uploads.value.filter((each) => each.key !== key);
}

/** `hidden`: readers see it only when they ask for it. */
export const hide = (key: string, hidden: boolean): void => change(key, { hidden });

function change(key: string, facts: Partial<ChatUpload>): void {
  const at = uploads.value.findIndex((each) => each.key === key);
  const before = uploads.value[at];
  if (before !== undefined) uploads.value = uploads.value.with(at, { ...before, ...facts });
}

function upload(file: File): void {
  const key = newKey();
  const over = new AbortController();
  uploads.value = [
    ...uploads.value,
    { key, name: file.name, done: 0, file: null, hidden: false, stop: () => over.abort() },
  ];
  waiting.push(async () => {
    const result = await untilTaken(file, over.signal, (done) => change(key, { done }));
    if (over.signal.aborted) return;
    if ("file" in result) change(key, { done: 1, file: result.file });
    else {
      complain(texts.uploadFailed(file.name, result.why));
      forget(key);
    }
  });
  next();
}

function next(): void {
  while (underWay < AT_ONCE_MAX) {
    const [first, ...others] = waiting;
    if (first === undefined) return;
    waiting = others;
    underWay += 1;
    void first().finally(() => {
      underWay -= 1;
      next();
    });
  }
}

async function untilTaken(file: File, signal: AbortSignal, onDone: (done: number) => void): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const result = await request(file, signal, onDone);
    if (signal.aborted || "file" in result || result.retryMs === null || tries === TRIES_MAX) return result;
    onDone(0);
    await pause(result.retryMs, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, Math.min(ms, RETRY_MS.most));
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** `fetch` does not say how far it has come. */
function request(file: File, signal: AbortSignal, onDone: (done: number) => void): Promise<Result> {
  const call = new XMLHttpRequest();
  signal.addEventListener("abort", () => call.abort(), { once: true });
  call.upload.addEventListener("progress", ({ loaded, total }) => onDone(total === 0 ? 0 : loaded / total));
  return new Promise((resolve) => {
    call.addEventListener("loadend", () => {
      const answer = parsed(call.responseText);
      if (call.status === 201) return resolve({ file: (answer as unknown as WebUploaded).file });
      const why = typeof answer["detail"] === "string" ? answer["detail"] : texts.noAnswer;
      const after = Number(call.getResponseHeader("Retry-After") ?? 0) * 1_000;
      resolve({ why, retryMs: PASSING.has(call.status) ? after || RETRY_MS.usual : null });
    });
    if (signal.aborted) return resolve({ why: "", retryMs: null });
    call.open("POST", inRoom(`/v1/files?name=${encodeURIComponent(file.name)}`));
    call.setRequestHeader("X-Rialto", "1");
    call.setRequestHeader("Content-Type", file.type === "" ? "application/octet-stream" : file.type);
    call.send(file);
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

import { batch, computed, effect, signal } from "@preact/signals";
import type { ConfigCheck, ConfigFlaw, ConfigText, ConfigView } from "../../../src/http/admin/v1/config-deps.ts";
import { type ApiProblem, get, path, post, put } from "../lib/api.ts";

type ConfigFile = Omit<ConfigView, "etag">;

/** As it was read last; null: not yet. It outlives the page, and so does what was typed. */
export const file = signal<ConfigFile | null>(null);
export const draft = signal("");
/** Counts what was put into the editor by others than who types. */
export const placed = signal(0);
export const checked = signal<ConfigCheck | null>(null);
export const refused = signal<ApiProblem | null>(null);
/** Somebody else has written it since it was read. */
export const isStale = signal(false);
export const isDirty = computed(() => file.value !== null && draft.value !== file.value.text);
export const busy = signal<"check" | "apply" | null>(null);
/** What was applied last. */
export const applied = signal<readonly string[] | null>(null);

/** The file was changed elsewhere, and the editor, in which nothing was typed, shows it. */
export const isReloaded = signal(false);
/** What was typed is to take the place of what somebody else has written. */
export const isOverriding = signal(false);

let etag = "";
/** Of the view that was read last; empty: the next one is the first, or the one after a write from here. */
let seen = "";
/** Counts what was written from here. */
let writes = 0;
/** The file as it is, when the text here may take its place. */
let newer: { readonly etag: string; readonly file: ConfigFile } | null = null;

/** Who closes or reloads the page is asked first: what was typed is nowhere else. */
const askFirst = (event: Event): void => event.preventDefault();
effect(() => {
  if (isDirty.value) addEventListener("beforeunload", askFirst);
  else removeEventListener("beforeunload", askFirst);
});

export const errorsIn = (problems: readonly ConfigFlaw[]): number =>
  problems.filter(({ severity }) => severity === "error").length;

/** Reads the file. What was typed stays, and is told to be of an older one. */
export async function load(): Promise<void> {
  if (busy.value === "apply") return;
  const own = writes;
  const isOwn = seen === "";
  const answer = await get<ConfigFile>("/v1/admin/config", { headers: seen === "" ? {} : { "If-None-Match": seen } });
  // What was read before it was written here says nothing of what is there now.
  if (own !== writes) return;
  batch(() => {
    if (!answer.ok) {
      // A look now and then that finds the service gone says so elsewhere on the page.
      const isUnchanged = answer.problem.status === 304;
      if (file.value === null && !isUnchanged) refused.value = answer.problem;
      return;
    }
    const read = answer.etag ?? "";
    seen = read;
    if (isDirty.value && read !== etag) {
      newer = { etag: read, file: answer.value };
      isStale.value = true;
      return;
    }
    const wasDirty = isDirty.value;
    etag = read;
    file.value = answer.value;
    newer = null;
    isStale.value = false;
    if (!wasDirty && draft.value !== answer.value.text) {
      place(answer.value.text);
      isReloaded.value = !isOwn;
    }
  });
}

/** Another text in the editor. */
function place(text: string): void {
  batch(() => {
    draft.value = text;
    placed.value += 1;
    checked.value = null;
    applied.value = null;
    refused.value = null;
    isReloaded.value = false;
    isOverriding.value = false;
  });
}

/** The file instead of what was typed. */
export async function takeFile(): Promise<void> {
  batch(() => {
    if (newer !== null) [etag, file.value, newer] = [newer.etag, newer.file, null];
    isStale.value = false;
    place(file.value?.text ?? "");
  });
  await load();
}

/** What was typed is to take the place of the file as it is now, to which Discard goes back. */
export function keepMine(): void {
  batch(() => {
    if (newer !== null) [etag, file.value, newer] = [newer.etag, newer.file, null];
    isStale.value = false;
    isOverriding.value = true;
  });
}

/** Null: it could not be asked, or the text has changed meanwhile. */
export async function check(): Promise<ConfigCheck | null> {
  const text = draft.value;
  busy.value ??= "check";
  const answer = await post<ConfigCheck>("/v1/admin/check", { text });
  if (busy.value === "check") busy.value = null;
  if (text !== draft.value) return null;
  refused.value = answer.ok ? null : answer.problem;
  checked.value = answer.ok ? answer.value : null;
  return checked.value;
}

/** Whether it was applied. */
export async function apply(): Promise<boolean> {
  const text = draft.value;
  busy.value = "apply";
  writes += 1;
  const answer = await put<{ readonly changes: readonly string[] }>(
    "/v1/admin/config",
    { text },
    { headers: { "If-Match": etag }, timeoutMs: 60_000 },
  );
  busy.value = null;
  if (answer.ok) {
    batch(() => {
      etag = answer.etag ?? "";
      if (file.value !== null) file.value = { ...file.value, text };
      refused.value = null;
      isOverriding.value = false;
    });
    // A secret that was typed is a mask now, and there is one more version: the view is another one at the same ETag.
    seen = "";
    await load();
    applied.value = answer.value.changes;
    return true;
  }
  const { status, body } = answer.problem;
  if (status === 412) {
    await load();
    return false;
  }
  if (status === 422 && Array.isArray(body["problems"])) {
    checked.value = { problems: body["problems"] as readonly ConfigFlaw[], changes: [], needsRestart: [] };
  }
  refused.value = answer.problem;
  return false;
}

/** Whether it is in the editor now. */
export async function restore(id: string): Promise<boolean> {
  const answer = await get<ConfigText>(`/v1/admin/config/versions${path([id])}`);
  if (answer.ok) place(answer.value.text);
  else refused.value = answer.problem;
  return answer.ok;
}

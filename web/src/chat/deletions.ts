import { signal } from "@preact/signals";
import type { WebMessage } from "../../../src/contract/web-chat.ts";
import { type ApiAnswer, del, path } from "../lib/api.ts";
import { inRoom } from "./rooms.ts";

interface Deletion {
  readonly message: WebMessage;
  /** Sends it now. */
  readonly send: (keepalive: boolean) => Promise<void>;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** How long a deletion can be undone, in ms. */
const UNDO_MS = 10_000;

/** Messages that are deleted soon, oldest first. */
export const deletions = signal<readonly Deletion[]>([]);

/** Deletes it after 10 s, or when the page is left; `onDone` gets the answer. */
export function deleteSoon(message: WebMessage, onDone: (answer: ApiAnswer<unknown>) => void): void {
  if (deletions.value.some((each) => each.message.id === message.id)) return;
  const send = async (keepalive: boolean): Promise<void> => {
    keepMessage(message.id);
    onDone(await del(inRoom(`/v1/messages${path([message.id])}`), { keepalive }));
  };
  const timer = setTimeout(() => void send(false), UNDO_MS);
  deletions.value = [...deletions.value, { message, send, timer }];
}

/** It is not deleted. */
export function keepMessage(id: string): void {
  for (const { message, timer } of deletions.value) if (message.id === id) clearTimeout(timer);
  deletions.value = deletions.value.filter(({ message }) => message.id !== id);
}

/** The page is left: what was to be deleted must not stay. */
export async function deleteNow(): Promise<void> {
  await Promise.all(deletions.value.map(({ send }) => send(true)));
}

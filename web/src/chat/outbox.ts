import { effect, signal } from "@preact/signals";
import type { WebFile, WebMe, WebMessage, WebPost, WebPosted, WebReply } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, post } from "../lib/api.ts";
import { newKey } from "../lib/new-key.ts";
import type { KeptText } from "./kept.ts";
import { inRoom } from "./rooms.ts";

/** A message of one's own that the room does not show yet. */
export interface PendingMessage {
  /** Also of every further try, so that it is posted once. */
  readonly key: string;
  readonly timeMs: number;
  readonly text: string;
  readonly replyTo: WebReply | null;
  readonly files: readonly WebFile[];
  readonly state: "sending" | "accepted" | "held" | "rejected" | "failed";
  /** Why it failed. */
  readonly why: string;
  /** It failed without an answer: it may have arrived. */
  readonly unsure: boolean;
  /** Of what the server has taken; null: nobody knows. */
  readonly id: string | null;
  /** The room shows what is surely this one, and the answer has not come. */
  readonly shownAs: string | null;
}

/** Oldest first. */
export const pending = signal<readonly PendingMessage[]>([]);

type Draft = Pick<PendingMessage, "text" | "replyTo" | "files">;

interface OutboxHooks {
  readonly isShown: (id: string) => boolean;
  readonly onAccepted: () => void;
  readonly onRefused: (problem: ApiProblem) => void;
}

/** So many outlive a reload. */
const KEPT_MAX = 50;

/** Between two tries of a message without an answer, in ms, while the stream of the room does not say more. */
const RETRY_MS = 5_000;

/** They leave one after the other: a message without an answer is repeated before those behind it are sent. */
let line: Promise<void> = Promise.resolve();

/** Another one for each guest: what an earlier one has not sent is not sent in the name of the next. */
let life = 0;

/** Ends the wait for the next try. */
let wake: () => void = () => undefined;

/** Rialto can be reached again. */
export const retryNow = (): void => wake();

export function send(draft: Draft, hooks: OutboxHooks): void {
  const fresh = {
    key: newKey(),
    timeMs: Date.now(),
    state: "sending",
    why: "",
    unsure: false,
    id: null,
    shownAs: null,
  } as const;
  const one: PendingMessage = { ...draft, ...fresh };
  pending.value = [...pending.value, one];
  line = line.then(async () => await attempt(one.key, hooks));
}

/**
 * What is not confirmed outlives a reload: what may not have arrived is sent again, under the key that it had, and what
 * was refused is shown again. From now on it is kept, until the function that this returns is called.
 */
export function keepOutbox(kept: KeptText, hooks: OutboxHooks): () => void {
  const left = keptIn(kept.read());
  life += 1;
  line = Promise.resolve();
  pending.value = [...left, ...pending.value];
  for (const { key, state, unsure } of left) {
    if (state !== "sending" && !unsure) continue;
    change(key, { state: "sending", why: "", unsure: false });
    line = line.then(async () => await attempt(key, hooks));
  }
  return effect(() => {
    const open = pending.value.filter(({ state }) => state === "sending" || state === "failed");
    kept.write(open.length === 0 ? "" : JSON.stringify(open.slice(0, KEPT_MAX)));
  });
}

/** Nothing of what another version of the page has written in another way. */
function keptIn(text: string): readonly PendingMessage[] {
  if (text === "") return [];
  try {
    const found = JSON.parse(text) as readonly PendingMessage[];
    return found.filter(({ key, text: said, files }) => key !== "" && typeof said === "string" && Array.isArray(files));
  } catch {
    return [];
  }
}

/** With the key that it had. A message without an answer is being repeated anyhow: it is repeated now. */
export function sendAgain(key: string, hooks: OutboxHooks): void {
  const isRepeated = pending.value.find((each) => each.key === key)?.unsure === true;
  if (isRepeated) return retryNow();
  change(key, { state: "sending", why: "", unsure: false });
  line = line.then(async () => await attempt(key, hooks));
}

/** Those behind it do not wait for it any more. */
export function discard(key: string): void {
  pending.value = pending.value.filter((each) => each.key !== key);
  retryNow();
}

async function attempt(key: string, hooks: OutboxHooks): Promise<void> {
  const own = life;
  const isOver = (): boolean => own !== life;
  while (!isOver() && (await isUnanswered(key, hooks)) && !isOver()) await pause();
}

async function pause(): Promise<void> {
  await new Promise<void>((resolve) => {
    wake = resolve;
    setTimeout(resolve, RETRY_MS);
  });
}

/** Nothing of ours answers with these: Rialto is stopping or starting, or what stands before it does not reach it. */
const AWAY: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** Whether there was no answer, and the message still stands. */
async function isUnanswered(key: string, hooks: OutboxHooks): Promise<boolean> {
  const one = pending.value.find((each) => each.key === key);
  if (one === undefined) return false;
  const body: WebPost = {
    text: one.text,
    reply_to: one.replyTo?.id ?? null,
    files: one.files.map(({ id, spoiler }) => (spoiler === undefined ? id : { id, spoiler })),
  };
  const answer = await post<WebPosted>(inRoom("/v1/messages"), body, { headers: { "Idempotency-Key": key } });
  if (!answer.ok) {
    const { title, detail } = answer.problem;
    const unsure = AWAY.has(answer.problem.status);
    change(key, { state: "failed", why: detail === "" ? title : detail, unsure });
    if (!unsure) hooks.onRefused(answer.problem);
    return unsure;
  }
  hooks.onAccepted();
  if ("held" in answer.value) {
    const { id } = answer.value;
    // The page may have been told of it before.
    pending.value = pending.value.filter((each) => each.key === key || each.id !== id);
    change(key, { state: "held", id });
  } else if (hooks.isShown(answer.value.message.id)) discard(key);
  // The room shows it in its place, which is behind what came before it.
  else change(key, { state: "accepted", id: answer.value.message.id, shownAs: null });
  return false;
}

/** What the room shows now does not wait any more. */
export function arrived(messages: readonly WebMessage[]): void {
  if (pending.value.length === 0) return;
  for (const { id, text, author } of messages) {
    const known = pending.value.find((each) => each.id === id);
    if (known !== undefined) discard(known.key);
    else if (author.mine) {
      // The answer is on its way, or was lost.
      const same = pending.value.find((each) => isInDoubt(each) && each.text.trim() === text.trim());
      if (same?.state === "sending") change(same.key, { shownAs: id });
      else if (same !== undefined) discard(same.key);
    }
  }
}

const isInDoubt = ({ state, unsure, shownAs }: PendingMessage): boolean =>
  shownAs === null && (state === "sending" || (state === "failed" && unsure));

/** What waits for approval, as the server has it. */
export function holds(waiting: WebMe["waiting"]): void {
  const known = new Set(waiting.map(({ id }) => id));
  const kept = pending.value.filter((each) => each.state !== "held" || (each.id !== null && known.delete(each.id)));
  const others = waiting.filter(({ id }) => known.has(id));
  pending.value = [...others.map(({ id, text }) => heldBefore(id, text)), ...kept];
}

const heldBefore = (id: string, text: string): PendingMessage => ({
  key: `held ${id}`,
  timeMs: Date.now(),
  text,
  replyTo: null,
  files: [],
  state: "held",
  why: "",
  unsure: false,
  id,
  shownAs: null,
});

/** Somebody has decided. */
export function decided(id: string, approved: boolean): void {
  const one = pending.value.find((each) => each.id === id);
  if (one === undefined) return;
  if (approved) discard(one.key);
  else change(one.key, { state: "rejected" });
}

function change(key: string, facts: Partial<PendingMessage>): void {
  const at = pending.value.findIndex((each) => each.key === key);
  const one = pending.value[at];
  if (one !== undefined) pending.value = pending.value.with(at, { ...one, ...facts });
}

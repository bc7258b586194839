import { batch, signal } from "@preact/signals";
import type { WebEvent, WebHistory, WebMe, WebMembers, WebMessage, WebRoom } from "../../../src/contract/web-chat.ts";
import { type ApiProblem, get } from "../lib/api.ts";
import { deleteNow } from "./deletions.ts";
import { forgetGuest, keepSeenIn, outboxOf, seenIn } from "./kept.ts";
import { keepSession } from "./keep-session.ts";
import { arrived, decided, holds, keepOutbox, pending, retryNow, send, sendAgain } from "./outbox.ts";
import { changeMembers, forgetMembers, guests, readMembers } from "./people.ts";
import { inRoom } from "./rooms.ts";
import { follow, type ChatWire } from "./stream.ts";
import { type ChatRows, ChatTimeline } from "./timeline.ts";

/** Null until the first answer. */
export const me = signal<WebMe["guest"] | null>(null);
export const room = signal<WebRoom | null>(null);
/** Why there is no way in, once that is known. */
export const refusal = signal<ApiProblem | null>(null);
/** The name of the room that this person has left; empty: none. */
export const left = signal("");
export const wire = signal<ChatWire>("connecting");
export const blocks = signal<readonly ChatRows[]>([]);
/** Nobody has asked for the history yet, or it is whole. */
export const older = signal<"none" | "some" | "loading">("none");
/** Who is typing, by id. */
export const typing = signal<ReadonlyMap<string, { readonly name: string; readonly untilMs: number }>>(new Map());
/** The line of what is new stands behind this one. */
export const unreadAfter = signal<string | null>(null);
/** So many have come since somebody last looked. */
export const unseen = signal(0);
/** When the next message may be sent. */
export const slowUntilMs = signal(0);

const ROWS_MAX = 2000;
const PAGE = 100;
const TYPING_MS = 8_000;
const FLOOR_MS = 5_000;
/** Between two tries to read the history. */
const AGAIN_MS = 2_000;

const timeline = new ChatTimeline();
let loaded = false;
let loading = false;
/** How often the stream did not know where we were. */
let resets = 0;
let waiting: WebEvent[] = [];
let frame = 0;
/** The stream may tell late what is older than the history that was read: it has no place behind it. */
let floor = { time: "", untilMs: 0 };
/** Ends what `enter` began. */
let stop: () => void = () => undefined;
/** Whether the newest message is in sight; the log says so. */
let looking = true;

export function enter(found: WebMe): void {
  batch(() => {
    me.value = found.guest;
    room.value = found.room;
    refusal.value = null;
  });
  const forgetOutbox = keepOutbox(outboxOf(found.guest.id), hooks);
  holds(found.waiting);
  unreadAfter.value = seenIn(found.room.name);
  const keepNoMore = keepSession();
  const leave = follow({
    onEvent: (event) => {
      if (event.type === "ready" || event.type === "reset") void refresh(event.type === "reset");
      else {
        waiting.push(event);
        schedule();
      }
    },
    onWire: (now) => {
      wire.value = now;
      if (now === "live") retryNow();
    },
    onRefused: (problem) => {
      stop();
      refusal.value = problem;
    },
  });
  stop = () => {
    leave();
    keepNoMore();
    forgetOutbox();
  };
  document.addEventListener("visibilitychange", onVisibility);
  addEventListener("pagehide", () => void deleteNow());
}

/** The session has ended as the guest wanted: nothing of it stays in this browser. */
export function exit(): void {
  stop();
  pending.value = [];
  const name = room.value?.name ?? "";
  forgetGuest(name, me.value?.id ?? "");
  left.value = name;
}

/** What the stream does not tell again. `anew`: it does not know where we were. */
async function refresh(anew: boolean): Promise<void> {
  if (anew) {
    resets += 1;
    loaded = false;
    // Told before the gap: the history knows better.
    waiting = [];
  }
  forgetMembers();
  void loadMembers();
  const found = await get<WebMe>(inRoom("/v1/me"));
  if (found.ok) {
    room.value = found.value.room;
    holds(found.value.waiting);
  }
  if (loading) return;
  loading = true;
  while (!loaded && refusal.value === null) {
    const before = resets;
    const history = await get<WebHistory>(inRoom(`/v1/history?limit=${PAGE}`));
    if (!history.ok) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    // What was read before a gap does not have what was said in it.
    else if (resets === before) begin(history.value);
  }
  loading = false;
}

async function loadMembers(): Promise<void> {
  const found = await get<WebMembers>(inRoom("/v1/members"));
  if (found.ok && !readMembers(found.value)) await loadMembers();
}

function begin({ messages, more }: WebHistory): void {
  loaded = true;
  timeline.clear();
  timeline.append(messages);
  arrived(messages);
  older.value = more ? "some" : "none";
  floor = { time: more ? (timeline.oldest?.time ?? "") : "", untilMs: Date.now() + FLOOR_MS };
  schedule();
  show();
}

/** What comes between two frames is shown at once: each alone would cost thirty times as much. */
function schedule(): void {
  if (frame !== 0 || !loaded) return;
  // A page that nobody sees has no frames.
  if (document.hidden) {
    frame = -1;
    setTimeout(flush, 250);
  } else frame = requestAnimationFrame(flush);
}

function flush(): void {
  frame = 0;
  if (!loaded) return;
  const events = waiting;
  waiting = [];
  batch(() => {
    let posted: WebMessage[] = [];
    const put = (): void => {
      if (posted.length === 0) return;
      notice(posted.filter(({ id }) => !timeline.has(id)));
      timeline.append(posted);
      arrived(posted);
      posted = [];
    };
    for (const event of events) {
      if (event.type === "message.posted") {
        if (!isBelow(event.message)) posted.push(event.message);
      } else {
        put();
        apply(event);
      }
    }
    put();
    timeline.trim(looking ? ROWS_MAX : 2 * ROWS_MAX);
    show();
  });
}

const isBelow = ({ time }: WebMessage): boolean => time < floor.time && Date.now() < floor.untilMs;

function apply(event: WebEvent): void {
  switch (event.type) {
    case "message.edited":
      return timeline.replace(event.message);
    case "message.deleted":
      return timeline.remove(event.id);
    case "reaction.added":
    case "reaction.removed":
      return timeline.react(event);
    case "member.joined":
    case "member.renamed":
      guests.value = [...guests.value.filter(({ id }) => id !== event.member.id), event.member];
      // Another tab may have changed the name.
      if (event.member.mine) me.value = { id: event.member.id, name: event.member.name };
      return;
    case "member.left":
      guests.value = guests.value.filter(({ id }) => id !== event.member.id);
      return;
    case "members":
      if (!changeMembers(event)) void loadMembers();
      return;
    case "typing":
      if (!event.author.mine) setTyping(event.author.id, event.author.name, event.on);
      return;
    case "hold":
      return decided(event.id, event.approved);
    case "room":
      room.value = event.room;
      return;
    case "message.posted":
    case "ready":
    case "reset":
      return;
    default:
      // Of a newer server.
      event satisfies never;
  }
}

function show(): void {
  blocks.value = timeline.blocks;
  if (looking && !document.hidden) keepSeen();
}

/** Somebody who says something types no more; and what is new is counted while nobody looks. */
function notice(posted: readonly WebMessage[]): void {
  for (const { author } of posted) if (typing.value.has(author.id)) setTyping(author.id, author.name, false);
  const others = posted.filter(({ author }) => !author.mine).length;
  if (!looking || document.hidden) unseen.value += others;
}

function setTyping(id: string, name: string, on: boolean): void {
  const now = Date.now();
  const others = new Map([...typing.value].filter(([key, { untilMs }]) => key !== id && untilMs > now));
  if (on) {
    others.set(id, { name, untilMs: now + TYPING_MS });
    setTimeout(() => {
      if ((typing.value.get(id)?.untilMs ?? Infinity) <= Date.now()) setTyping(id, name, false);
    }, TYPING_MS + 50);
  }
  typing.value = others;
}

/** `onFound` is called right before they are shown. */
export async function loadOlder(onFound: () => void): Promise<void> {
  const { oldest } = timeline;
  if (older.value !== "some" || oldest === undefined) return;
  older.value = "loading";
  const answer = await get<WebHistory>(inRoom(`/v1/history?before=${encodeURIComponent(oldest.id)}&limit=${PAGE}`));
  batch(() => {
    if (answer.ok) {
      onFound();
      timeline.prepend(answer.value.messages);
      blocks.value = timeline.blocks;
    }
    // As many as are kept: those at the end would have to go.
    older.value = !answer.ok || (answer.value.more && timeline.count < 2 * ROWS_MAX) ? "some" : "none";
  });
}

/** The log says whether its end is in sight. */
export function look(atEnd: boolean): void {
  looking = atEnd;
  if (atEnd && !document.hidden) {
    unseen.value = 0;
    keepSeen();
  }
}

function keepSeen(): void {
  const { newest } = timeline;
  if (newest !== undefined && room.value !== null) keepSeenIn(room.value.name, newest);
}

/** What comes while the page is away is new. */
function onVisibility(): void {
  if (document.hidden) unreadAfter.value = timeline.newest?.id ?? null;
  else if (looking) {
    unseen.value = 0;
    keepSeen();
  }
}

export const messageOf = (id: string): WebMessage | undefined => timeline.find(id);

export const lastOwn = (): WebMessage | undefined =>
  timeline.findLast(({ author, text }) => author.mine && text !== "");

const hooks = {
  isShown: (id: string): boolean => timeline.has(id),
  onAccepted: (): void => {
    const seconds = room.value?.slowModeS ?? 0;
    if (seconds > 0) slowUntilMs.value = Date.now() + seconds * 1000;
  },
  onRefused: (problem: ApiProblem): void => {
    const after = problem.body["retry_after"];
    if (problem.code === "slow_mode" && typeof after === "number") slowUntilMs.value = Date.now() + after * 1000;
    if (problem.status === 401 || problem.code === "banned") refusal.value = problem;
  },
};

export function say(draft: Parameters<typeof send>[0]): void {
  unreadAfter.value = null;
  send(draft, hooks);
}

export const sayAgain = (key: string): void => sendAgain(key, hooks);

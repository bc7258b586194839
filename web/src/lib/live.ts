import { batch, signal } from "@preact/signals";
import { applyChange, type StatusChange } from "../../../src/admin/changes.ts";
import type { StatusView, TailLine } from "../../../src/admin/views.ts";
import { get } from "./api.ts";
import { type Lines, NO_LINES, withLines } from "./lines.ts";

/** `paused`: nobody has looked at the page for long. */
export type Connection = "connecting" | "live" | "lost" | "paused";

export const connection = signal<Connection>("connecting");
/** Null until the first answer. */
export const status = signal<StatusView | null>(null);
/** What Rialto's clock says, good for "3 min ago". */
export const nowMs = signal(Date.now());
/** Of the gateway that is followed. */
export const lines = signal<Lines>(NO_LINES);

/** To be followed instead of one gateway. */
export const EVERY_GATEWAY = "*";

const TICK_MS = 5_000;
const LINES_MAX = 2000;
const HIDDEN_MS = 60_000;
const RETRY_MS = { least: 1000, most: 30_000 };

let source: EventSource | null = null;
let gateway: string | null = null;
let running = false;
let retryMs = RETRY_MS.least;
let retry: ReturnType<typeof setTimeout> | undefined;
let hidden: ReturnType<typeof setTimeout> | undefined;
let frame = 0;
let tick: ReturnType<typeof setInterval> | undefined;
/** How far the clock of this machine is behind that of Rialto's. */
let behindMs = 0;
let newest: StatusView | null = null;
let waiting: TailLine[] = [];

/** Keeps `status` and `lines` fresh until the function that it returns is called. */
export function startLive(): () => void {
  running = true;
  open();
  tick = setInterval(() => {
    if (!document.hidden) nowMs.value = Date.now() + behindMs;
  }, TICK_MS);
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    running = false;
    document.removeEventListener("visibilitychange", onVisibility);
    clearTimeout(hidden);
    clearInterval(tick);
    close();
    newest = null;
    batch(() => {
      status.value = null;
      lines.value = NO_LINES;
      connection.value = "connecting";
    });
  };
}

/** Whose messages come as lines; null: nobody's. */
export function follow(name: string | null): void {
  if (name === gateway) return;
  gateway = name;
  clearLines();
  if (running && source !== null) open();
}

export function clearLines(): void {
  waiting = [];
  lines.value = NO_LINES;
}

function open(): void {
  close();
  const stream = new EventSource(`/v1/admin/events${gateway === null ? "" : `?lines=${encodeURIComponent(gateway)}`}`);
  source = stream;
  stream.addEventListener("status", ({ data }: MessageEvent<string>) => {
    newest = JSON.parse(data) as StatusView;
    retryMs = RETRY_MS.least;
    atNextFrame();
  });
  stream.addEventListener("change", ({ data }: MessageEvent<string>) => {
    if (newest === null) return;
    newest = applyChange(newest, JSON.parse(data) as StatusChange);
    atNextFrame();
  });
  stream.addEventListener("line", ({ data }: MessageEvent<string>) => {
    waiting.push(JSON.parse(data) as TailLine);
    // Frames may not come for long.
    if (waiting.length > 2 * LINES_MAX) waiting = waiting.slice(-LINES_MAX);
    atNextFrame();
  });
  stream.addEventListener("error", () => {
    connection.value = "lost";
    // The browser tries again by itself, unless the answer was a refusal.
    if (stream.readyState === EventSource.CLOSED) refused();
  });
}

function close(): void {
  source?.close();
  source = null;
  clearTimeout(retry);
  cancelAnimationFrame(frame);
  frame = 0;
}

/** A call tells why: 401 leads to the sign-in page. */
function refused(): void {
  close();
  void get("/v1/session");
  retry = setTimeout(() => {
    if (running) open();
  }, retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_MS.most);
}

/** What comes between two frames is shown at once: each message alone would cost thirty times as much. */
function atNextFrame(): void {
  if (frame !== 0) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    batch(() => {
      if (newest !== null && newest !== status.value) {
        status.value = newest;
        behindMs = newest.nowMs - Date.now();
        nowMs.value = newest.nowMs;
      }
      connection.value = "live";
      if (waiting.length > 0) {
        lines.value = withLines(lines.value, waiting, LINES_MAX);
        waiting = [];
      }
    });
  });
}

function onVisibility(): void {
  clearTimeout(hidden);
  if (document.hidden) {
    hidden = setTimeout(() => {
      close();
      connection.value = "paused";
    }, HIDDEN_MS);
  } else if (source === null) open();
}

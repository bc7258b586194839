import type { StoredEntry } from "../../log/log.ts";
import { fullJitter } from "../retry.ts";
import { BACKOFF } from "./settle.ts";
import { admits, isRunning, type ReadState, type Step } from "./state.ts";

/**
 * Keeps the window filled from the log, a bounded chunk at a time, at most one read under way; one that failed is made
 * again after a backoff.
 */

const CHUNK_ENTRIES = 128;
const CHUNK_BYTES = 256 * 1024;
/**
 * While fewer messages and characters than these wait in the window it reads on: what comes later may change what is
 * sent first.
 */
const AHEAD_ENTRIES = 128;
const AHEAD_CHARS = 256 * 1024;
/**
 * With more than these in the window it waits for the oldest to end: nothing else bounds what is done after that, or
 * not for the lane.
 */
const HELD_ENTRIES = 2_000;

export function newReading(): ReadState {
  return { more: true, underWay: false, failures: 0, retryAtMs: Infinity, over: false, ended: false };
}

/** All that the log has is in the window. */
export function hasReadAll({ more, underWay }: ReadState): boolean {
  return !more && !underWay;
}

/** The log has something new. */
export function woken({ state: { reading } }: Step): void {
  reading.more = !reading.ended;
}

/** Reads on where there is need. */
export function fill({ state, effects }: Step): void {
  const { reading, window, setting } = state;
  if (!reading.more || reading.underWay || reading.over || reading.retryAtMs < Infinity || !isRunning(state)) return;
  if (window.size > HELD_ENTRIES) return;
  const low = setting.capabilities.limits.inflightMax;
  const isFarAhead = (): boolean => window.waiting >= AHEAD_ENTRIES || window.waitingChars >= AHEAD_CHARS;
  if (window.waiting >= low && isFarAhead()) return;
  reading.underWay = true;
  reading.more = false;
  effects.push({ do: "read", after: window.readTo, limit: Math.max(CHUNK_ENTRIES, low), bytes: CHUNK_BYTES });
}

export function take({ state }: Step, entries: readonly StoredEntry[]): void {
  const { reading, window } = state;
  reading.underWay = false;
  reading.failures = 0;
  if (!isRunning(state)) return;
  const own = entries.filter(({ seq }) => seq <= state.upTo);
  reading.ended = own.length < entries.length;
  reading.more = !reading.ended && (reading.more || entries.length > 0);
  window.take(own, (entry) => admits(state, entry));
}

export function failedToRead({ state, at, effects }: Step, why: string, closed: boolean): void {
  const { reading } = state;
  reading.underWay = false;
  reading.more = true;
  reading.failures += 1;
  reading.over ||= closed;
  if (closed || !isRunning(state)) return;
  if (reading.failures === 1) {
    const message = "messages cannot be read from the log; trying again";
    effects.push({ do: "say", level: "error", fields: { why }, message });
  }
  reading.retryAtMs = at.monoMs + fullJitter(reading.failures, BACKOFF, () => at.random);
}

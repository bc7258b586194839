import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { isAborted, onAbort } from "./abort.ts";

test("acts once, when the signal is aborted", () => {
  const { signal, abort } = controlled();
  let acts = 0;
  onAbort(signal, () => (acts += 1));
  expect(acts).toBe(0);
  abort();
  abort();
  expect(acts).toBe(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("acts at once on a signal that is aborted, and leaves nothing behind", () => {
  const signal = AbortSignal.abort();
  let acts = 0;
  const release = onAbort(signal, () => (acts += 1));
  expect(acts).toBe(1);
  release();
  expect(acts).toBe(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("does not act when it was taken back, and two that act alike are two", () => {
  const { signal, abort } = controlled();
  let acts = 0;
  const act = (): void => void (acts += 1);
  const release = onAbort(signal, act);
  onAbort(signal, act);
  expect(getEventListeners(signal, "abort")).toHaveLength(2);
  release();
  release();
  abort();
  expect(acts).toBe(1);
});

test("an abort while it acts does not act again", () => {
  const { signal, abort } = controlled();
  let acts = 0;
  onAbort(signal, () => {
    acts += 1;
    abort();
  });
  abort();
  expect(acts).toBe(1);
});

test("isAborted sees what came since the last look", () => {
  const { signal, abort } = controlled();
  expect(isAborted(signal)).toBe(false);
  abort();
  expect(isAborted(signal)).toBe(true);
});

test("without a signal nothing happens", () => {
  let acts = 0;
  onAbort(undefined, () => (acts += 1))();
  expect(acts).toBe(0);
});

function controlled(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

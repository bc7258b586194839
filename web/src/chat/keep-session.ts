import { loadRooms, rooms } from "./rooms.ts";

/** A session lasts an hour at least, and longer with each answer to this. */
const EVERY_MS = 10 * 60_000;
/** What is new in other rooms is known after this time. */
const NEWS_MS = 30_000;

/**
 * Keeps the sessions of a person who only reads, in all rooms, until the function that it returns is called. A browser
 * that is in several rooms asks more often, and when the page comes into sight.
 */
export function keepSession(): () => void {
  let askedMs = Date.now();
  const ask = (): void => {
    askedMs = Date.now();
    void loadRooms();
  };
  const timer = setInterval(() => {
    if (Date.now() - askedMs >= EVERY_MS || hasOthers()) ask();
  }, NEWS_MS);
  const onVisibility = (): void => {
    if (!document.hidden && hasOthers()) ask();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onVisibility);
  };
}

const hasOthers = (): boolean => (rooms.value?.length ?? 0) > 1;

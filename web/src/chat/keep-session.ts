import { get } from "../lib/api.ts";

/** A session lasts an hour at least, and longer with each answer to this. */
const EVERY_MS = 10 * 60_000;

/** Whoever only reads asks for nothing, and would lose the cookie. Until the function that it returns is called. */
export function keepSession(): () => void {
  const timer = setInterval(() => void get("/v1/me"), EVERY_MS);
  return () => clearInterval(timer);
}

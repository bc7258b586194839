import type { Access } from "../../access/access.ts";
import { ProblemError } from "./problems.ts";

const WINDOW_MS = 60_000;
/** No chat says a thousand things each second for a minute. */
const TOKEN_QUOTA = 60_000;
/** Of the account itself: `/api`, with the same Token, has no limit at all. */
const OWN_QUOTA = 6_000_000;

interface Window {
  endsMs: number;
  left: number;
  /** Of the quota, as its header has it. */
  policy: string;
}

/** Requests that say something, by who makes them (draft-ietf-httpapi-ratelimit-headers-10). */
export class RateLimits {
  readonly #monoMs: () => number;
  readonly #windows = new WeakMap<Access, Window>();

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  /** Counts one; the headers of its answer, names and values by turns. Throws a ProblemError `rate_limited`. */
  take(access: Access): readonly string[] {
    const quota = access.by === "token" ? (access.postsPerMinute ?? TOKEN_QUOTA) : OWN_QUOTA;
    const now = this.#monoMs();
    let window = this.#windows.get(access);
    if (window === undefined || window.endsMs <= now) {
      const policy = `"posts";q=${quota};w=${WINDOW_MS / 1000}`;
      window = { endsMs: now + WINDOW_MS, left: quota, policy };
      this.#windows.set(access, window);
    }
    const seconds = Math.ceil((window.endsMs - now) / 1000);
    const { policy } = window;
    if (window.left === 0) {
      const detail = `${quota} requests that say something are allowed within ${WINDOW_MS / 1000} s`;
      const headers = {
        "RateLimit-Policy": policy,
        RateLimit: `"posts";r=0;t=${seconds}`,
        "Retry-After": String(seconds),
      };
      throw new ProblemError("rate_limited", detail, { headers });
    }
    window.left -= 1;
    return ["RateLimit-Policy", policy, "RateLimit", `"posts";r=${window.left};t=${seconds}`];
  }
}

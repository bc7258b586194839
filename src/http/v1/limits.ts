import type { Access } from "../../access/access.ts";
import { ProblemError } from "./problems.ts";
import { type Quotas, USUAL_QUOTAS } from "./quotas.ts";

const WINDOW_MS = 60_000;
/** Posts of the account itself: `/api`, with the same Token, has no limit at all. */
const OWN_POSTS = 6_000_000;
/** Bytes of an answer that cost one unit more. A unit is about 0.1 ms of the processor. */
const UNIT_BYTES = 16 * 1024;

type Kind = "posts" | "reads";

interface Window {
  readonly quota: number;
  endsMs: number;
  /** Below 0 when an answer has cost more than was left. */
  left: number;
}

const WORDS: Readonly<Record<Kind, string>> = {
  posts: "requests that say something",
  reads: "units of reading (1 for a request, and 1 for each 16 KiB of its answer)",
};

/** What callers say and read within a minute (draft-ietf-httpapi-ratelimit-headers-10). */
export class RateLimits {
  readonly #monoMs: () => number;
  readonly #quotas: Pick<Quotas, "postsPerMinute" | "readsPerMinute">;
  readonly #windows: Readonly<Record<Kind, WeakMap<Access, Window>>> = { posts: new WeakMap(), reads: new WeakMap() };

  constructor(monoMs: () => number, quotas: Pick<Quotas, "postsPerMinute" | "readsPerMinute"> = USUAL_QUOTAS) {
    this.#monoMs = monoMs;
    this.#quotas = quotas;
  }

  /** Counts a request that says something; the headers of its answer, names and values by turns. Throws a ProblemError
   * `rate_limited`. */
  post(access: Access): readonly string[] {
    const { postsPerMinute } = this.#quotas;
    return this.#take("posts", access, access.by === "token" ? (access.postsPerMinute ?? postsPerMinute) : OWN_POSTS);
  }

  /** Counts a request that reads: `units` for what it looks at. The rest of its cost is that of its answer, see
   * `answered`. Throws a ProblemError `rate_limited`. */
  read(access: Access, units: number): void {
    this.#take("reads", access, this.#quotas.readsPerMinute, units);
  }

  /** Counts the bytes that a request has read; the headers of its answer. */
  answered(access: Access, bytes: number): readonly string[] {
    const window = this.#window("reads", access, this.#quotas.readsPerMinute);
    window.left -= Math.floor(bytes / UNIT_BYTES);
    return this.#headers("reads", window);
  }

  #take(kind: Kind, access: Access, quota: number, units = 1): readonly string[] {
    const window = this.#window(kind, access, quota);
    if (window.left <= 0) {
      const [policyName, policy = "", name, left = ""] = this.#headers(kind, window);
      const headers = { [`${policyName}`]: policy, [`${name}`]: left, "Retry-After": String(this.#seconds(window)) };
      const detail = `${quota} ${WORDS[kind]} are allowed within ${WINDOW_MS / 1000} s`;
      throw new ProblemError("rate_limited", detail, { headers });
    }
    window.left -= units;
    return this.#headers(kind, window);
  }

  #window(kind: Kind, access: Access, quota: number): Window {
    const now = this.#monoMs();
    const known = this.#windows[kind].get(access);
    if (known !== undefined && known.endsMs > now) return known;
    const window = { quota, endsMs: now + WINDOW_MS, left: quota };
    this.#windows[kind].set(access, window);
    return window;
  }

  #headers(kind: Kind, window: Window): readonly string[] {
    const left = `"${kind}";r=${Math.max(0, window.left)};t=${this.#seconds(window)}`;
    return ["RateLimit-Policy", `"${kind}";q=${window.quota};w=${WINDOW_MS / 1000}`, "RateLimit", left];
  }

  #seconds({ endsMs }: Window): number {
    return Math.ceil((endsMs - this.#monoMs()) / 1000);
  }
}

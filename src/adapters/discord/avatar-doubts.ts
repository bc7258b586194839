import type { Clock } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";

const POSTS_MAX = 200;
const AVATARS_MAX = 1_000;
/** How long an avatar that made posts fail is left out. */
const BAD_MS = 3_600_000;
/** Of so many tries of a post, the last one goes without the avatar. */
const TRIES = 3;

/** Servers may fail with the avatar of a post, which they fetch: some answer 500 again and again. */
export class AvatarDoubts {
  readonly #clock: Pick<Clock, "monoMs">;
  /** Posts to how often the server failed with them. */
  readonly #failures = new Lru<string, number>(POSTS_MAX);
  /** Avatars to the moment until which they are left out. */
  readonly #bad = new Lru<string, number>(AVATARS_MAX);

  constructor(clock: Pick<Clock, "monoMs">) {
    this.#clock = clock;
  }

  /** Whether the next try of this post goes without its avatar. */
  leavesOut(post: string, avatar: string): boolean {
    return (this.#bad.get(avatar) ?? 0) > this.#clock.monoMs() || this.#isTriedWithout(post);
  }

  failed(post: string): void {
    this.#failures.set(post, (this.#failures.get(post) ?? 0) + 1);
  }

  /** The post was made. If only without its avatar, the avatar is left out of the next posts at once. */
  went(post: string, avatar: string | null): void {
    if (avatar !== null && this.#isTriedWithout(post)) this.#bad.set(avatar, this.#clock.monoMs() + BAD_MS);
    this.#failures.delete(post);
  }

  #isTriedWithout(post: string): boolean {
    return (this.#failures.get(post) ?? 0) % TRIES === TRIES - 1;
  }
}

import { Lru } from "../../lib/lru.ts";
import type { MattermostApi } from "./api.ts";
import type { MattermostPost } from "./model.ts";

/** So many posts are known to be in a thread, or in none. */
const ROOTS_MAX = 10_000;

/** The first posts of threads: only to these can be replied. */
export class ThreadRoots {
  readonly #api: Pick<MattermostApi, "post">;
  readonly #roots = new Lru<string, string>(ROOTS_MAX);

  constructor(api: Pick<MattermostApi, "post">) {
    this.#api = api;
  }

  note({ id, rootId }: Pick<MattermostPost, "id" | "rootId">): void {
    this.#roots.set(id, rootId === "" ? id : rootId);
  }

  /** The first post of the thread that a post is in or may begin; null when there is no such post, or no answer. */
  async of(post: string, signal: AbortSignal): Promise<string | null> {
    const known = this.#roots.get(post);
    if (known !== undefined) return known;
    const answer = await this.#api.post(post, signal);
    if (!answer.ok || answer.value === null) return null;
    this.note(answer.value);
    return this.#roots.get(post) ?? null;
  }
}

import type { MessageRef, OpId, Progress } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import { textIn } from "../kit/json.ts";
import { messageRef, opIdAgain, progressAt } from "./ids.ts";
import type { MattermostPost } from "./model.ts";

/** What our posts say about themselves in their props. */
const OP_PROP = "rialto_op";
const PART_PROP = "rialto_part";

/** So many posts of ours are known by what they were posted for. */
const OWN_MAX = 5_000;
const DELETING_MAX = 1_000;

/** What a post of ours was made for: an op, and the place up to where its text goes. */
export interface OwnPart {
  readonly op: OpId;
  readonly upTo: Progress;
}

export function propsOf({ op, upTo }: OwnPart): Readonly<Record<string, string>> {
  return { [OP_PROP]: op, [PART_PROP]: upTo };
}

/** Null for a post without these props. Anybody can write such: ask who wrote it first. */
function partOf({ props }: MattermostPost): OwnPart | null {
  const [op, upTo] = [textIn(props, OP_PROP), textIn(props, PART_PROP)];
  return op === null || upTo === null ? null : { op: opIdAgain(op), upTo: progressAt(upTo) };
}

/** Posts of ours as the server shows them to us: what was sent without an answer is found here. */
export class OwnPosts {
  readonly #posts = new Lru<string, MessageRef>(OWN_MAX);
  readonly #deleting = new Lru<string, true>(DELETING_MAX);

  /** Null for a post that was made for no op. */
  note(post: MattermostPost): OwnPart | null {
    const part = partOf(post);
    if (part !== null) this.#posts.set(keyOf(part), messageRef(post.id));
    return part;
  }

  /** We are about to take it back: the server tells everybody, but not who did it. */
  deleting(post: string): void {
    this.#deleting.set(post, true);
  }

  isDeleting(post: string): boolean {
    return this.#deleting.get(post) === true;
  }

  /** Null: nobody has seen it. */
  find(part: OwnPart): MessageRef | null {
    return this.#posts.get(keyOf(part)) ?? null;
  }
}

const keyOf = ({ op, upTo }: OwnPart): string => `${op} ${upTo}`;

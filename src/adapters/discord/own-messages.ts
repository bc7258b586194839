import type { OpId, Progress } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import type { DiscordMessage } from "./model.ts";

/** So many messages of ours are known by what they were posted for. */
const OWN_MAX = 5_000;
const DELETING_MAX = 1_000;
const HOOKS_MAX = 2_000;

/** What a message of ours was made for: an op, and the place up to where its text goes. */
export interface OwnMessagePart {
  readonly op: OpId;
  readonly upTo: Progress;
}

interface OwnMessagesOptions {
  /** Our own user. */
  readonly me: string;
  /** The application, whose webhooks are ours. */
  readonly application: string;
}

/** Which messages are ours, and what they were made for. */
export class OwnMessages {
  readonly #options: OwnMessagesOptions;
  readonly #parts = new Lru<string, OwnMessagePart>(OWN_MAX);
  readonly #messages = new Lru<string, string>(OWN_MAX);
  readonly #deleting = new Lru<string, true>(DELETING_MAX);
  readonly #hooks = new Lru<string, true>(HOOKS_MAX);

  constructor(options: OwnMessagesOptions) {
    this.#options = options;
  }

  /** What this webhook posts is ours: one that the configuration names, whoever made it. */
  addHook(webhook: string): void {
    this.#hooks.set(webhook, true);
  }

  /** Whether we wrote it: as ourselves, or through a webhook of ours. */
  isOurs({ author, webhook, application }: Pick<DiscordMessage, "author" | "webhook" | "application">): boolean {
    const { me, application: ours } = this.#options;
    if (author.id === me) return true;
    return webhook !== "" && (application === ours || this.#hooks.get(webhook) === true);
  }

  /** It was made for this part: no other part may take it for its own. */
  attribute(message: string, part: OwnMessagePart): void {
    this.#parts.set(message, part);
    this.#messages.set(keyOf(part), message);
  }

  /** Null: not known to be made for any. */
  partOf(message: string): OwnMessagePart | null {
    return this.#parts.get(message) ?? null;
  }

  /** The id of the message that was made for it; null: none is known. */
  find(part: OwnMessagePart): string | null {
    return this.#messages.get(keyOf(part)) ?? null;
  }

  /** We are about to take it back: the network tells everybody, but not who did it. */
  deleting(message: string): void {
    this.#deleting.set(message, true);
  }

  isDeleting(message: string): boolean {
    return this.#deleting.get(message) === true;
  }
}

const keyOf = ({ op, upTo }: OwnMessagePart): string => `${op} ${upTo}`;

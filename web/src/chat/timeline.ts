import type { WebEvent, WebMessage, WebReaction } from "../../../src/contract/web-chat.ts";

/** Messages that stand together: a block in which nothing changes stays the same object and is not rendered again. */
export interface ChatRows {
  readonly key: number;
  readonly messages: readonly WebMessage[];
}

type Reacted = Extract<WebEvent, { readonly type: "reaction.added" | "reaction.removed" }>;

const BLOCK = 50;

/** What is shown of a room: each message once, in the order of the server, of all only the newest. */
export class ChatTimeline {
  #blocks: readonly ChatRows[] = [];
  /** In which block a message stands. */
  readonly #keys = new Map<string, number>();
  #first = 0;
  #last = -1;

  get blocks(): readonly ChatRows[] {
    return this.#blocks;
  }

  get count(): number {
    return this.#keys.size;
  }

  get newest(): WebMessage | undefined {
    return this.#blocks.at(-1)?.messages.at(-1);
  }

  get oldest(): WebMessage | undefined {
    return this.#blocks[0]?.messages[0];
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  find(id: string): WebMessage | undefined {
    const key = this.#keys.get(id);
    return this.#blocks.find((block) => block.key === key)?.messages.find((message) => message.id === id);
  }

  /** The newest that fits. */
  findLast(fits: (message: WebMessage) => boolean): WebMessage | undefined {
    for (const { messages } of this.#blocks.toReversed()) {
      const found = messages.findLast(fits);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  clear(): void {
    this.#blocks = [];
    this.#keys.clear();
  }

  /** Behind all others; those that are known are replaced. */
  append(messages: readonly WebMessage[]): void {
    const news: WebMessage[] = [];
    for (const message of messages) {
      if (this.has(message.id)) this.replace(message);
      else if (!news.some(({ id }) => id === message.id)) news.push(message);
    }
    if (news.length === 0) return;
    const last = this.#blocks.at(-1);
    const open = last !== undefined && last.messages.length < BLOCK ? last : null;
    const blocks = open === null ? [...this.#blocks] : this.#blocks.slice(0, -1);
    const loose = [...(open?.messages ?? []), ...news];
    for (let at = 0; at < loose.length; at += BLOCK) {
      const key = open !== null && at === 0 ? open.key : ++this.#last;
      blocks.push(this.#block(key, loose.slice(at, at + BLOCK)));
    }
    this.#blocks = blocks;
  }

  /** Before all others. */
  prepend(messages: readonly WebMessage[]): void {
    const news = messages.filter(({ id }) => !this.has(id));
    const blocks: ChatRows[] = [];
    for (let end = news.length; end > 0; end -= BLOCK) {
      blocks.unshift(this.#block(--this.#first, news.slice(Math.max(0, end - BLOCK), end)));
    }
    this.#blocks = [...blocks, ...this.#blocks];
  }

  replace(message: WebMessage): void {
    this.#change(message.id, () => message);
  }

  remove(id: string): void {
    this.#change(id, () => null);
    this.#keys.delete(id);
  }

  react({ type, id, emoji, count, author }: Reacted): void {
    this.#change(id, (message) => {
      const before = message.reactions.find((each) => each.emoji === emoji);
      const mine = author.mine ? type === "reaction.added" : (before?.mine ?? false);
      const after: WebReaction = { emoji, count, mine };
      const known = message.reactions.map((each) => (each === before ? after : each));
      const reactions = (before === undefined ? [...known, after] : known).filter((each) => each.count > 0);
      return { ...message, reactions };
    });
  }

  /** Leaves the oldest out, in whole blocks, while more than so many are there. Says whether any went. */
  trim(most: number): boolean {
    let gone = 0;
    for (; this.count > most && gone < this.#blocks.length - 1; gone += 1) {
      for (const { id } of this.#blocks[gone]?.messages ?? []) this.#keys.delete(id);
    }
    if (gone > 0) this.#blocks = this.#blocks.slice(gone);
    return gone > 0;
  }

  #block(key: number, messages: readonly WebMessage[]): ChatRows {
    for (const { id } of messages) this.#keys.set(id, key);
    return { key, messages };
  }

  #change(id: string, become: (message: WebMessage) => WebMessage | null): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#blocks = this.#blocks.flatMap((block) => {
      if (block.key !== key) return [block];
      const messages = block.messages.flatMap((message) => (message.id === id ? (become(message) ?? []) : [message]));
      return messages.length === 0 ? [] : [{ key, messages }];
    });
  }
}

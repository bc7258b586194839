import type { EventEmitter } from "node:events";

/** What of the library the tests use; the library itself is unchanged. */
export interface Message {
  readonly id: string;
  readonly content: string;
  readonly editedTimestamp: number | null;
  readonly system: boolean;
  readonly type: number;
  readonly webhookId: string | null;
  readonly author: { readonly id: string; readonly username: string; readonly bot: boolean };
  readonly member: { readonly displayName: string } | null;
  readonly attachments: Collection<{ name: string; size: number; url: string; description: string | null }>;
  readonly stickers: Collection<{ name: string }>;
  readonly embeds: readonly { title: string | null }[];
  readonly poll: { question: { text: string } } | null;
  readonly messageSnapshots: Collection<{ content: string }>;
  readonly reference: { messageId?: string } | null;
  readonly reactions: { cache: Collection<{ emoji: { name: string }; count: number }> };
  readonly mentions: { users: Collection<{ id: string }>; everyone: boolean };
  readonly pinned: boolean;
  edit(what: string | object): Promise<Message>;
  delete(): Promise<unknown>;
  react(emoji: string): Promise<unknown>;
  reply(what: string): Promise<Message>;
  pin(): Promise<unknown>;
  fetch(): Promise<Message>;
  startThread(what: { name: string }): Promise<Channel>;
  forward(to: Channel): Promise<Message>;
}

interface Collection<T> {
  readonly size: number;
  first(): T | undefined;
  map<R>(what: (one: T) => R): R[];
  get(id: string): T | undefined;
}

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly token: string | null;
  readonly applicationId: string | null;
  send(what: object): Promise<Message>;
  editMessage(id: string, what: object): Promise<Message>;
  fetchMessage(id: string, how?: object): Promise<Message>;
  deleteMessage(id: string): Promise<unknown>;
  delete(): Promise<unknown>;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly topic: string | null;
  readonly archived?: boolean | null;
  readonly parent: { readonly name: string } | null;
  readonly messages: {
    fetch(how: string): Promise<Message>;
    fetch(how: object): Promise<Collection<Message>>;
    fetchPins(): Promise<{ items: { message: Message }[] }>;
  };
  readonly threads: {
    create(what: object): Promise<Channel>;
    fetchArchived(): Promise<{ threads: Collection<Channel> }>;
  };
  send(what: string | object): Promise<Message>;
  sendTyping(): Promise<unknown>;
  setTopic(topic: string): Promise<Channel>;
  setArchived(on: boolean): Promise<Channel>;
  bulkDelete(ids: readonly string[]): Promise<unknown>;
  createWebhook(what: object): Promise<Webhook>;
  fetchWebhooks(): Promise<Collection<Webhook>>;
  permissionsFor(user: unknown): { has(bit: bigint): boolean } | null;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly memberCount: number;
  readonly channels: { cache: Collection<Channel> };
  readonly members: {
    cache: Collection<{ id: string }>;
    fetch(how?: object): Promise<Collection<{ displayName: string }>>;
    list(how: object): Promise<Collection<{ displayName: string }>>;
    search(how: object): Promise<Collection<{ displayName: string }>>;
  };
}

export interface Client extends EventEmitter {
  readonly user: { readonly id: string; readonly username: string } | null;
  readonly guilds: { cache: Collection<Guild>; fetch(): Promise<Collection<{ name: string }>> };
  readonly application: { fetch(): Promise<{ name: string | null; flags: { has(bit: number): boolean } }> } | null;
  readonly rest: EventEmitter;
  login(token: string): Promise<string>;
  destroy(): Promise<void>;
}

export interface Library {
  readonly Client: new (options: object) => Client;
}

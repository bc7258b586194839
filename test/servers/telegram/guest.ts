import type { MessageEntity } from "@grammyjs/types";
import type { Style } from "../../../src/contract/content.ts";
import type { ChannelRequest } from "../../../src/contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../contract/fixture.ts";
import { textOf } from "./messages.ts";
import { addPerson, type Folk, standing } from "./people.ts";
import type { FakeTelegram } from "./server.ts";
import type { ChatRow, MessageRow, WireMessage } from "./wire.ts";

/** How long clients show that somebody types. */
const TYPING_MS = 5_000;

/** A person of the adapters' suite: calls of the server, and no code of the adapter. */
export class TelegramGuest implements Person {
  readonly #server: FakeTelegram;
  readonly #folk: Folk;
  readonly #freshName: () => string;
  /** The last message before this person came to a chat. */
  readonly #since = new Map<number, number>();

  constructor(server: FakeTelegram, freshName: () => string) {
    this.#server = server;
    const name = freshName();
    this.#folk = addPerson(server, name, { username: name });
    this.#freshName = freshName;
  }

  get name(): string {
    return this.#folk.user.first_name;
  }

  join({ name }: ChannelRequest): Promise<void> {
    const chat = this.#chat(name);
    this.#folk.enter(chat);
    this.#since.set(chat.id, chat.lastId);
    return Promise.resolve();
  }

  leave(channel: string): Promise<void> {
    this.#folk.leave(this.#chat(channel));
    return Promise.resolve();
  }

  say(channel: string, text: string): Promise<void> {
    this.#folk.say(this.#chat(channel), text);
    return Promise.resolve();
  }

  /** Bots hear of a name with what is said under it. */
  rename(): Promise<string> {
    const name = this.#freshName();
    Object.assign(this.#folk.user, { first_name: name, username: name });
    for (const id of this.#since.keys()) {
      const chat = this.#server.world.chat(id);
      if (chat.members.get(this.#folk.id)?.status === "member") this.#folk.say(chat, "under another name");
    }
    return Promise.resolve(name);
  }

  typists(channel: string): readonly string[] {
    const { world } = this.#server;
    const typing = [...(world.typists.get(this.#chat(channel).id) ?? [])];
    const now = typing.filter(([, sinceMs]) => Date.now() - sinceMs < TYPING_MS);
    return now.map(([bot]) => world.bots.get(bot)?.user.username ?? "");
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#folk.rename(this.#chat(channel), topic);
    return Promise.resolve();
  }

  kick(): Promise<void> {
    return Promise.reject(new Error("only administrators throw others out"));
  }

  heard(channel: string): readonly Heard[] {
    return this.#others(channel).map((row) => this.#heard(row));
  }

  write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const answered = reply ?? thread;
    const how = answered === undefined ? {} : { reply: this.#row(channel, answered) };
    return Promise.resolve(String(this.#folk.say(this.#chat(channel), text, how).id));
  }

  edit(channel: string, message: Handle, text: string): Promise<void> {
    this.#folk.edit(this.#row(channel, message), text);
    return Promise.resolve();
  }

  react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    const row = this.#row(channel, message);
    const others = reactionsOf(row, this.#folk.id).filter((one) => one !== emoji);
    this.#folk.react(row, ...others, ...(on ? [emoji] : []));
    return Promise.resolve();
  }

  sendFile(channel: string, { name, mime, content, comment }: SentFile): Promise<Handle> {
    const row = this.#folk.send(this.#chat(channel), "document", { name, mime, content }, { caption: comment });
    return Promise.resolve(String(row.id));
  }

  notified(channel: string): readonly string[] {
    const { id, username = "" } = this.#folk.user;
    const names = new Set([`@${username}`, "@all", "@everyone"]);
    const calls = ({ wire }: MessageRow): boolean => {
      const { text, entities } = textOf(wire);
      return entities.some((one) => {
        if (one.type === "text_mention") return one.user.id === id;
        return one.type === "mention" && names.has(text.slice(one.offset, one.offset + one.length));
      });
    };
    return this.#others(channel)
      .filter(calls)
      .map(({ wire }) => textOf(wire).text);
  }

  fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const id = mediaIn(this.#row(channel, message).wire)?.file_id ?? "";
    const file = this.#server.files.get(id);
    if (file === undefined) throw new Error("there is no file in the message");
    return Promise.resolve(file.content);
  }

  #chat(name: string): ChatRow {
    return this.#server.world.chat(Number(name));
  }

  #row(channel: string, message: Handle): MessageRow {
    return this.#server.world.message(this.#chat(channel), Number(message));
  }

  /** What others have said since this person came, and what still stands. */
  #others(channel: string): readonly MessageRow[] {
    const chat = this.#chat(channel);
    const since = this.#since.get(chat.id) ?? 0;
    return standing(chat).filter(({ id, by }) => by !== this.#folk.id && id > since);
  }

  #heard(row: MessageRow): Heard {
    const { wire } = row;
    const { text, entities } = textOf(wire);
    const file = mediaIn(wire);
    const style: Style = isAction(text, entities) ? "action" : "normal";
    return {
      by: (wire.from?.is_bot === true ? wire.from.username : wire.from?.first_name) ?? "",
      // What parts a sign from a name has no width.
      text: text.replaceAll("@\u200b", "@"),
      style,
      handle: String(row.id),
      reactions: [...row.reactions.keys()].flatMap((by) => reactionsOf(row, by)),
      ...(wire.reply_to_message !== undefined && { reply: String(wire.reply_to_message.message_id) }),
      ...(file !== undefined && { file: file.file_name ?? "photo" }),
    };
  }
}

interface Media {
  readonly file_id: string;
  readonly file_name?: string;
}

const mediaIn = ({ document, audio, video, animation, photo }: WireMessage): Media | undefined =>
  document ?? audio ?? video ?? animation ?? photo?.at(-1);

/** Words in italics, alone or behind a name such as `<Bob> `. */
export const isAction = (text: string, entities: readonly MessageEntity[]): boolean =>
  entities.some(({ type, offset, length }) => {
    const name = text.slice(0, offset);
    return type === "italic" && offset + length === text.length && (name === "" || name.endsWith("> "));
  });

const reactionsOf = ({ reactions }: MessageRow, by: number): readonly string[] =>
  (reactions.get(by) ?? []).flatMap((one) => (one.type === "emoji" ? [one.emoji] : []));

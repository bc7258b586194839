import type { ChannelRequest } from "../../../src/contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../contract/fixture.ts";
import { heardIn, isAlert, type RawEvent } from "./nio-heard.ts";
import type { NioPerson } from "./nio.ts";

/** What the guests of one case know together: rooms by alias, people by name. */
export interface Town {
  readonly rooms: ReadonlyMap<string, string>;
  readonly people: Map<string, string>;
  /** Gives somebody every right in a room, once for each room. */
  readonly crown: (room: string, user: string) => Promise<void>;
  /** A name nobody has had. */
  readonly freshName: () => string;
}

/** A person of the adapters' suite, with a client on matrix-nio. Whoever comes first into a room gets its crown. */
export class NioGuest implements Person {
  name: string;
  readonly #client: NioPerson;
  readonly #town: Town;
  /** Events of reactions by what they are: target and emoji. */
  readonly #reactions = new Map<string, string>();

  constructor(client: NioPerson, name: string, town: Town) {
    this.#client = client;
    this.name = name;
    this.#town = town;
    town.people.set(name, client.id);
  }

  async join({ name }: ChannelRequest): Promise<void> {
    const room = this.#room(name);
    await this.#client.ask("join", { room });
    await this.#town.crown(room, this.#client.id);
    for (
      const start = Date.now();
      !this.#client.seen.some((seen) => seen.room === room && isEntry(seen.event, this.#client.id));
    ) {
      if (Date.now() - start > 30_000) throw new Error(`${this.name} sees nothing of ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async leave(channel: string, reason: string): Promise<void> {
    await this.#client.ask("leave", { room: this.#room(channel), reason });
  }

  async say(channel: string, text: string, style: Heard["style"] = "normal"): Promise<void> {
    const msgtype = { normal: "m.text", action: "m.emote", notice: "m.notice" }[style];
    await this.#send(channel, { msgtype, body: text });
  }

  async rename(): Promise<string> {
    const name = this.#town.freshName();
    await this.#client.ask("rename", { name });
    this.name = name;
    this.#town.people.set(name, this.#client.id);
    return name;
  }

  async setTopic(channel: string, topic: string): Promise<void> {
    await this.#client.ask("state", { room: this.#room(channel), type: "m.room.topic", content: { topic } });
  }

  async type(channel: string, on: boolean): Promise<void> {
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(this.#room(channel))}/typing/${encodeURIComponent(this.#client.id)}`;
    await this.#client.ask("raw", { method: "PUT", path, body: { typing: on, timeout: 20_000 } });
  }

  /** By their ids. */
  typists(channel: string): readonly string[] {
    const told = this.#events(channel).findLast(({ event }) => event["type"] === "m.typing");
    const users = (told?.event["content"] as { readonly user_ids: readonly string[] } | undefined)?.user_ids ?? [];
    return users.filter((user) => user !== this.#client.id);
  }

  topic(channel: string): string | null {
    const set = this.#events(channel).findLast(({ event }) => event["type"] === "m.room.topic");
    return set === undefined ? null : String((set.event["content"] as RawEvent)["topic"]);
  }

  async kick(channel: string, name: string, reason: string): Promise<void> {
    await this.#client.ask("kick", { room: this.#room(channel), user: this.#town.people.get(name) ?? name, reason });
  }

  heard(channel: string): readonly Heard[] {
    return heardIn(this.#events(channel), this.#client.id);
  }

  async write(channel: string, text: string, { reply, thread }: How = {}): Promise<Handle> {
    const answered = reply === undefined ? {} : { "m.in_reply_to": { event_id: reply } };
    const threaded =
      thread === undefined
        ? {}
        : {
            rel_type: "m.thread",
            event_id: thread,
            is_falling_back: reply === undefined,
            "m.in_reply_to": { event_id: reply ?? thread },
          };
    const relation = { ...answered, ...threaded };
    return await this.#send(channel, {
      msgtype: "m.text",
      body: text,
      ...(Object.keys(relation).length > 0 && { "m.relates_to": relation }),
    });
  }

  async edit(channel: string, message: Handle, text: string): Promise<void> {
    const content = { msgtype: "m.text", body: text };
    const relation = { rel_type: "m.replace", event_id: message };
    await this.#send(channel, {
      msgtype: "m.text",
      body: `* ${text}`,
      "m.new_content": content,
      "m.relates_to": relation,
    });
  }

  async erase(channel: string, message: Handle): Promise<void> {
    await this.#client.ask("redact", { room: this.#room(channel), event: message });
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    const key = `${message} ${emoji}`;
    const room = this.#room(channel);
    if (!on) {
      await this.#client.ask("redact", { room, event: this.#reactions.get(key) });
      return;
    }
    const content = { "m.relates_to": { rel_type: "m.annotation", event_id: message, key: emoji } };
    this.#reactions.set(key, String(await this.#client.ask("send", { room, type: "m.reaction", content })));
  }

  async sendFile(channel: string, { name, mime, content, comment }: SentFile): Promise<Handle> {
    const hex = Buffer.from(content).toString("hex");
    const url = await this.#client.ask("upload", { content: hex, mime, file: name });
    const msgtype = mime.startsWith("image/") ? "m.image" : "m.file";
    const info = { mimetype: mime, size: content.length };
    return await this.#send(channel, { msgtype, body: comment === "" ? name : comment, filename: name, url, info });
  }

  notified(channel: string): readonly string[] {
    const alerts = this.#events(channel).filter(({ event }) => isAlert(event, this.#client.id));
    return alerts.map(({ event }) => String((event["content"] as RawEvent)["body"]));
  }

  async fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const found = this.#events(channel).find(({ event }) => event["event_id"] === message);
    const mxc = (found?.event["content"] as RawEvent | undefined)?.["url"];
    return Buffer.from(String(await this.#client.ask("download", { mxc })), "hex");
  }

  #room(channel: string): string {
    return this.#town.rooms.get(channel) ?? channel;
  }

  #events(channel: string) {
    const room = this.#room(channel);
    const all = this.#client.seen.filter((seen) => seen.room === room);
    return all.slice(all.findIndex(({ event }) => isEntry(event, this.#client.id)) + 1);
  }

  async #send(channel: string, content: RawEvent): Promise<Handle> {
    return String(await this.#client.ask("send", { room: this.#room(channel), type: "m.room.message", content }));
  }
}

function isEntry(event: RawEvent, user: string): boolean {
  const membership = (event["content"] as RawEvent | undefined)?.["membership"];
  return event["type"] === "m.room.member" && event["state_key"] === user && membership === "join";
}

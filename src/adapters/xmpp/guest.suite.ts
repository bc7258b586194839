import type { ChannelRequest } from "../../contract/session.ts";
import type { Handle, Heard, How, Person, SentFile } from "../../../test/contract/fixture.ts";
import type { Extension, SeenMessage, SlixmppPerson } from "../../../test/servers/people/slixmpp.ts";

/** A line as it stands now. */
interface Line {
  readonly nick: string;
  readonly id: string | null;
  readonly sid: string | null;
  text: string;
  readonly style: "normal" | "action";
  readonly reply: string | null;
  readonly oob: string | null;
  readonly reactions: Map<string, readonly string[]>;
}

/** What is in a room after all these messages: edits, deletions and reactions done. */
function standing(messages: readonly SeenMessage[]): readonly Line[] {
  let lines: Line[] = [];
  for (const message of messages) {
    const { nick, id, sid, replaces, retracts, moderates, reacts, emojis, body, oob, reply, late } = message;
    if (late) continue;
    if (moderates !== null) lines = lines.filter((line) => line.sid !== moderates);
    else if (retracts !== null) lines = lines.filter((line) => line.sid !== retracts || line.nick !== nick);
    else if (reacts !== null) lines.find((line) => line.sid === reacts)?.reactions.set(nick, emojis);
    else if (body !== null && replaces !== null) {
      const line = lines.find((one) => one.nick === nick && one.id === replaces);
      if (line !== undefined) line.text = wordsOf(message);
    } else if (body !== null) {
      const style = body.startsWith("/me ") ? "action" : "normal";
      lines.push({ nick, id, sid, text: wordsOf(message), style, reply, oob, reactions: new Map() });
    }
  }
  return lines;
}

function wordsOf({ body, quote, oob }: SeenMessage): string {
  if (oob !== null && oob === body) return body;
  const characters = Array.from(body ?? "");
  if (quote !== null) characters.splice(Number(quote[0]), Number(quote[1]) - Number(quote[0]));
  return characters.join("").replace(/^\/me /, "");
}

const SID = "urn:xmpp:sid:0";
let renamed = 0;

/** A person of the suite, with a client on slixmpp. */
export class Guest implements Person {
  readonly #client: SlixmppPerson;
  readonly #service: string;
  readonly #reactions = new Map<Handle, Set<string>>();
  readonly #rooms: string[] = [];

  constructor(client: SlixmppPerson, service: string) {
    this.#client = client;
    this.#service = service;
  }

  get name(): string {
    return this.#client.nick;
  }

  async join({ name, options }: ChannelRequest): Promise<void> {
    await this.#client.join(this.#jid(name), options["key"] ?? "");
    this.#rooms.push(this.#jid(name));
  }

  leave(channel: string, reason: string): Promise<void> {
    this.#client.leave(this.#jid(channel), reason);
    return Promise.resolve();
  }

  say(channel: string, text: string, style: "normal" | "action" | "notice" = "normal"): Promise<void> {
    // This client knows no styling, and says so (XEP-0393 §5).
    const unstyled: Extension = ["urn:xmpp:styling:0", "unstyled", {}, []];
    this.#client.say(this.#jid(channel), style === "action" ? `/me ${text}` : text, [unstyled]);
    return Promise.resolve();
  }

  async rename(): Promise<string> {
    renamed += 1;
    for (const room of this.#rooms) await this.#client.rename(room, `renamed${renamed}`);
    return this.name;
  }

  setTopic(channel: string, topic: string): Promise<void> {
    this.#client.setSubject(this.#jid(channel), topic);
    return Promise.resolve();
  }

  type(channel: string, on: boolean): Promise<void> {
    const state = `<${on ? "composing" : "active"} xmlns="http://jabber.org/protocol/chatstates"/>`;
    this.#client.raw(`<message to="${this.#jid(channel)}" type="groupchat">${state}</message>`);
    return Promise.resolve();
  }

  typists(channel: string): readonly string[] {
    const typing = new Set<string>();
    for (const { nick, state, body } of this.#client.messages(this.#jid(channel))) {
      if (state === "composing" && body === null) typing.add(nick);
      else if (state !== null || body !== null) typing.delete(nick);
    }
    return [...typing].filter((nick) => nick !== this.name);
  }

  topic(channel: string): string | null {
    const set = this.#client
      .messages(this.#jid(channel))
      .findLast(({ subject, body }) => subject !== null && body === null);
    return set?.subject ?? null;
  }

  async kick(channel: string, name: string, reason: string): Promise<void> {
    await this.#client.ask("kick", { room: this.#jid(channel), nick: name, reason });
  }

  heard(channel: string): readonly Heard[] {
    const lines = standing(this.#client.messages(this.#jid(channel)));
    return lines.filter(({ nick }) => nick !== this.name).map((line) => this.#asHeard(line, lines));
  }

  #asHeard({ nick, sid, text, style, reply, oob, reactions }: Line, lines: readonly Line[]): Heard {
    const known = reply !== null && lines.some((line) => line.sid === reply);
    const isFile = oob !== null && isUploaded(oob);
    return {
      by: nick,
      text: isFile && oob === text ? "" : text,
      style,
      ...(sid !== null && { handle: sid }),
      ...(known && { reply }),
      ...(isFile && { file: fileName(oob) }),
      reactions: [...reactions.values()].flat(),
    };
  }

  async write(channel: string, text: string, how: How = {}): Promise<Handle> {
    const room = this.#jid(channel);
    const target = this.#client.messages(room).find(({ sid }) => sid === how.reply);
    const extensions: Extension[] =
      target === undefined || how.reply === undefined
        ? []
        : [["urn:xmpp:reply:0", "reply", { id: how.reply, to: `${room}/${target.nick}` }, []]];
    const quoted = target === undefined ? "" : `> ${target.body ?? ""}\n`;
    if (quoted !== "") extensions.push(fallbackOf(quoted));
    return await this.#said(room, this.#client.say(room, quoted + text, extensions));
  }

  async edit(channel: string, message: Handle, text: string): Promise<void> {
    const room = this.#jid(channel);
    const id = this.#client.messages(room).find(({ sid }) => sid === message)?.id ?? "";
    this.#client.say(room, text, [["urn:xmpp:message-correct:0", "replace", { id }, []]]);
    await Promise.resolve();
  }

  async erase(channel: string, message: Handle): Promise<void> {
    this.#client.say(this.#jid(channel), null, [["urn:xmpp:message-retract:1", "retract", { id: message }, []]]);
    await Promise.resolve();
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    const emojis = this.#reactions.get(message) ?? new Set();
    this.#reactions.set(message, emojis);
    if (on) emojis.add(emoji);
    else emojis.delete(emoji);
    const namespace = "urn:xmpp:reactions:0";
    const each = [...emojis].map((one) => [namespace, "reaction", {}, one] as const);
    this.#client.say(this.#jid(channel), null, [[namespace, "reactions", { id: message }, each]]);
    await Promise.resolve();
  }

  async sendFile(channel: string, { name, mime, content, comment }: SentFile): Promise<Handle> {
    const room = this.#jid(channel);
    const base64 = Buffer.from(content).toString("base64");
    const service = "upload.localhost";
    const url = String(await this.#client.ask("upload", { name, mime, content: base64, service }));
    if (comment !== "") this.#client.say(room, comment);
    return await this.#said(
      room,
      this.#client.say(room, url, [["jabber:x:oob", "x", {}, [["jabber:x:oob", "url", {}, url]]]]),
    );
  }

  notified(channel: string): readonly string[] {
    const isNamed = new RegExp(String.raw`\b${this.name}\b`, "u");
    return this.heard(channel).flatMap(({ text }) => (isNamed.test(text) ? [text] : []));
  }

  async fetch(channel: string, message: Handle): Promise<Uint8Array> {
    const url = this.#client.messages(this.#jid(channel)).find(({ sid }) => sid === message)?.oob ?? "";
    const response = await fetch(url);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The client stays, for somebody else. */
  leaveAll(): void {
    for (const room of this.#rooms.splice(0)) this.#client.leave(room, "");
  }

  async #said(room: string, id: string): Promise<Handle> {
    const { sid } = await this.#client.shown(room, id);
    if (sid === null) throw new Error(`the room gives its messages no ids (${SID})`);
    return sid;
  }

  #jid(channel: string): string {
    return `${channel}@${this.#service}`;
  }
}

function fallbackOf(quoted: string): Extension {
  const namespace = "urn:xmpp:fallback:0";
  const range = { start: "0", end: String(Array.from(quoted).length) };
  return [namespace, "fallback", { for: "urn:xmpp:reply:0" }, [[namespace, "body", range, ""]]];
}

/** Whether it lies on the server of the test. */
function isUploaded(url: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost):/u.test(url);
}

function fileName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
}

import type { Message } from "../../src/contract/message.ts";
import type { RealNetwork } from "../crossing/place.ts";
import type { NioPeople } from "../servers/people/nio.ts";
import { pythonPerson } from "../servers/people/python.ts";
import { SlixmppPerson } from "../servers/people/slixmpp.ts";
import type { XmppServer } from "../servers/xmpp/server.ts";
import type { ApiClient } from "../support/client.ts";

/** Somebody on a network. */
export interface Voice {
  readonly network: RealNetwork;
  /** Resolves once the network has it. */
  readonly say: (text: string) => Promise<void>;
  /** The texts of others so far, in the order in which they came; at the API those of its own network too. */
  readonly heard: () => readonly string[];
  readonly quit: () => Promise<void>;
}

export async function ircVoice(port: number, channel: string): Promise<Voice> {
  const client = await pythonPerson({ port, nick: "ira", channels: [channel] });
  return {
    network: "irc",
    say: async (text) => await client.say(channel, text),
    heard: () => client.ears.texts(channel),
    quit: async () => await client.quit(),
  };
}

export async function xmppVoice(server: XmppServer, room: string, password: string): Promise<Voice> {
  await server.register("xena", password);
  const client = await SlixmppPerson.connect({ port: server.port, jid: "xena@localhost", password, nick: "xena" });
  await client.join(room);
  return {
    network: "xmpp",
    say: async (text) => void client.say(room, text),
    heard: () => client.messages(room).flatMap(({ nick, body, late }) => (nick === "xena" || late ? [] : [body ?? ""])),
    quit: async () => await client.quit(),
  };
}

export async function matrixVoice(people: NioPeople, alias: string): Promise<Voice> {
  const client = await people.person("mona");
  const room = String(await client.ask("create", { alias }));
  const bodyOf = (event: Readonly<Record<string, unknown>>): readonly string[] => {
    if (event["type"] !== "m.room.message" || event["sender"] === client.id) return [];
    return [String((event["content"] as { readonly body?: unknown }).body)];
  };
  return {
    network: "matrix",
    say: async (body) =>
      void (await client.ask("send", { room, type: "m.room.message", content: { msgtype: "m.text", body } })),
    heard: () => client.seen.flatMap(({ event }) => bodyOf(event)),
    quit: async () => await people.quit(client.id),
  };
}

/** How often somebody whose post was not answered, or refused, tries again. */
const AGAIN_MS = 50;

/**
 * A program that posts by one account and polls by another; both are asked for anew each time, because Rialto may have
 * been started again.
 */
export class ApiVoice implements Voice {
  readonly network = "api";
  /** Answers 503: what is refused is posted again, under the same key. */
  refused = 0;
  readonly #heard: string[] = [];
  readonly #writer: () => ApiClient;
  readonly #reader: () => ApiClient;
  readonly #gateway: string;
  #polling: Promise<void> | null = null;
  #over = false;

  constructor(writer: () => ApiClient, reader: () => ApiClient, gateway: string) {
    this.#writer = writer;
    this.#reader = reader;
    this.#gateway = gateway;
  }

  /** Tries under one key until it is taken. */
  async say(text: string): Promise<void> {
    const headers = { "Idempotency-Key": text };
    while (!this.#over) {
      const status = await this.#writer()
        .post({ gateway: this.#gateway, username: "anna", text }, headers)
        .then((answer) => answer.status)
        .catch(() => 0);
      if (status === 200) return;
      if (status === 503) this.refused += 1;
      else if (status !== 0) throw new Error(`the post of "${text}" was answered ${status}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  heard(): readonly string[] {
    return this.#heard;
  }

  /** Takes what is unread; one at a time. What cannot be had now stays unread. */
  async poll(): Promise<void> {
    this.#polling ??= this.#reader()
      .poll()
      .then(
        (messages: readonly Message[]) => void this.#heard.push(...messages.map(({ text }) => text)),
        () => {},
      )
      .finally(() => (this.#polling = null));
    await this.#polling;
  }

  async quit(): Promise<void> {
    this.#over = true;
    await this.#polling;
  }
}

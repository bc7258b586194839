import type { Style } from "../../src/contract/content.ts";
import type { ChannelRequest } from "../../src/contract/session.ts";
import type { Fixture, Handle, Harness, Heard, How, Person } from "../contract/fixture.ts";
import { adapter } from "./toy/index.ts";
import type { ToySettings } from "./toy/settings.ts";
import { type ToyMember, type ToyMessage, type ToyRequest, ToyServer } from "./toy-server.ts";

/** More than loopback needs to pass on what it has. */
const SETTLE_MS = 30;

/** The toy network as a ground for the shared suite: a server per case. */
export const toyFixture: Fixture = {
  adapter,
  features: new Set([
    "auth",
    "config",
    "unreachable",
    "refused",
    "kick",
    "stall",
    "edit",
    "erase",
    "react",
    "reply",
    "setTopic",
  ]),
  start: async () => {
    const server = new ToyServer();
    return harnessOf(server, toySettings(server, await server.listen()));
  },
};

export function toySettings(server: ToyServer, port: number): ToySettings & Readonly<Record<string, unknown>> {
  return { Server: `127.0.0.1:${port}`, Token: server.token, Nick: "rialto" };
}

function harnessOf(server: ToyServer, settings: Harness["settings"]): Harness {
  let people = 0;
  const fresh = (): ToyMember => {
    people += 1;
    return { id: `u${people}`, name: `guest${people}` };
  };
  return {
    settings,
    wrong: {
      auth: { ...settings, Token: "open-barley" },
      config: { ...settings, Server: "nowhere" },
      // Port 1 (tcpmux): nothing is listening there.
      unreachable: { ...settings, Server: "127.0.0.1:1" },
    },
    channels: [
      { name: "one", options: {} },
      { name: "two", options: {} },
    ],
    refused: { name: "closed", options: {} },
    secrets: [server.token],
    burst: 3_000,
    person: () => Promise.resolve(new ToyPerson(server, fresh)),
    cut: () => {
      server.cut();
      return Promise.resolve();
    },
    stall: () => {
      const flow = server.stall();
      return Promise.resolve(() => {
        flow();
        return Promise.resolve();
      });
    },
    settle: async () => await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
    dispose: async () => await server.stop(),
  };
}

/** Calls of the server: no socket, and no code of the adapter. */
export class ToyPerson implements Person {
  readonly #server: ToyServer;
  readonly #fresh: () => ToyMember;
  readonly #since = new Map<string, number>();
  #me: ToyMember;

  constructor(server: ToyServer, fresh: () => ToyMember) {
    this.#server = server;
    this.#fresh = fresh;
    this.#me = fresh();
  }

  get name(): string {
    return this.#me.name;
  }

  join({ name }: ChannelRequest): Promise<void> {
    this.#server.enter(name, this.#me.id, this.#me);
    this.#since.set(name, this.#server.messages(name).length);
    return Promise.resolve();
  }

  leave(channel: string, reason: string): Promise<void> {
    this.#server.leave(channel, this.#me.id, reason);
    return Promise.resolve();
  }

  async say(channel: string, text: string, style: Style = "normal"): Promise<void> {
    await this.#act({ do: "say", room: channel, text, style });
  }

  rename(): Promise<string> {
    const before = this.#me;
    this.#me = { id: before.id, name: this.#fresh().name };
    this.#server.rename(before, this.#me);
    return Promise.resolve(this.name);
  }

  async setTopic(channel: string, topic: string): Promise<void> {
    await this.#act({ do: "topic", room: channel, text: topic });
  }

  topic(channel: string): string {
    return this.#server.topic(channel);
  }

  kick(channel: string, name: string, reason: string): Promise<void> {
    this.#server.kick(channel, name, this.#me, reason);
    return Promise.resolve();
  }

  heard(channel: string): readonly Heard[] {
    return this.#server
      .messages(channel)
      .slice(this.#since.get(channel) ?? 0)
      .filter(({ by, gone }) => by.id !== this.#me.id && !gone)
      .map(heardOf);
  }

  /** Emoji that stand under what this person wrote. */
  standing(channel: string): readonly string[] {
    const own = this.#server.messages(channel).filter(({ by }) => by.id === this.#me.id);
    return own.flatMap(({ reactions }) => standing(reactions));
  }

  async write(channel: string, text: string, how: How = {}): Promise<Handle> {
    return await this.#act({ do: "say", room: channel, text, reply: how.reply ?? null });
  }

  async edit(channel: string, message: Handle, text: string): Promise<void> {
    await this.#act({ do: "edit", room: channel, id: message, text });
  }

  async erase(channel: string, message: Handle): Promise<void> {
    await this.#act({ do: "delete", room: channel, id: message });
  }

  async react(channel: string, message: Handle, emoji: string, on: boolean): Promise<void> {
    await this.#act({ do: "react", room: channel, id: message, emoji, on });
  }

  #act(request: ToyRequest): Promise<Handle> {
    const { error, id } = this.#server.act(this.#me.id, this.#me, request);
    if (error !== undefined) throw new Error(`a person cannot ${request.do}: ${error}`);
    return Promise.resolve(id ?? "");
  }
}

function heardOf({ id, by, text, style, reply, reactions }: ToyMessage): Heard {
  const heard = { by: by.name, text, style, handle: id, reactions: standing(reactions) };
  return reply === null ? heard : { ...heard, reply };
}

function standing(reactions: ToyMessage["reactions"]): readonly string[] {
  return Array.from(reactions).flatMap(([emoji, whose]) => (whose.size > 0 ? [emoji] : []));
}

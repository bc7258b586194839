import { MessageType } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import type { Network, Side, Standing } from "../hosted/network.ts";
import { byId } from "../servers/discord/clock.ts";
import { jumpIn } from "../servers/discord/markdown.ts";
import { addBot, addPerson, type Folk, giveRole } from "../servers/discord/people.ts";
import { FakeDiscord } from "../servers/discord/server.ts";
import type { AppRow, ChannelRow, GuildRow, MessageRow } from "../servers/discord/wire.ts";

/** How long the server keeps the nonce of a post. */
const NONCES_MS = 121_000;

const SAID: ReadonlySet<MessageType> = new Set([MessageType.Default, MessageType.Reply]);

const POST = {
  webhooks: { method: "POST", path: /^\/webhooks\/\d+\/[^/]+$/u },
  bot: { method: "POST", path: /^\/channels\/\d+\/messages$/u },
};
const CHANGE = {
  webhooks: /^\/webhooks\/\d+\/[^/]+\/messages\//u,
  bot: /^\/channels\/\d+\/messages\/\d+$/u,
};

/** With the right to make webhooks, or without. */
type Mode = keyof typeof POST;

export class DiscordSide implements Side {
  readonly server: FakeDiscord;
  readonly guild: GuildRow;
  readonly channel: ChannelRow;
  readonly alice: Folk;
  readonly app: AppRow;
  readonly asks: Side["asks"];
  readonly #mode: Mode;

  constructor(server: FakeDiscord, mode: Mode) {
    this.server = server;
    this.#mode = mode;
    this.guild = server.world.addGuild("Crew", server.world.addUser("owner"));
    this.channel = server.world.addChannel(this.guild, "town");
    this.alice = addPerson(server, this.guild, "alice");
    this.app = server.world.addApp("rialto");
    addBot(server, this.guild, this.app);
    if (mode === "webhooks") giveRole(server, this.guild, this.app.user, ["ManageWebhooks"]);
    this.asks = {
      post: POST[mode],
      edit: { method: "PATCH", path: CHANGE[mode] },
      delete: { method: "DELETE", path: CHANGE[mode] },
      react: { method: "PUT", path: /\/reactions\//u },
      file: POST[mode],
      history: { method: "GET", path: /^\/channels\/\d+\/messages$/u },
    };
  }

  get port(): number {
    return this.server.port;
  }

  get settings(): string {
    return `ApiURL = "${this.server.url}/v${this.server.sockets.version}"
Server = "Crew"
Token = "${this.secret}"
RemoteNickFormat = "${this.#mode === "webhooks" ? "{NICK}" : "<{NICK}> "}"`;
  }

  get secret(): string {
    return this.app.token;
  }

  /** Also in threads of the channel. */
  standing(): readonly Standing[] {
    const { channels, messages } = this.server.world;
    const { id } = this.channel;
    const isOurs = ({ wire }: MessageRow): boolean =>
      (wire.webhook_id === undefined ? wire.author.id : wire.application_id) === this.app.user.id;
    return [...messages.values()]
      .filter((row) => row.channel === id || channels.get(row.channel)?.parent === id)
      .filter((row) => isOurs(row) && SAID.has(row.wire.type))
      .sort(byId)
      .map(standingOf);
  }

  async say(text: string): Promise<string> {
    return await Promise.resolve(this.alice.say(this.channel, text).id);
  }

  async reply(to: string, text: string): Promise<void> {
    await Promise.resolve(this.alice.reply(this.#row(to), text));
  }

  edit(id: string, text: string): void {
    this.alice.edit(this.#row(id), text);
  }

  erase(id: string): void {
    this.alice.erase(this.#row(id));
  }

  react(id: string, emoji: string): void {
    this.alice.react(this.#row(id), emoji);
  }

  /** The one that is cut is still counted. */
  isBack(): boolean {
    return this.server.sockets.count > 1;
  }

  forget(): void {
    this.server.world.hub.forget();
  }

  forgetKeys(): void {
    this.server.world.clock.pass(NONCES_MS);
  }

  allow(perSecond: number): void {
    this.server.limits.set("POST /webhooks/:webhook/:token", perSecond, 1_000);
    this.server.limits.set("POST /channels/:channel/messages", perSecond, 1_000);
  }

  refuse(which: Parameters<Side["refuse"]>[0], seconds: number, times: number): void {
    // Of one too many, others are to blame; of all of them, the bot is.
    this.server.faults.limit(which, seconds, times === Infinity ? "global" : "shared", times);
  }

  refused(): number {
    return this.server.limits.refused;
  }

  free(): void {
    this.server.limits.off = true;
    this.server.world.slowsBots = false;
    this.server.faults.clear();
  }

  #row(id: string): MessageRow {
    const row = this.server.world.messages.get(id);
    if (row === undefined) throw new Error("there is no such message");
    return row;
  }
}

/** In `text` there is no name of whoever said it and no line of what it answers. */
function standingOf({ id, wire, reactions }: MessageRow): Standing {
  const jump = jumpIn(wire.content);
  return {
    id,
    text: (jump?.rest ?? wire.content).replace(/^\\?<\w+\\?> /u, ""),
    answers: wire.message_reference?.message_id ?? jump?.message ?? "",
    reactions: reactions.flatMap(({ emoji, users }) => Array.from(users, () => emoji.name ?? "")),
    files: wire.attachments.length,
  };
}

export const discord: Network<DiscordSide> = {
  protocol: "discord",
  modes: ["webhooks", "bot"],
  textMax: 2_000,
  found: async (mode, atEnd = onTestFinished) => {
    const server = await FakeDiscord.start();
    atEnd(async () => await server.stop());
    return new DiscordSide(server, mode === "bot" ? "bot" : "webhooks");
  },
};

/** A server that only resembles Discord; what is said there by bots goes without files and avatars. */
export const spacebar: Network<DiscordSide> = {
  ...discord,
  modes: ["webhooks"],
  found: async (_, atEnd = onTestFinished) => {
    const server = await FakeDiscord.start({ isSpacebar: true });
    atEnd(async () => await server.stop());
    return new DiscordSide(server, "webhooks");
  },
};

import { onTestFinished } from "vitest";
import type { Network, Side, Standing } from "../hosted/network.ts";
import { textOf } from "../servers/telegram/messages.ts";
import { addPerson, type Folk, install, seat, standing } from "../servers/telegram/people.ts";
import { FakeTelegram } from "../servers/telegram/server.ts";
import type { BotRow, ChatRow, MessageRow } from "../servers/telegram/wire.ts";
import { USUAL_RIGHTS } from "../servers/telegram/world.ts";

/** What Telegram calls emoji that others spell otherwise. */
const SPELLINGS: Readonly<Record<string, string>> = { "❤️": "❤" };

export class TelegramSide implements Side {
  readonly server: FakeTelegram;
  readonly chat: ChatRow;
  readonly alice: Folk;
  readonly bot: BotRow;
  readonly asks = {
    post: { method: "POST", path: /^\/sendMessage$/u },
    edit: { method: "POST", path: /^\/editMessageText$/u },
    delete: { method: "POST", path: /^\/deleteMessages?$/u },
    react: { method: "POST", path: /^\/setMessageReaction$/u },
    file: { method: "POST", path: /^\/sendDocument$/u },
    // There is none.
    history: { method: "GET", path: /^\/history$/u },
  };

  constructor(server: FakeTelegram) {
    this.server = server;
    this.alice = addPerson(server, "alice");
    this.chat = server.world.addSupergroup("Town", this.alice.user);
    this.bot = install(server, "rialto", [this.chat]);
    seat(this.chat, this.bot, USUAL_RIGHTS);
  }

  get port(): number {
    return this.server.port;
  }

  get address(): string {
    return String(this.chat.id);
  }

  get settings(): string {
    return `ApiURL = "${this.server.url}"
Token = "${this.secret}"
RemoteNickFormat = "<{NICK}> "`;
  }

  get secret(): string {
    return this.bot.token;
  }

  standing(): readonly Standing[] {
    return standing(this.chat)
      .filter(({ by }) => by === this.bot.user.id)
      .map((row) => standingOf(row, this.bot.user.id));
  }

  async say(text: string): Promise<string> {
    return await Promise.resolve(String(this.alice.say(this.chat, text).id));
  }

  async reply(to: string, text: string): Promise<void> {
    await Promise.resolve(this.alice.say(this.chat, text, { reply: this.#row(to) }));
  }

  edit(id: string, text: string): void {
    this.alice.edit(this.#row(id), text);
  }

  erase(id: string): void {
    this.alice.erase(this.#row(id));
  }

  react(id: string, emoji: string): void {
    this.alice.react(this.#row(id), SPELLINGS[emoji] ?? emoji);
  }

  isBack(): boolean {
    return this.server.isPolledAgain;
  }

  /** What nobody confirmed stays. */
  forget(): void {}

  /** There are none. */
  forgetKeys(): void {}

  allow(perSecond: number): void {
    this.server.limits.overall = { count: perSecond, ms: 1_000 };
  }

  refuse(which: Parameters<Side["refuse"]>[0], seconds: number, times: number): void {
    this.server.limit(which, Math.ceil(seconds), times);
  }

  /** Those that Rialto could foresee. The server frees posts one by one: others depend on when each one came. */
  refused(): number {
    return this.server.limits.impatient;
  }

  free(): void {
    this.server.limits.off();
    this.server.faults.clear();
  }

  #row(id: string): MessageRow {
    return this.server.world.message(this.chat, Number(id));
  }
}

function standingOf({ id, wire, reactions }: MessageRow, bot: number): Standing {
  return {
    id: String(id),
    text: textOf(wire).text.replace(/^<\w+> ?/u, ""),
    answers: wire.reply_to_message === undefined ? "" : String(wire.reply_to_message.message_id),
    reactions: (reactions.get(bot) ?? []).flatMap((one) => (one.type === "emoji" ? [one.emoji] : [])),
    files: wire.document === undefined ? 0 : 1,
  };
}

export const telegram: Network<TelegramSide> = {
  protocol: "telegram",
  modes: ["administrator"],
  textMax: 4_096,
  settles: false,
  tellsDeletions: false,
  found: async (_, atEnd = onTestFinished) => {
    const server = await FakeTelegram.start();
    atEnd(async () => await server.stop());
    return new TelegramSide(server);
  },
};

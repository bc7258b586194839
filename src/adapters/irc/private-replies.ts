import { Lru } from "../../lib/lru.ts";
import type { Clock } from "../../contract/host.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { ConnectionContext } from "./link.ts";
import { authorOf } from "./receive.ts";
import type { IrcSettings } from "./settings.ts";
import { parseCtcp } from "./wire/ctcp.ts";
import type { IrcLine } from "./wire/wire.ts";

/** A person gets one answer in so long. */
const REST_MS = 24 * 60 * 60_000;
/** People who are remembered, of one account. */
const PEOPLE_MAX = 1_000;
/** Answers in a window, to all people together. */
const REPLIES_MAX = 3;
const WINDOW_MS = 10_000;
/** Channels that an answer names. */
const CHANNELS_MAX = 3;

/** When people were answered, by the settings of an account, which stay the same over its connections. */
const answered = new WeakMap<object, Lru<string, number>>();

interface PrivateRepliesOptions {
  readonly link: Pick<ConnectionContext, "isMe" | "send">;
  readonly clock: Pick<Clock, "monoMs">;
  readonly settings: Pick<IrcSettings, "NickServNick">;
  /** The channels where we and somebody of this nick are. */
  readonly channelsOf: (nick: string) => readonly ChannelRef[];
}

/**
 * Tells people who write to the bot itself that no person reads it. The answer is a NOTICE, and no NOTICE, server,
 * service, bot or module of a bouncer gets one (RFC 2812, 3.3.2), so two programs never answer each other.
 */
export class PrivateReplies {
  readonly #options: PrivateRepliesOptions;
  readonly #people: Lru<string, number>;
  #repliedAtMs: readonly number[] = [];

  constructor(options: PrivateRepliesOptions) {
    this.#options = options;
    this.#people = answered.get(options.settings) ?? new Lru(PEOPLE_MAX);
    answered.set(options.settings, this.#people);
  }

  take(line: IrcLine): void {
    const { link, clock, channelsOf } = this.#options;
    const { source } = line;
    if (source === null || !this.#isForUs(line)) return;
    const { id, identity, bot = false } = authorOf(source, line.tags);
    if (bot || this.#isService(source.nick)) return;
    const person = identity ?? id;
    const now = clock.monoMs();
    if (now - (this.#people.get(person) ?? -Infinity) < REST_MS) return;
    this.#repliedAtMs = this.#repliedAtMs.filter((atMs) => now - atMs < WINDOW_MS);
    if (this.#repliedAtMs.length >= REPLIES_MAX) return;
    this.#repliedAtMs = [...this.#repliedAtMs, now];
    this.#people.set(person, now);
    const rooms = channelsOf(source.nick).slice(0, CHANNELS_MAX).join(" or ");
    const where = rooms === "" ? "a channel where you have seen it" : rooms;
    link.send("NOTICE", [source.nick, `${ABOUT} Please ask in ${where}.`]);
  }

  #isForUs({ command, params, source }: IrcLine): boolean {
    const [target = "", text = ""] = params;
    const { link } = this.#options;
    // A source without a user is a server.
    if (command !== "PRIVMSG" || source === null || source.user === "" || link.isMe(source.nick)) return false;
    const ctcp = parseCtcp(text);
    return link.isMe(target) && text.trim() !== "" && (ctcp === null || ctcp.command === "ACTION");
  }

  #isService(nick: string): boolean {
    const [own = ""] = this.#options.settings.NickServNick.split("@");
    return /^\*|serv$/iu.test(nick) || nick.toLowerCase() === own.toLowerCase();
  }
}

const ABOUT =
  "This is Rialto, a bridge between this network and others. Private messages to it are not relayed, and no person reads them.";

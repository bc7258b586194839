import type { Clock } from "../../../contract/host.ts";
import { taggedTimeMs } from "../receive.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcLine } from "../wire/wire.ts";

/** Servers of one network differ by less: a line may be older than our JOIN by this and still be said after it. */
const CLOCKS_DIFFER_MS = 10_000;
/** A bouncer that does not end its replay has ended it then. */
const REPLAY_MAX_MS = 60_000;
const REPLAYED: ReadonlySet<string> = new Set("PRIVMSG NOTICE TAGMSG REDACT JOIN PART KICK TOPIC MODE".split(" "));
/** What bouncers say of their own: no person can have such a nick. */
const BOUNCERS = [/^\*[^!]*!znc@znc\.in$/iu, /^-psybnc!psybnc@/iu, /^-bip!bip@/iu];
const BEGINS = /^Buffer Playback\.\.\.$/u;
const ENDS = /^Playback Complete\.$/u;
/** Channels whose JOIN is remembered: Rialto is in fewer. */
const CHANNELS_MAX = 1000;

/**
 * What a server or a bouncer replays on its own when we enter a channel, without a batch around it: lines of a time
 * before our JOIN, and lines between the marks of ZNC. Nothing of it is news, and it answers nothing.
 */
export class Replays {
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  /** When we entered each channel, by the server's clock; Unix milliseconds. */
  readonly #enteredAtMs = new Map<string, number>();
  /** Channels that a bouncer replays now, and when that is over at the latest. */
  readonly #endsAtMs = new Map<string, number>();

  constructor(link: ConnectionContext, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Takes each line that is in no batch of old ones; whether it is old, or said by a bouncer. */
  take(line: IrcLine): boolean {
    const { command, params, source } = line;
    if (source === null || !REPLAYED.has(command)) return false;
    const key = this.#link.key(params[0] ?? "");
    if (command === "JOIN" && this.#link.isMe(source.nick)) {
      if (this.#enteredAtMs.size >= CHANNELS_MAX) this.#enteredAtMs.clear();
      this.#enteredAtMs.set(key, taggedTimeMs(line.tags) ?? this.#clock.nowMs());
      this.#endsAtMs.delete(key);
      return false;
    }
    if (isBouncer(line)) {
      this.#mark(key, params[1] ?? "");
      return true;
    }
    const saidAtMs = taggedTimeMs(line.tags) ?? Infinity;
    const enteredAtMs = this.#enteredAtMs.get(key) ?? -Infinity;
    return saidAtMs < enteredAtMs - CLOCKS_DIFFER_MS || this.#clock.monoMs() < (this.#endsAtMs.get(key) ?? -Infinity);
  }

  #mark(key: string, text: string): void {
    if (BEGINS.test(text) && this.#enteredAtMs.has(key)) this.#endsAtMs.set(key, this.#clock.monoMs() + REPLAY_MAX_MS);
    if (ENDS.test(text)) this.#endsAtMs.delete(key);
  }
}

function isBouncer({ command, source }: IrcLine): boolean {
  if (source === null || (command !== "PRIVMSG" && command !== "NOTICE")) return false;
  const mask = `${source.nick}!${source.user}@${source.host}`;
  return BOUNCERS.some((pattern) => pattern.test(mask));
}

import type { Clock } from "../../contract/host.ts";
import { answerCtcp, parseCtcp } from "./wire/ctcp.ts";
import type { ConnectionContext } from "./link.ts";
import type { IrcLine } from "./wire/wire.ts";

const REPLIES_MAX = 3;
const WINDOW_MS = 10_000;

/** Answers CTCP requests, to us or to a channel: a few at a time, so that nobody makes us flood. */
export class CtcpReplies {
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  #repliedAtMs: number[] = [];

  constructor(link: ConnectionContext, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  take({ command, params, source }: IrcLine): void {
    const request = command === "PRIVMSG" ? parseCtcp(params[1] ?? "") : null;
    if (request === null || source === null || this.#link.isMe(source.nick)) return;
    const reply = answerCtcp(request);
    if (reply === null) return;
    const now = this.#clock.monoMs();
    this.#repliedAtMs = this.#repliedAtMs.filter((atMs) => now - atMs < WINDOW_MS);
    if (this.#repliedAtMs.length >= REPLIES_MAX) return;
    this.#repliedAtMs.push(now);
    this.#link.send("NOTICE", [source.nick, reply]);
  }
}

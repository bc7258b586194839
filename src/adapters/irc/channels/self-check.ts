import type { ChannelRef } from "../../../contract/ids.ts";
import type { Reason } from "../../../contract/outcome.ts";
import type { Channels } from "./channels.ts";
import { passesClientTag } from "../wire/isupport.ts";
import type { ConnectionContext } from "../link.ts";
import { nickOf } from "./members.ts";
import type { IrcLine } from "../wire/wire.ts";

const TAG = "rialto/check";

interface Check {
  readonly ref: ChannelRef;
  readonly key: string;
  /** What we sent; the answer to the PING after it ends the wait. */
  readonly step: "tagmsg" | "names";
  readonly ping: number;
  /** The TAGMSG was refused (we may not speak there): that it does not come back says nothing of the server. */
  readonly refused: boolean;
  /** The server has answered to NAMES, and not only read it. */
  readonly answered: boolean;
}

interface SelfCheckOptions {
  readonly link: ConnectionContext;
  readonly channels: Channels;
  /** A channel in which nothing was seen for so long is looked at. */
  readonly silentMs: number;
}

/**
 * Whether we are still in a channel where nobody says anything: a TAGMSG to it, which no person sees, must come back
 * (IRCv3 "Message Tags", "echo-message"). If it does not while the server answers, the list of names decides: we are
 * not in it, and the channel is lost; or we are, and this server does not show TAGMSG back, so nothing is checked any
 * more. Without such a list nothing is known.
 */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #now: Check | null = null;
  #count = 0;
  #useless = false;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  /** Looks at the quietest channel, when it is time; at one at once. */
  next(): void {
    const { link, channels, silentMs } = this.#options;
    const possible = link.has("echo-message") && link.has("message-tags") && passesClientTag(link.isupport, TAG);
    if (this.#useless || !possible || this.#now !== null) return;
    const ref = channels.quietest(silentMs);
    if (ref === null) return;
    this.#count += 1;
    link.send("TAGMSG", [ref], new Map([[`+${TAG}`, String(this.#count)]]));
    this.#now = { ref, key: link.key(ref), step: "tagmsg", ping: link.ping(), refused: false, answered: false };
  }

  /** Takes a line of the server's that may be the answer. */
  take({ command, params, source }: IrcLine): void {
    const { link } = this.#options;
    const now = this.#now;
    if (now === null) return;
    const seen =
      now.step === "tagmsg"
        ? command === "TAGMSG" && source !== null && link.isMe(source.nick) && link.key(params[0] ?? "") === now.key
        : command === "353" && link.key(params[2] ?? "") === now.key && this.#names(params[3] ?? "");
    if (seen) {
      this.#useless ||= now.step === "names" && !now.refused;
      this.#over(now);
    } else if (/^[45]\d\d$/u.test(command) && link.key(params[1] ?? "") === now.key) {
      this.#now =
        now.step === "tagmsg" ? { ...now, refused: true } : { ...now, answered: now.answered || NOT_IN.has(command) };
    } else if (now.step === "names" && command === "366" && link.key(params[1] ?? "") === now.key) {
      this.#now = { ...now, answered: true };
    } else if (command === "421" && params[1] === "TAGMSG") {
      this.#useless = true;
      this.#over(now);
    }
  }

  onPong(ping: number): void {
    const { link, channels } = this.#options;
    const now = this.#now;
    if (now === null || ping < now.ping) return;
    if (now.step === "tagmsg") {
      link.send("NAMES", [now.ref]);
      this.#now = { ...now, step: "names", ping: link.ping() };
      return;
    }
    this.#over(now);
    if (now.answered) channels.lose(now.key, GONE, 0);
  }

  #over({ ref }: Check): void {
    this.#now = null;
    this.#options.channels.touch(ref);
  }

  #names(names: string): boolean {
    const { link } = this.#options;
    return names.split(" ").some((name) => link.isMe(nickOf(name, link.isupport)));
  }
}

/** There is no such channel, or we are not in it. */
const NOT_IN: ReadonlySet<string> = new Set(["401", "403", "442"]);
const GONE: Reason = { code: "not_found", message: "the server says that Rialto is not in the channel" };

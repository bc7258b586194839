import type { Clock } from "../../../contract/host.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcLine } from "../wire/wire.ts";

const POLL_MS = 60_000;
/** From one try to the next, doubled each time: whoever gave us another nick may do so again. */
const TRY_MS = 30_000;
const TRY_MAX_MS = 60 * 60_000;

/**
 * Takes the wanted nick back once it is free: told by MONITOR where the server has it (IRCv3 "Monitor"), else asked for
 * each minute by ISON; at once when its holder is seen to leave it.
 */
export class NickKeeper {
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  readonly #wanted: string;
  #watching: "monitor" | "poll" | null = null;
  #cancel: (() => void) | null = null;
  #isOver = false;
  #tries = 0;
  #notBeforeMs = -Infinity;

  constructor(options: { readonly link: ConnectionContext; readonly clock: Clock; readonly wanted: string }) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.#wanted = options.wanted;
  }

  /** We are in, or our nick has changed. */
  look(): void {
    const needed = !this.#link.isMe(this.#wanted) && this.#wanted.length <= this.#longest();
    if (this.#isOver || needed === (this.#watching !== null)) return;
    if (needed) this.#watch();
    else this.#unwatch();
  }

  /** Takes a line of the server's, before what it says of our own nick is learned. */
  take({ command, params, source }: IrcLine): void {
    if (this.#watching === null) return;
    const leaves = (command === "QUIT" || command === "NICK") && source !== null && this.#is(source.nick);
    const offline =
      command === "731" && (params.at(-1) ?? "").split(",").some((mask) => this.#is(mask.split("!")[0] ?? ""));
    const absent = command === "303" && !(params.at(-1) ?? "").split(" ").some((nick) => this.#is(nick));
    if (leaves || offline || absent) this.#try();
    // MONITOR is refused, or unknown.
    else if ((command === "734" || (command === "421" && params[1] === "MONITOR")) && this.#watching === "monitor")
      this.#poll();
  }

  /** The session is over. */
  stop(): void {
    this.#isOver = true;
    this.#rest();
  }

  #watch(): void {
    if (this.#link.isupport.monitor === 0) {
      this.#poll();
      return;
    }
    this.#watching = "monitor";
    this.#link.send("MONITOR", ["+", this.#wanted]);
  }

  #poll(): void {
    this.#watching = "poll";
    this.#cancel?.();
    this.#cancel = this.#clock.after(POLL_MS, () => {
      this.#link.send("ISON", [this.#wanted]);
      this.#poll();
    });
  }

  #unwatch(): void {
    if (this.#watching === "monitor") this.#link.send("MONITOR", ["-", this.#wanted]);
    this.#rest();
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#watching = null;
  }

  #try(): void {
    const now = this.#clock.monoMs();
    if (now < this.#notBeforeMs) {
      // MONITOR tells it once: somebody has to remember.
      if (this.#watching === "monitor") this.#later(this.#notBeforeMs - now);
      return;
    }
    this.#notBeforeMs = now + Math.min(TRY_MS * 2 ** this.#tries, TRY_MAX_MS);
    this.#tries += 1;
    this.#link.send("NICK", [this.#wanted]);
  }

  #later(ms: number): void {
    this.#cancel ??= this.#clock.after(ms, () => {
      this.#cancel = null;
      this.#link.send("ISON", [this.#wanted]);
    });
  }

  /** A server that cuts nicks gives us never what we ask for. */
  #longest(): number {
    return Math.max(this.#link.isupport.nicklen, this.#link.nick.length);
  }

  #is(nick: string): boolean {
    return this.#link.key(nick) === this.#link.key(this.#wanted);
  }
}

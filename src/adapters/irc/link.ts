import { type Caps, NO_CAPS } from "./wire/caps.ts";
import { casefold } from "./wire/casemap.ts";
import type { Charset } from "./wire/charset.ts";
import type { IrcConnection } from "./wire/connection.ts";
import { type Isupport, NO_ISUPPORT } from "./wire/isupport.ts";
import type { Frame } from "./sending/parts.ts";
import type { Pacer } from "./sending/pacer.ts";
import type { Pings } from "./wire/pings.ts";
import { relayerOf, type Tags } from "./wire/tags.ts";
import { formatLine, type IrcLine, type LineSource, rawLine } from "./wire/wire.ts";

/** Some user names get a mark before them that USERLEN does not count. */
const USER_MIN = 10;
const HOST_MIN = 63;

/** What all parts of a session share: the way to the server, and what it has told of itself and of us. */
export class ConnectionContext {
  readonly pings: Pings;
  readonly pacer: Pacer;
  /** Who we are there now. */
  nick: string;
  isupport: Isupport = NO_ISUPPORT;
  caps: Caps = NO_CAPS;
  readonly #connection: IrcConnection;
  readonly #charset: Charset;
  #address: { readonly user: string; readonly host: string } | null = null;

  constructor(options: {
    readonly connection: IrcConnection;
    readonly charset: Charset;
    readonly pacer: Pacer;
    readonly pings: Pings;
    readonly nick: string;
  }) {
    this.#connection = options.connection;
    this.#charset = options.charset;
    this.pacer = options.pacer;
    this.pings = options.pings;
    this.nick = options.nick;
  }

  /** Writes a line now, whatever the pace: it is only charged. False when it cannot be a line. */
  send(command: string, params: readonly string[], tags?: Tags): boolean {
    const line = formatLine(command, params, tags);
    if (line === null) return false;
    this.pacer.charge();
    this.#write(line);
    return true;
  }

  /**
   * Writes lines that belong together, in one go, as one of the pace; the first one with this label. False, and nothing
   * is written, when one of them cannot be a line.
   */
  sendAll(frames: readonly Frame[], label: string | null): boolean {
    const lines: string[] = [];
    for (const [index, { command, params, tags }] of frames.entries()) {
      const labelled = label !== null && index === 0 ? new Map([["label", label], ...tags]) : tags;
      const line = formatLine(command, params, labelled);
      if (line === null) return false;
      lines.push(line);
    }
    this.pacer.spend();
    this.together(() => {
      for (const line of lines) this.#write(line);
    });
    return true;
  }

  /** A whole line of the operator's. */
  sendRaw(text: string): void {
    const line = rawLine(text);
    if (line === null) return;
    this.pacer.charge();
    this.#write(line);
  }

  /**
   * Sends a PING; its number. It has no place in the pace: it is short, and while it is unanswered little else leaves.
   */
  ping(): number {
    const { number, token } = this.pings.next();
    this.#write(`PING ${token}`);
    return number;
  }

  /** Lines that `write` sends leave in one go. */
  together(write: () => void): void {
    this.#connection.cork();
    try {
      write();
    } finally {
      this.#connection.uncork();
    }
  }

  #write(line: string): void {
    this.#connection.write(this.#charset.encode(`${line}\r\n`));
  }

  has(capability: string): boolean {
    return this.caps.enabled.has(capability);
  }

  /** Nicks and channels that are one have one key. */
  key(name: string): string {
    return casefold(this.isupport.casemapping, name);
  }

  isMe(nick: string): boolean {
    return this.key(nick) === this.key(this.nick);
  }

  /** Whether we have written it, under our own name or one that the server shows in its place. */
  isOurs({ source, tags }: Pick<IrcLine, "source" | "tags">): boolean {
    if (source === null) return false;
    const relayedBy = relayerOf(tags);
    return this.isMe(source.nick) || (relayedBy !== null && this.isMe(relayedBy));
  }

  /** Our `nick!user@host` as others see it; as long as it can be while we do not know it. */
  get prefix(): string {
    const { userlen, hostlen } = this.isupport;
    const user = this.#address?.user ?? "u".repeat(Math.max(USER_MIN, userlen));
    const host = this.#address?.host ?? "h".repeat(Math.max(HOST_MIN, hostlen));
    return `${this.nick}!${user}@${host}`;
  }

  /** Learns from a line of the server's what concerns us: our nick and our address. */
  learn(line: IrcLine): void {
    const { source, command, params } = line;
    if (command === "396" && this.#address !== null) {
      // RPL_HOSTHIDDEN: `<nick> <host> :is now your displayed host`; some servers write user@host.
      const shown = params[1] ?? "";
      const at = shown.indexOf("@");
      this.#address = { user: at === -1 ? this.#address.user : shown.slice(0, at), host: shown.slice(at + 1) };
    } else if (command === "302") {
      this.#learnUserhost(params.at(-1) ?? "");
    } else if (source !== null && this.isMe(source.nick)) {
      if (source.user !== "" && source.host !== "") this.#address = { user: source.user, host: source.host };
      if (command === "NICK" && params[0] !== undefined) this.nick = params[0];
      if (command === "CHGHOST") this.know({ nick: source.nick, user: params[0] ?? "", host: params[1] ?? "" });
    }
  }

  /** Our own `nick!user@host`, from wherever the server told it. */
  know({ user, host }: LineSource): void {
    if (user !== "" && host !== "") this.#address = { user, host };
  }

  /** RPL_USERHOST (RFC 2812 §4.8): `nick*=+user@host`; `*` for operators, `-` for those away. */
  #learnUserhost(text: string): void {
    const match = /^(?<nick>[^*=\s]+)\*?=[+-]?(?<user>[^@\s]+)@(?<host>\S+)/u.exec(text.trim());
    const { nick = "", user = "", host = "" } = match?.groups ?? {};
    if (this.isMe(nick)) this.know({ nick, user, host });
  }
}

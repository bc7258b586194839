import type { Host } from "../../../contract/host.ts";
import type { Ended } from "../../../contract/session.ts";
import { capsSettled, onCap, wantedCaps, withoutCaps } from "../wire/caps.ts";
import { banned, lost, misconfigured, needsLogin } from "../../kit/ends.ts";
import { quote } from "../quote.ts";
import { refusedBy } from "../ends.ts";
import { withIsupport } from "../wire/isupport.ts";
import type { ConnectionContext } from "../link.ts";
import { identOf, nextNick } from "./nick.ts";
import { SaslLogin } from "./sasl-login.ts";
import type { IrcSettings } from "../settings.ts";
import { type IrcLine, parseSource } from "../wire/wire.ts";

/** Shorter than the core waits, so that what we know is said. */
const REGISTRATION_MS = 50_000;
/** From the welcome to the end of the message of the day. */
const MOTD_MS = 30_000;
const NICKS_MAX = 10;
/** After so many the server may be cutting what tells them apart. */
const LONG_NICKS_MAX = 5;
/** Lines of `CAP` before the login; a list of capabilities takes a few. */
const CAP_LINES_MAX = 100;
/** Before the server has told its limit; no server takes less than RFC 2812 §1.2.1. */
const NICKLEN_MIN = 9;

export type RegistrationSettings = Pick<
  IrcSettings,
  | "Nick"
  | "UserName"
  | "RealName"
  | "Password"
  | "UseSASL"
  | "RequireSASL"
  | "NickServNick"
  | "NickServPassword"
  | "TLSClientCertificate"
  | "Server"
  | "UseTLS"
  | "UseRelayMsg"
>;

/** Servers that have answered without TLS since the start: as many as there are accounts. */
const knownPlain = new Set<string>();

/**
 * From the open socket to the end of the message of the day. Capabilities and SASL come first (`CAP LS` holds the
 * server up until `CAP END`), then the welcome, by which we have a nick, then what the server tells of itself (005).
 */
export class Registration {
  /** Null when we are in. */
  readonly done: Promise<Ended | null>;
  readonly #link: ConnectionContext;
  readonly #settings: RegistrationSettings;
  readonly #random: () => number;
  readonly #wanted: readonly string[];
  readonly #sasl: SaslLogin;
  readonly #cancels: (() => void)[] = [];
  readonly #clock: Host["clock"];
  readonly #log: Host["log"];
  readonly #resolve: (ended: Ended | null) => void;
  #stage: "caps" | "sasl" | "welcome" | "motd" | "done" = "caps";
  #nicks = 1;
  #capLines = 0;
  #isIn = false;
  #heard = false;

  constructor(options: {
    readonly link: ConnectionContext;
    readonly settings: RegistrationSettings;
    readonly host: Pick<Host, "clock" | "random" | "log">;
  }) {
    const { link, settings, host } = options;
    const done = Promise.withResolvers<Ended | null>();
    this.done = done.promise;
    this.#resolve = done.resolve;
    this.#link = link;
    this.#settings = settings;
    this.#random = host.random;
    this.#clock = host.clock;
    this.#log = host.log;
    this.#sasl = new SaslLogin({ link, settings, log: host.log });
    this.#wanted = wantedCaps({ sasl: this.#sasl.wanted, relay: settings.UseRelayMsg });
  }

  start(): void {
    const { Nick, UserName, RealName, Password } = this.#settings;
    const late = lost("timeout", "the server did not let Rialto in within 50 s");
    this.#cancels.push(this.#clock.after(REGISTRATION_MS, () => this.#end(this.#hinted(late))));
    this.#link.together(() => {
      this.#link.send("CAP", ["LS", "302"]);
      if (Password !== "") this.#link.send("PASS", [Password]);
      this.#link.send("NICK", [Nick]);
      // As the operator wants it: a bouncer may be told more by it than an ident.
      const user = UserName === "" ? identOf(Nick) : UserName;
      this.#link.send("USER", [user, "0", "*", RealName === "" ? Nick : RealName]);
    });
  }

  /** True as soon as `done` is null, which is told a little later: the next line may be here already. */
  get isIn(): boolean {
    return this.#isIn;
  }

  /** We are in without the login that was wanted. */
  get isLoginMissing(): boolean {
    return this.#sasl.skipped;
  }

  /** The connection ended meanwhile. */
  abandon(ended: Ended): void {
    this.#end(ended.why.code === "stopping" ? ended : this.#hinted(ended));
  }

  take(line: IrcLine): void {
    const { command, params } = line;
    this.#heard = true;
    if (!this.#settings.UseTLS) knownPlain.add(this.#settings.Server);
    const text = params.at(-1) ?? "";
    switch (command) {
      case "CAP":
        this.#onCap(params);
        break;
      case "AUTHENTICATE":
      case "900":
      case "902":
      case "903":
      case "904":
      case "905":
      case "906":
      case "907":
      case "908":
        this.#onSasl(line);
        break;
      case "421":
        if (params[1] === "CAP") this.#link.caps = withoutCaps();
        break;
      case "432":
        this.#end(
          misconfigured(`the server does not accept the nick ${quote(params[1] ?? "")}: ${quote(text)}; change Nick`),
        );
        break;
      case "433":
      case "436":
      case "437":
        this.#onNickTaken();
        break;
      case "464":
        this.#end(needsLogin(`the server's password is missing or wrong: ${quote(text)}; check Password`));
        break;
      case "465":
        this.#end(banned(`Rialto is banned from the server: ${quote(text)}`));
        break;
      case "ERROR":
        this.#end(refusedBy(text));
        break;
      case "FAIL":
        if (params[1] === "ACCOUNT_REQUIRED") this.#end(needsLogin(`${NEEDS_ACCOUNT}: ${quote(text)}; ${LOGIN}`));
        break;
      case "001":
        this.#onWelcome(params[0] ?? this.#link.nick, text);
        break;
      case "005":
        this.#link.isupport = withIsupport(this.#link.isupport, params);
        break;
      case "376":
      case "422":
        if (this.#stage === "motd") this.#end(null);
        break;
      default:
    }
  }

  #onCap(params: readonly string[]): void {
    this.#capLines += 1;
    if (this.#capLines > CAP_LINES_MAX) {
      this.#end(lost("remote_error", "the server lists capabilities without end"));
      return;
    }
    const { caps, requests } = onCap(this.#link.caps, params, this.#wanted);
    this.#link.caps = caps;
    for (const request of requests) this.#link.send("CAP", ["REQ", request]);
    if (this.#stage !== "caps" || !capsSettled(caps)) return;
    this.#stage = "sasl";
    this.#afterSasl(this.#sasl.start());
  }

  #onSasl(line: IrcLine): void {
    if (this.#stage === "sasl") this.#afterSasl(this.#sasl.take(line));
  }

  #afterSasl(result: "waiting" | "over" | Ended): void {
    if (result === "waiting") return;
    if (result !== "over") {
      this.#end(result);
      return;
    }
    this.#stage = "welcome";
    this.#link.send("CAP", ["END"]);
  }

  #onNickTaken(): void {
    if (this.#stage === "motd" || this.#stage === "done") return;
    if (this.#nicks > NICKS_MAX) {
      this.#end(lost("remote_error", "the nick and all the others that Rialto tried are taken"));
      return;
    }
    const { Nick } = this.#settings;
    const nicklen = this.#nicks > LONG_NICKS_MAX ? NICKLEN_MIN : Math.max(NICKLEN_MIN, Nick.length);
    this.#link.nick = nextNick(Nick, this.#nicks, nicklen, this.#random);
    this.#nicks += 1;
    this.#link.send("NICK", [this.#link.nick]);
  }

  #onWelcome(nick: string, text: string): void {
    if (this.#stage === "motd" || this.#stage === "done") return;
    if (this.#sasl.required && !this.#sasl.loggedIn) {
      // Let in without an answer to CAP: such a server has no SASL.
      const missing = this.#sasl.missing();
      if (missing !== "over") {
        this.#end(missing);
        return;
      }
    }
    this.#stage = "motd";
    this.#link.pacer.welcomed();
    this.#link.nick = nick;
    const { Nick } = this.#settings;
    if (!this.#link.isMe(Nick))
      this.#log.warn({ wanted: Nick, nick }, "the nick is taken or too long: Rialto uses another");
    // RFC 2812 §5.1 ends the welcome with nick!user@host, and many servers do.
    const own = parseSource(text.split(" ").at(-1) ?? "");
    if (this.#link.isMe(own.nick)) this.#link.know(own);
    this.#cancels.push(this.#clock.after(MOTD_MS, () => this.#end(null)));
  }

  /** A server that expects TLS answers nothing that we can read. */
  #hinted(ended: Ended): Ended {
    if (this.#heard || this.#settings.UseTLS || knownPlain.has(this.#settings.Server)) return ended;
    const { code, message } = ended.why;
    return {
      ...ended,
      why: { code, message: `${message} without sending anything; if this is a TLS port, set UseTLS = true` },
    };
  }

  #end(ended: Ended | null): void {
    // A bouncer may have taken Password for the login.
    const { accountRequired } = this.#link.isupport;
    if (ended === null && accountRequired && !this.#sasl.loggedIn && this.#settings.Password === "")
      this.#log.warn({}, `${NEEDS_ACCOUNT}, and Rialto has not logged in; ${LOGIN}`);
    this.#isIn ||= ended === null && this.#stage !== "done";
    this.#stage = "done";
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#resolve(ended);
  }
}

const NEEDS_ACCOUNT = "the server needs an account";
const LOGIN = "set UseSASL = true, NickServNick and NickServPassword";

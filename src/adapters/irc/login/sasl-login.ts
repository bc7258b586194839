import { randomBytes } from "node:crypto";
import type { AdapterLog } from "../../../contract/host.ts";
import type { Ended } from "../../../contract/session.ts";
import { lost, needsLogin } from "../../kit/ends.ts";
import { quote } from "../quote.ts";
import type { ConnectionContext } from "../link.ts";
import { ChunkReader, externalChunks, type IrcMechanism, plainChunks, scramChunks, takesMechanism } from "./sasl.ts";
import { type Prepared, saslprep } from "../../../lib/saslprep.ts";
import {
  scramError,
  type ScramFinal,
  scramFinal,
  scramProves,
  type ScramStart,
  scramStart,
} from "../../../lib/scram.ts";
import type { IrcSettings } from "../settings.ts";
import type { IrcLine } from "../wire/wire.ts";

type SaslSettings = Pick<
  IrcSettings,
  "UseSASL" | "RequireSASL" | "NickServNick" | "NickServPassword" | "TLSClientCertificate"
>;

/**
 * Logging in by SASL (IRCv3 "SASL Authentication"): EXTERNAL with a client certificate; with a password SCRAM-SHA-256
 * where it is offered, and PLAIN. One after the other, but a server that cannot prove to know the password does not get
 * it. Without UseSASL a certificate is tried, and the connection continues without it; it also does where the server
 * has no SASL at all, unless RequireSASL.
 */
export class SaslLogin {
  /** Whether the `sasl` capability is any use to us. */
  readonly wanted: boolean;
  /** Whether there is no going on without, where the server has it. */
  readonly required: boolean;
  loggedIn = false;
  /** The login was wanted, and the server has none. */
  skipped = false;
  readonly #link: ConnectionContext;
  readonly #settings: SaslSettings;
  readonly #log: AdapterLog;
  #left: IrcMechanism[] = [];
  #trying: IrcMechanism | null = null;
  readonly #chunks = new ChunkReader();
  /** SCRAM is under way. */
  #begun = false;
  #scram: ScramStart | null = null;
  #password: Prepared | null = null;
  #challenged = false;
  #final: ScramFinal | null = null;
  #proven = false;
  /** What the server has against our proof. */
  #refusal: string | null = null;
  /** Why SCRAM has no use for the name or the password. */
  #unfit: string | null = null;
  /** Why the server is not to be trusted with the password. */
  #distrust: string | null = null;

  constructor(options: {
    readonly link: ConnectionContext;
    readonly settings: SaslSettings;
    readonly log: AdapterLog;
  }) {
    this.#link = options.link;
    this.#settings = options.settings;
    this.#log = options.log;
    this.required = options.settings.UseSASL;
    this.wanted = this.required || options.settings.TLSClientCertificate !== "";
  }

  /** Once capabilities are agreed on: the first mechanism, if there is one. */
  start(): "waiting" | "over" | Ended {
    const { NickServPassword, TLSClientCertificate, UseSASL } = this.#settings;
    const offered = this.#link.caps.offered.get("sasl") ?? "";
    const ours: IrcMechanism[] = [];
    if (TLSClientCertificate !== "") ours.push("EXTERNAL");
    if (UseSASL && NickServPassword !== "") ours.push("SCRAM-SHA-256", "PLAIN");
    this.#left = this.#link.has("sasl") ? ours.filter((mechanism) => takesMechanism(offered, mechanism)) : [];
    if (this.#left.length === 0) return this.required ? this.missing() : "over";
    return this.#next();
  }

  take({ command, params }: IrcLine): "waiting" | "over" | Ended {
    switch (command) {
      case "AUTHENTICATE":
        this.#onChunk(params[0] ?? "");
        return "waiting";
      case "903":
        // Whoever lets us in without the proof may be anybody who wants what we would say next.
        if (this.#trying === "SCRAM-SHA-256" && !this.#proven) return this.#failed(UNPROVEN);
        this.loggedIn = true;
        return "over";
      case "907":
        this.loggedIn = true;
        return "over";
      case "902":
      case "904":
      case "905":
      case "906":
        return this.#failed(params.at(-1) ?? "");
      default:
        return "waiting";
    }
  }

  /** The server has no login of the kind we need. Without any, its services may only be down just now. */
  missing(): "over" | Ended {
    const said = "the server offers no SASL login";
    if (this.#link.caps.offered.has("sasl")) {
      return needsLogin(`${said} that Rialto can use; set UseSASL = false to log in by NickServ`);
    }
    if (this.#settings.RequireSASL) {
      return lost("remote_error", `${said}; its services may be down. If it has none, set RequireSASL = false`);
    }
    this.skipped = true;
    return "over";
  }

  #next(): "waiting" {
    this.#trying = this.#left.shift() ?? null;
    if (this.#trying !== null) this.#link.send("AUTHENTICATE", [this.#trying]);
    return "waiting";
  }

  #onChunk(chunk: string): void {
    const message = this.#chunks.take(chunk);
    const { NickServNick, NickServPassword } = this.#settings;
    if (message === null) return;
    if (this.#trying === "SCRAM-SHA-256") this.#onScram(message);
    else if (message === "" && this.#trying !== null) {
      this.#say(this.#trying === "PLAIN" ? plainChunks(NickServNick, NickServPassword) : externalChunks());
    }
  }

  #onScram(message: string): void {
    if (!this.#begun) {
      this.#begun = true;
      void this.#begin();
    } else if (this.#scram !== null && this.#password !== null && !this.#challenged) {
      // One is enough: each costs the time of some thousand hashes.
      this.#challenged = true;
      void this.#prove(this.#scram, message, this.#password);
    } else if (this.#final !== null && !this.#proven) {
      this.#refusal = scramError(message);
      this.#proven = scramProves(this.#final, message);
      if (this.#proven) this.#say(["+"]);
      else if (this.#refusal === null) this.#abort(UNPROVEN);
      else this.#say(["*"]);
    }
  }

  async #begin(): Promise<void> {
    const { NickServNick, NickServPassword } = this.#settings;
    const user = await saslprep(NickServNick);
    const password = await saslprep(NickServPassword);
    // As in `#prove`.
    if (!this.#begun) return;
    if (!user.ok) this.#skip("NickServNick", user.why);
    else if (!password.ok) this.#skip("NickServPassword", password.why);
    else {
      this.#password = password.text;
      this.#scram = scramStart("sha256", user.text, randomBytes(NONCE_BYTES).toString("base64"));
      this.#say(scramChunks(this.#scram.message));
    }
  }

  async #prove(start: ScramStart, challenge: string, password: Prepared): Promise<void> {
    const final = await scramFinal(start, challenge, password);
    // The server has refused it meanwhile, and something else may be tried already.
    if (this.#scram !== start) return;
    this.#final = final;
    if (this.#final === null) this.#abort("its challenge cannot be answered safely");
    else this.#say(scramChunks(this.#final.message));
  }

  #skip(setting: string, why: string): void {
    this.#unfit = `${setting} cannot be used to log in by SCRAM: ${why}`;
    this.#say(["*"]);
  }

  #abort(distrust: string): void {
    this.#distrust = distrust;
    this.#say(["*"]);
  }

  #say(chunks: readonly string[]): void {
    for (const chunk of chunks) this.#link.send("AUTHENTICATE", [chunk]);
  }

  #failed(text: string): "waiting" | "over" | Ended {
    const said = quote(this.#distrust ?? this.#refusal ?? text);
    this.#scram = null;
    this.#begun = false;
    const certain = this.#distrust === null && text !== UNPROVEN;
    const unfit = this.#unfit;
    this.#unfit = null;
    if (unfit === null) this.#log.info({ mechanism: this.#trying, server: said }, "SASL login failed");
    else this.#log.warn({ why: unfit }, "SCRAM cannot be used to log in");
    if (this.#left.length > 0 && certain && this.#refusal === null) return this.#next();
    if (!this.required) return "over";
    if (!certain) return needsLogin(`Rialto stopped the SCRAM login: ${said}; the password was not sent`);
    if (unfit !== null) return needsLogin(`${unfit}; change it on the network and here`);
    const check = this.#trying === "EXTERNAL" ? "TLSClientCertificate" : "NickServNick and NickServPassword";
    return needsLogin(`the server refuses the login: ${said}; check ${check}`);
  }
}

/** Chance of the cryptographic kind: nobody may guess it. */
const NONCE_BYTES = 18;
const UNPROVEN = "the server does not prove that it knows the password";

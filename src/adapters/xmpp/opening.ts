import type { Clock } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { lost, misconfigured, needsLogin, quote } from "../kit/ends.ts";
import { loginRefused } from "./ends.ts";
import { bareOf } from "./jid.ts";
import { chooseMechanism, type Credentials, type MechanismName, MECHANISMS } from "./login.ts";
import { NS } from "./ns.ts";
import { errorOf, readError } from "./requests.ts";
import { type XmppMechanism, mechanismOf } from "./sasl.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/**
 * How long the server may take for its header, and to give us an address. All else is within what opening a session may
 * take in all.
 */
const HEADER_MS = 20_000;
const BIND_MS = 30_000;

/** Of our only question before we are bound. */
const BIND_ID = "bind";

export type StreamOpened =
  /** `acks`: the server knows acknowledgements (XEP-0198). */
  { readonly ok: true; readonly jid: string; readonly acks: boolean } | { readonly ok: false; readonly ended: Ended };

interface OpeningOptions {
  readonly credentials: Credentials;
  /** Whether what we say is encrypted. */
  readonly secure: boolean;
  /** For people. */
  readonly place: string;
  readonly clock: Clock;
  /** Opens the stream, and opens it anew once we are logged in (RFC 6120 §6.4.6). */
  readonly openStream: () => void;
  readonly send: (element: Stanza) => void;
  readonly done: (opened: StreamOpened) => void;
}

/**
 * From the first header to our own address (RFC 6120 §§4.3, 6, 7). Steps: the server offers ways to log in (`offer`);
 * one is under way (`login`); the stream begins anew, and the server offers an address (`address`); we have asked for
 * one (`bind`); it is done, well or not (`over`). What comes at another step than its own is passed over. STARTTLS is
 * behind us already.
 */
export class Opening {
  readonly #options: OpeningOptions;
  #step: "offer" | "login" | "address" | "bind" | "over" = "offer";
  #mechanism: XmppMechanism | null = null;
  /** One challenge is enough: each may cost us a million hashes. */
  #challenged = false;
  #acks = false;
  #cancel: () => void = () => undefined;

  constructor(options: OpeningOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#step === "over") return;
    this.#limit(HEADER_MS);
    this.#options.openStream();
  }

  /** The server's header came. */
  opened(): void {
    this.#cancel();
  }

  stop(): void {
    this.#step = "over";
    this.#cancel();
  }

  take(element: Stanza): void {
    const isFeatures = element.is("features", NS.streams);
    if (this.#step === "offer" && isFeatures) this.#logIn(element);
    else if (this.#step === "login" && element.getNS() === NS.sasl) this.#hear(element);
    else if (this.#step === "address" && isFeatures) this.#bind(element);
    else if (this.#step === "bind" && element.is("iq") && attr(element, "id") === BIND_ID) this.#bound(element);
  }

  #logIn(features: Stanza): void {
    const { credentials, secure } = this.#options;
    const listed = child(features, "mechanisms", NS.sasl)?.getChildren("mechanism", NS.sasl) ?? [];
    const names = new Set(listed.map((each) => each.getText()));
    const offered = MECHANISMS.filter((name) => names.has(name));
    if (offered.length === 0) {
      const isTlsFirst = names.size === 0 && !secure && child(features, "starttls", NS.tls) !== undefined;
      this.#fail(misconfigured(isTlsFirst ? TLS_FIRST : NO_WAY));
      return;
    }
    const choice = chooseMechanism(offered, credentials, secure);
    if (!choice.ok) {
      this.#fail(misconfigured(choice.message));
      return;
    }
    this.#step = "login";
    this.#auth(choice.mechanism).catch(this.#stumbled);
  }

  async #auth(mechanism: MechanismName): Promise<void> {
    const made = await mechanismOf(mechanism, this.#options.credentials);
    if (this.#step !== "login") return;
    if (!made.ok) {
      this.#fail(misconfigured(made.message));
      return;
    }
    this.#mechanism = made.mechanism;
    this.#options.send(el("auth", { xmlns: NS.sasl, mechanism }, encoded(made.mechanism.first)));
  }

  #hear(element: Stanza): void {
    if (element.is("challenge")) this.#answer(decoded(element)).catch(this.#stumbled);
    else if (element.is("failure")) {
      const { condition, text } = readError(element, NS.sasl);
      this.#fail(loginRefused(condition, text));
    } else if (element.is("success")) {
      if (this.#mechanism?.proves(decoded(element)) !== true) {
        this.#fail(needsLogin("the server does not prove that it knows the password: it may be an impostor"));
        return;
      }
      this.#step = "address";
      this.begin();
    }
  }

  async #answer(challenge: string): Promise<void> {
    const isFirst = !this.#challenged;
    this.#challenged = true;
    const answer = isFirst ? await this.#mechanism?.answer(challenge) : null;
    // It may have been refused meanwhile.
    if (this.#step !== "login") return;
    if (answer === undefined || answer === null) this.#broken("the server's challenge cannot be answered");
    else this.#options.send(el("response", { xmlns: NS.sasl }, encoded(answer)));
  }

  #bind(features: Stanza): void {
    if (child(features, "bind", NS.bind) === undefined) {
      this.#broken("the server offers no address");
      return;
    }
    this.#acks = child(features, "sm", NS.sm) !== undefined;
    this.#step = "bind";
    this.#limit(BIND_MS);
    this.#options.send(el("iq", { type: "set", id: BIND_ID }, el("bind", { xmlns: NS.bind })));
  }

  #bound(iq: Stanza): void {
    const type = attr(iq, "type");
    const jid = childText(child(iq, "bind", NS.bind), "jid") ?? "";
    if (type === "error") this.#broken(errorOf(iq).condition);
    else if (type === "result" && jid === "") this.#broken("the server gives no address");
    else if (type === "result") {
      this.stop();
      const bare = bareOf(jid);
      this.#options.done({ ok: true, jid: bare.toLowerCase() + jid.slice(bare.length), acks: this.#acks });
    }
  }

  #limit(ms: number): void {
    const { clock, place } = this.#options;
    this.#cancel();
    this.#cancel = clock.after(ms, () => this.#fail(lost("timeout", `${place} does not answer`)));
  }

  /** A digest or a table of characters that this machine does not have. */
  readonly #stumbled = (error: unknown): void => {
    if (this.#step === "login") this.#broken(error instanceof Error ? error.message : String(error));
  };

  #broken(what: string): void {
    this.#fail(lost("remote_error", `logging in to ${this.#options.place} failed: ${quote(what)}`));
  }

  #fail(ended: Ended): void {
    this.stop();
    this.#options.done({ ok: false, ended });
  }
}

const NO_WAY = "the server offers no way to log in that Rialto supports";
const TLS_FIRST = "the server lets nobody log in without TLS; remove NoTLS and NoStartTLS";

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (element: Stanza): string => Buffer.from(element.getText(), "base64").toString();

import type { Socket } from "node:net";
import { client } from "@xmpp/client";
import type { Ended } from "../../contract/session.ts";
import { Acks } from "./acks.ts";
import { loginRefused, lost, misconfigured, needsLogin, quote, streamEnded } from "./ends.ts";
import { answerTo } from "./iq-answer.ts";
import { chooseMechanism, type Credentials, PlainMechanism, scramMechanism, type ServerProof } from "./login.ts";
import { NS } from "./ns.ts";
import { BoundedParser } from "./parser.ts";
import { readError } from "./requests.ts";
import { Wire } from "./wire.ts";
import { child, el, type Stanza } from "./xml.ts";

const SASL = "urn:ietf:params:xml:ns:xmpp-sasl";
/** The library's own limit for a stream to open. */
const OPEN_TIMEOUT_MS = 20_000;
/** A server that takes so little of what we send is as good as dead. */
const UNSENT_MAX = 8 * 1024 * 1024;

interface StreamOptions {
  readonly socket: Socket;
  readonly secure: boolean;
  readonly domain: string;
  /** For people. */
  readonly place: string;
  readonly credentials: Credentials;
}

/**
 * One stream over a socket that is connected and secured. The library reads XML, logs in and binds a resource; what of it would get in our
 * way is kept from it: its sockets, STARTTLS, SASL 2, stream management, errors of the stream, and above all reconnecting. Once we are
 * online it sees nothing any more, of what comes as of what we send. The stream has one end.
 */
export class Stream {
  readonly ended: Promise<Ended>;
  onStanza: (stanza: Stanza) => void = () => undefined;
  /** Something came. */
  onTraffic: () => void = () => undefined;
  readonly acks: Acks;
  readonly #options: StreamOptions;
  readonly #xmpp: ReturnType<typeof client>;
  readonly #wire: Wire;
  readonly #over = Promise.withResolvers<Ended>();
  #proof: ServerProof | null = null;
  #hasAcks = false;
  #isOnline = false;
  #isOver = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.ended = this.#over.promise;
    const { socket, domain, secure } = options;
    const wire = new Wire(socket, secure);
    this.#wire = wire;
    const xmpp = client({
      domain,
      timeout: OPEN_TIMEOUT_MS,
      credentials: async (authenticate, offered) => await this.#authenticate(authenticate, offered),
    });
    this.#xmpp = xmpp;
    this.acks = new Acks((nonza) => this.send(nonza));
    xmpp.reconnect.stop();
    useWire(xmpp, wire, {
      take: (element) => this.#take(element),
      // After its end, or after what is not XML, nothing more is read.
      onEnd: () => this.end(lost("network", `${options.place} closed the connection`)),
      onError: (error) => this.end(this.#failure(error)),
    });
    useMechanisms(xmpp, (proof) => (this.#proof = proof));
    xmpp.on("online", () => (this.#isOnline = true));
    xmpp.on("error", (error) => this.#onError(error));
    wire.on("data", () => this.onTraffic());
    wire.on("close", () => this.end(lost("network", `${options.place} closed the connection`)));
    wire.on("error", (error: Error) =>
      this.end(lost("network", `the connection to ${options.place} broke: ${quote(error.message)}`)),
    );
  }

  /** Whether what goes over it is encrypted. */
  get secure(): boolean {
    return this.#options.secure;
  }

  /** Where the server is; empty once the connection is gone. */
  get address(): string {
    return this.#options.socket.remoteAddress ?? "";
  }

  /** Our own full address; empty before the login. */
  get jid(): string {
    return this.#xmpp.jid?.toString() ?? "";
  }

  /** Opens the stream and logs in; null when that is done, or why it failed. */
  async begin(): Promise<Ended | null> {
    const started = this.#start().then(
      () => null,
      (error: unknown) => this.#failure(error),
    );
    const failure = await Promise.race([started, this.ended]);
    if (failure !== null) this.end(failure);
    else if (this.#hasAcks) this.acks.enable();
    return failure;
  }

  /** What the library's own `start` does, but with that one nobody would hear that we do not come online when the stream does not open. */
  async #start(): Promise<void> {
    const online = Promise.withResolvers<void>();
    online.promise.catch(() => undefined);
    this.#xmpp.once("online", () => online.resolve());
    this.#xmpp.once("error", online.reject);
    await this.#xmpp.connect("");
    await this.#xmpp.open({ domain: this.#options.domain });
    await online.promise;
  }

  /** Ignored after the end. */
  send(element: Stanza): void {
    if (this.#isOver) return;
    // Not through the library: it would keep each stanza until the server acknowledges it.
    this.#wire.write(element.toString());
    if (this.#wire.unsent > UNSENT_MAX)
      this.end(lost("network", `${this.#options.place} does not read what Rialto sends`));
  }

  pause(): void {
    this.#wire.pause();
  }

  resume(): void {
    this.#wire.resume();
  }

  /** Says goodbye; the server closes the connection then. */
  goodbye(): void {
    this.send(el("presence", { type: "unavailable" }));
    this.#wire.finish("</stream:stream>");
  }

  /** Ends it at once, for this reason; the first reason counts. */
  end(ended: Ended): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over.resolve(ended);
    this.#wire.destroy();
    // The library waits for these with timers of its own.
    this.#xmpp.parser?.emit("end");
    this.#wire.emit("close");
    this.#xmpp.emit("error", new Error("the stream has ended"));
  }

  /** Whether an element that came is not for the library. */
  #take(element: Stanza): boolean {
    if (this.#isOver) return true;
    if (element.is("error", NS.streams)) {
      const { condition, text } = readError(element, NS.streamErrors);
      this.end(streamEnded(condition, text, this.#options.place));
      return true;
    }
    if (element.getNS() === NS.sm) {
      this.acks.take(element);
      return true;
    }
    if (!this.#isOnline) {
      this.#look(element);
      return this.#isOver;
    }
    if (!STANZAS.has(element.name)) return true;
    this.acks.took();
    const answer = answerTo(element);
    if (answer !== null) this.send(answer);
    else this.onStanza(element);
    return true;
  }

  #look(element: Stanza): void {
    if (element.is("features", NS.streams)) {
      this.#hasAcks ||= child(element, "sm", NS.sm) !== undefined;
      for (const unwanted of UNWANTED) element.remove(unwanted.name, unwanted.namespace);
    } else if (element.is("success", SASL) && this.#proof?.(decode(element.getText())) === false) {
      this.end(needsLogin("the server does not prove that it knows the password: it may be an impostor"));
    }
  }

  async #authenticate(
    authenticate: (
      credentials: { username: string; password: string },
      mechanism: string,
      agent: Stanza,
    ) => Promise<void>,
    offered: readonly string[],
  ): Promise<void> {
    const { credentials, secure } = this.#options;
    const choice = chooseMechanism([...new Set(offered)], credentials, secure);
    if (!choice.ok) {
      this.end(misconfigured(choice.message));
      return;
    }
    const { user: username, password } = credentials;
    // Who we are counts only in SASL 2.
    await authenticate({ username, password }, choice.mechanism, el("user-agent", {}));
  }

  #failure(error: unknown): Ended {
    const { name, condition, text, message } = described(error);
    if (name === "SASLError" && condition.startsWith("SASL: "))
      return misconfigured("the server offers no way to log in that Rialto supports");
    if (name === "SASLError") return loginRefused(condition, text);
    if (name === "TimeoutError") return lost("timeout", `${this.#options.place} does not answer`);
    const what = this.#isOnline ? "the stream of" : "logging in to";
    return lost("remote_error", `${what} ${this.#options.place} failed: ${quote(condition || message)}`);
  }

  #onError(error: unknown): void {
    const { name } = described(error);
    // While we log in, `begin` has the error as well, and its own words for it.
    if (name === "SASLError" || this.#isOnline) this.end(this.#failure(error));
  }
}

const STANZAS: ReadonlySet<string> = new Set(["iq", "message", "presence"]);

/** Stream features that the library must not see. */
const UNWANTED = [
  { name: "starttls", namespace: NS.tls },
  { name: "authentication", namespace: "urn:xmpp:sasl:2" },
  { name: "sm", namespace: NS.sm },
];

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

function described(error: unknown): { name: string; condition: string; text: string; message: string } {
  const known = error instanceof Error ? error : new Error(String(error));
  const condition = "condition" in known && typeof known.condition === "string" ? known.condition : "";
  const text = "text" in known && typeof known.text === "string" ? known.text : "";
  return { name: known.name, condition, text, message: known.message };
}

/** What is done with what is read before the library has it. */
interface Reading {
  readonly take: (element: Stanza) => boolean;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** Makes our wire the library's only way to a server. Its types do not show how transports are made; its sources do (`connection-tcp`). */
function useWire(xmpp: ReturnType<typeof client>, wire: Wire, reading: Reading): void {
  type Transport = new () => { socketParameters(service?: string): unknown; Socket: unknown; Parser: unknown };
  const known = xmpp as unknown as { transports: Transport[] };
  const tcp = known.transports.find(({ prototype }) => {
    const parameters: unknown = (prototype as { socketParameters(service: string): unknown }).socketParameters(
      "xmpp://host:1",
    );
    return parameters !== undefined;
  });
  if (tcp === undefined) throw new Error("@xmpp/client has no transport over TCP");
  class Ours extends tcp {
    override socketParameters(): unknown {
      return {};
    }
  }
  Ours.prototype.Socket = function socket(): Wire {
    return wire;
  };
  Ours.prototype.Parser = class extends BoundedParser {
    override emit(event: string, ...values: unknown[]): boolean {
      if (event === "element" && reading.take(values[0] as Stanza)) return true;
      if (event === "end") reading.onEnd();
      if (event === "error") reading.onError(values[0]);
      // The library may have let go of this parser, and an error that nobody hears is thrown.
      return event === "error" && this.listenerCount(event) === 0 ? true : super.emit(event, ...values);
    }
  };
  known.transports = [Ours];
}

function useMechanisms(xmpp: ReturnType<typeof client>, onBegin: (proof: ServerProof) => void): void {
  const { saslFactory } = xmpp as unknown as { saslFactory: { readonly _mechs: { name: string; mech: unknown }[] } };
  const ours = (["SCRAM-SHA-256", "SCRAM-SHA-1"] as const).map((name) => ({
    name,
    mech: scramMechanism(name, onBegin),
  }));
  saslFactory._mechs.unshift(...ours, { name: "PLAIN", mech: PlainMechanism });
}

import type { Socket } from "node:net";
import type { Clock } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { Acks } from "./acks.ts";
import { lost, quote } from "../kit/ends.ts";
import { streamEnded } from "./ends.ts";
import { streamHeader } from "./header.ts";
import { answerTo } from "./iq-answer.ts";
import type { Credentials } from "./login.ts";
import { NS } from "./ns.ts";
import { type StreamOpened, Opening } from "./opening.ts";
import { BoundedParser } from "./parser.ts";
import { readError } from "./requests.ts";
import { Wire } from "./wire.ts";
import { el, type Stanza } from "./xml.ts";

/** A server that takes so little of what we send is as good as dead. */
const UNSENT_MAX = 8 * 1024 * 1024;

interface StreamOptions {
  readonly socket: Socket;
  readonly secure: boolean;
  readonly domain: string;
  /** For people. */
  readonly place: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** One stream over a socket that is connected and secured: it is opened, carries stanzas, and has one end. */
export class Stream {
  readonly ended: Promise<Ended>;
  onStanza: (stanza: Stanza) => void = () => undefined;
  /** Something came. */
  onTraffic: () => void = () => undefined;
  readonly acks: Acks;
  readonly #options: StreamOptions;
  readonly #wire: Wire;
  readonly #opening: Opening;
  readonly #opened = Promise.withResolvers<StreamOpened>();
  readonly #over = Promise.withResolvers<Ended>();
  #parser = new BoundedParser();
  #jid = "";
  #isOver = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.ended = this.#over.promise;
    this.#wire = new Wire(options.socket);
    this.acks = new Acks((nonza) => this.send(nonza));
    this.#opening = new Opening({
      ...options,
      openStream: () => this.#open(),
      send: (element) => this.send(element),
      done: (opened) => {
        if (opened.ok) this.#jid = opened.jid;
        this.#opened.resolve(opened);
      },
    });
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
    return this.#jid;
  }

  /** Opens the stream and logs in; null when that is done, or why it failed. */
  async begin(): Promise<Ended | null> {
    const { place } = this.#options;
    this.#wire.listen({
      onText: (text) => {
        this.onTraffic();
        this.#parser.write(text);
      },
      onClose: () => this.#closed(),
      onError: ({ message }) => this.end(lost("network", `the connection to ${place} broke: ${quote(message)}`)),
    });
    this.#opening.begin();
    const opened = await Promise.race([this.#opened.promise, this.ended]);
    if (!("ok" in opened)) return opened;
    if (opened.ok) {
      if (opened.acks) this.acks.enable();
      return null;
    }
    this.end(opened.ended);
    return await this.ended;
  }

  /** Ignored after the end. */
  send(element: Stanza): void {
    if (this.#isOver) return;
    this.#wire.write(element.toString());
    if (this.#wire.unsent > UNSENT_MAX)
      this.end(lost("network", `${this.#options.place} does not read what Rialto sends`));
  }

  /** What was sent has left. */
  get isClear(): boolean {
    return !this.#isOver && this.#wire.unsent === 0;
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
    this.#opening.stop();
    this.#parser.stop();
    this.#wire.destroy();
  }

  /** With a parser of its own: what stands behind the end of the login belongs to no stream. */
  #open(): void {
    this.#parser.stop();
    const parser = new BoundedParser();
    this.#parser = parser;
    parser.on("start", () => this.#opening.opened());
    parser.on("element", (element) => this.#take(element));
    parser.on("end", () => this.#closed());
    parser.on("error", ({ message }) => this.#fail(message));
    this.#wire.write(streamHeader(this.#options.domain));
  }

  #take(element: Stanza): void {
    if (element.is("error", NS.streams)) {
      const { condition, text } = readError(element, NS.streamErrors);
      this.end(streamEnded(condition, text, this.#options.place));
    } else if (element.getNS() === NS.sm) this.acks.take(element);
    else if (this.#jid === "") this.#opening.take(element);
    else if (STANZAS.has(element.name)) {
      this.acks.took();
      const answer = answerTo(element);
      if (answer !== null) this.send(answer);
      else this.onStanza(element);
    }
  }

  #closed(): void {
    this.end(lost("network", `${this.#options.place} closed the connection`));
  }

  #fail(message: string): void {
    const what = this.#jid === "" ? "logging in to" : "the stream of";
    this.end(lost("remote_error", `${what} ${this.#options.place} failed: ${quote(message)}`));
  }
}

const STANZAS: ReadonlySet<string> = new Set(["iq", "message", "presence"]);

import { xml } from "@xmpp/client";
import type { Stanza } from "./xml.ts";

/** The library's parser, which its types do not show at this place: elements in, one by one. */
interface LibraryParser {
  on(event: "element" | "start" | "end", listener: (element: Stanza) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  emit(event: string, ...values: unknown[]): boolean;
  listenerCount(event: string): number;
  write(text: string): void;
  onStartElement(name: string, attributes: Readonly<Record<string, string>>): void;
  onEndElement(name: string): void;
  onText(text: string): void;
}

const Parser = (xml as unknown as { readonly Parser: new () => LibraryParser }).Parser;

/** Characters that one stanza may have; servers allow some hundred KiB. */
const STANZA_MAX = 2 * 1024 * 1024;
/**
 * Elements within each other; what lies deeper is left out. To end the stream for it would let anybody in a room end it, and again whenever its
 * archive is read.
 */
const DEPTH_MAX = 64;

/** Reads a stream within limits. What is not XML, or too much, is an `error`, once, and nothing is read after it. */
export class BoundedParser extends Parser {
  #chars = 0;
  /** Read, and not given to the library: the rest of a tag, or a text whose end has not come. */
  #held: string[] = [];
  #inTag = false;
  #depth = 0;
  #over = false;

  override write(text: string): void {
    if (this.#over) return;
    this.#chars += text.length;
    const end = this.#endIn(text);
    if (end > 0) {
      const whole = this.#held.join("") + text.slice(0, end);
      this.#held = [];
      try {
        super.write(whole);
      } catch (error) {
        this.#fail(error instanceof Error ? error.message : String(error));
      }
    }
    const rest = text.slice(end);
    // Between stanzas there is only white space, which keeps connections alive.
    if (this.#depth > 1 || this.#inTag || rest.trim() !== "") this.#held.push(rest);
    else this.#chars -= rest.length;
    if (this.#chars > STANZA_MAX) this.#fail(`a stanza of more than ${STANZA_MAX} characters`);
  }

  /**
   * Up to where the library gets it: after the last `<`, and after the `>` of that. It looks for the end of a text or a value once for each
   * character when that end is not there yet, so it gets none without.
   */
  #endIn(text: string): number {
    const open = text.lastIndexOf("<");
    if (open === -1 && !this.#inTag) return 0;
    const close = text.indexOf(">", Math.max(open, 0));
    this.#inTag = close === -1;
    return close === -1 ? open + 1 : close + 1;
  }

  override onStartElement(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#over) return;
    if (this.#depth <= DEPTH_MAX) super.onStartElement(name, attributes);
  }

  override onText(text: string): void {
    // Between stanzas it has no meaning, and the library would keep all of it, for as long as the stream lasts.
    if (!this.#over && this.#depth !== 1 && this.#depth <= DEPTH_MAX) super.onText(text);
  }

  override onEndElement(name: string): void {
    if (this.#over) return;
    this.#depth -= 1;
    if (this.#depth <= 1) this.#chars = 0;
    if (this.#depth < DEPTH_MAX) super.onEndElement(name);
  }

  #fail(message: string): void {
    if (this.#over) return;
    this.#over = true;
    this.emit("error", new Error(message));
  }
}

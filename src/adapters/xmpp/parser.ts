import { EventEmitter } from "node:events";
import Element from "ltx/lib/Element.js";
import Tokens from "ltx/lib/parsers/ltx.js";
import type { Stanza } from "./xml.ts";

/** Characters that one stanza may have; servers allow some hundred KiB. */
const STANZA_MAX = 2 * 1024 * 1024;
/** Characters of one tag with its attributes, of which an address has 3071 at most (RFC 7622 §3.1). */
const TAG_MAX = 64 * 1024;
/**
 * Elements within each other; what lies deeper is left out. To end the stream for it would let anybody in a room end
 * it, and again whenever its archive is read.
 */
const DEPTH_MAX = 64;
/** Elements of one stanza; what follows is left out in the same way. Each takes a hundred times its four characters. */
const ELEMENTS_MAX = 20_000;

/** `start` and `end` are those of the stream, an `element` is what stands in it at the first level. */
interface ParserEvents {
  readonly start: [];
  readonly element: [Stanza];
  readonly end: [];
  readonly error: [Error];
}

/**
 * Reads one stream within limits. What is not XML, or too much, is an `error`, once; nothing is read after it, nor
 * after the end.
 */
export class BoundedParser extends EventEmitter<ParserEvents> {
  readonly #tokens = new Tokens();
  #chars = 0;
  /** Read, and not given to the library: the rest of a tag, or a text whose end has not come. */
  #held: string[] = [];
  #inTag = false;
  /** Of the tag whose end has not come. */
  #tagChars = 0;
  #depth = 0;
  #elements = 0;
  /** At which depth the element stands that is left out; null: none is. */
  #leftOutAt: number | null = null;
  /** The stream's own element. It names the namespaces, and holds nothing. */
  #root: Stanza | null = null;
  /** The element whose end has not come. */
  #open: Stanza | null = null;
  #over = false;

  constructor() {
    super();
    this.#tokens.on("startElement", (name: string, attributes: Record<string, string>) =>
      this.#start(name, attributes),
    );
    this.#tokens.on("endElement", (name: string) => this.#end(name));
    this.#tokens.on("text", (text: string) => this.#text(text));
  }

  /** Nothing more is read. */
  stop(): void {
    this.#over = true;
    this.#held = [];
  }

  write(text: string): void {
    if (this.#over) return;
    this.#chars += text.length;
    const end = this.#endIn(text);
    if (end > 0) {
      const whole = this.#held.join("") + text.slice(0, end);
      this.#held = [];
      try {
        this.#tokens.write(whole);
      } catch (error) {
        this.#fail(error instanceof Error ? error.message : String(error));
      }
    }
    const rest = text.slice(end);
    // Between stanzas there is only white space, which keeps connections alive.
    if (this.#depth > 1 || this.#inTag || rest.trim() !== "") this.#held.push(rest);
    else this.#chars -= rest.length;
    if (this.#chars > STANZA_MAX) this.#fail(`a stanza of more than ${STANZA_MAX} characters`);
    if (this.#tagChars > TAG_MAX) this.#fail(`a tag of more than ${TAG_MAX} characters`);
  }

  /**
   * Up to where the library gets it: after the last `<`, and after the `>` of that. It looks for the end of a text or a
   * value once for each character when that end is not there yet, so it gets none without.
   */
  #endIn(text: string): number {
    const open = text.lastIndexOf("<");
    if (open === -1 && !this.#inTag) return 0;
    const close = text.indexOf(">", Math.max(open, 0));
    this.#inTag = close === -1;
    const before = open === -1 ? this.#tagChars : 0;
    this.#tagChars = this.#inTag ? before + text.length - Math.max(open, 0) : 0;
    return close === -1 ? open + 1 : close + 1;
  }

  #start(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    this.#elements += 1;
    if (this.#over) return;
    if (this.#depth > DEPTH_MAX || this.#elements > ELEMENTS_MAX) this.#leftOutAt ??= this.#depth;
    if (this.#leftOutAt !== null) return;
    const element = new Element(name, attributes);
    const above = this.#open;
    this.#open = element;
    if (above === null) {
      this.#root = element;
      this.emit("start");
    } else if (above === this.#root) {
      // For its namespace. The root itself keeps no stanza: it lasts as long as the stream.
      element.parent = above;
    } else above.append(element);
  }

  #text(text: string): void {
    // Between stanzas it has no meaning, and would be kept for as long as the stream lasts.
    if (this.#over || this.#depth === 1 || this.#leftOutAt !== null) return;
    if (this.#open === null) this.#fail(`${text} must be a child.`);
    else this.#open.t(text);
  }

  #end(name: string): void {
    if (this.#over) return;
    const isLeftOut = this.#leftOutAt !== null;
    if (this.#leftOutAt === this.#depth) this.#leftOutAt = null;
    this.#depth -= 1;
    if (this.#depth <= 1) [this.#chars, this.#elements] = [0, 0];
    if (isLeftOut) return;
    const element = this.#open;
    if (element?.name !== name) {
      this.#fail(element === null ? `${name} was not opened.` : `${element.name} must be closed.`);
      return;
    }
    this.#open = element.parent;
    if (element === this.#root) {
      this.stop();
      this.emit("end");
    } else if (element.parent === this.#root) this.emit("element", element);
  }

  #fail(message: string): void {
    if (this.#over) return;
    this.stop();
    this.emit("error", new Error(message));
  }
}

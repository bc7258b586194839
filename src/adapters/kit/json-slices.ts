/** Characters that are parsed in one go; a text of no more is harmless. */
export const SLICE_CHARS = 64 * 1024;
/** Arrays and objects within each other; what lies deeper is parsed with the one around it, in one go … */
const DEPTH_MAX = 64;
/** … and has no more characters: people can send what is nested as deep as their message is long. */
const DEEP_CHARS_MAX = 512 * 1024;
/** Values of one text: in memory each takes many times the two characters that a server needs for it. */
const VALUES_MAX = 1_000_000;

/** An array or an object whose end has not come. */
interface Frame {
  readonly isArray: boolean;
  readonly from: number;
  /** What was parsed of it; null while all of it may be parsed with what is around it. */
  value: unknown[] | Record<string, unknown> | null;
  /** Where the members begin that are not parsed yet, and where the last of them begins. */
  run: number;
  member: number;
  /** Of the member that is parsed apart, in an object. */
  key: string;
  /** The last member was parsed apart: only white space may follow it. */
  isApart: boolean;
}

/** A text that is no JSON, or too much of it. */
class Refused extends Error {}

/** Parses a large text in steps, each of which takes a few milliseconds at most. The result is that of `JSON.parse`. */
export class JsonSlices {
  readonly #text: string;
  readonly #sliceChars: number;
  readonly #stack: Frame[] = [];
  #at = 0;
  /** How many more arrays and objects than `DEPTH_MAX` are open. */
  #deep = 0;
  #values = 0;
  #value: unknown = undefined;

  constructor(text: string, sliceChars = SLICE_CHARS) {
    this.#text = text;
    this.#sliceChars = sliceChars;
  }

  /** Undefined while `step` has not come to the end, and for what is no JSON, or too much of it. */
  get value(): unknown {
    return this.#value;
  }

  /** True: there is more to do. */
  step(): boolean {
    try {
      const until = Math.min(this.#at + this.#sliceChars, this.#text.length);
      do this.#read();
      while (this.#at < until);
      if (this.#at < this.#text.length) return true;
      if (this.#stack.length > 0) throw new Refused();
    } catch {
      this.#value = undefined;
    }
    return false;
  }

  /** One character, or a string as a whole. */
  #read(): void {
    const at = this.#at;
    this.#at += 1;
    switch (this.#text.charCodeAt(at)) {
      case 0x22:
        this.#at = this.#endOfString(at);
        break;
      case 0x5b:
      case 0x7b:
        this.#open(at);
        break;
      case 0x5d:
      case 0x7d:
        if (this.#deep > 0) this.#deep -= 1;
        else this.#close(at);
        break;
      case 0x2c:
        this.#count();
        if (this.#deep === 0) this.#comma(at);
        break;
      default:
    }
  }

  #endOfString(at: number): number {
    for (let end = this.#text.indexOf('"', at + 1); end !== -1; end = this.#text.indexOf('"', end + 1)) {
      let before = end - 1;
      while (this.#text.charAt(before) === "\\") before -= 1;
      if ((end - before) % 2 === 1) return end + 1;
    }
    throw new Refused();
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > VALUES_MAX) throw new Refused();
  }

  #open(at: number): void {
    this.#count();
    if (this.#stack.length === 0) this.#mustBeBlank(0, at);
    if (this.#stack.length === DEPTH_MAX) {
      this.#deep += 1;
      if (at - (this.#stack.at(-1)?.run ?? 0) > DEEP_CHARS_MAX) throw new Refused();
      return;
    }
    const isArray = this.#text.charAt(at) === "[";
    this.#stack.push({ isArray, from: at, value: null, run: at + 1, member: at + 1, key: "", isApart: false });
  }

  #comma(at: number): void {
    const frame = this.#stack.at(-1);
    if (frame === undefined) throw new Refused();
    if (frame.isApart) {
      this.#mustBeBlank(frame.run, at);
      frame.isApart = false;
      frame.run = at + 1;
    } else if (at - frame.run > this.#sliceChars) {
      this.#take(this.#stack.length - 1, at);
      frame.run = at + 1;
    }
    frame.member = at + 1;
  }

  #close(at: number): void {
    const depth = this.#stack.length - 1;
    const frame = this.#stack[depth];
    if (frame?.isArray !== (this.#text.charAt(at) === "]")) throw new Refused();
    if (frame.isApart) this.#mustBeBlank(frame.run, at);
    else if (frame.value !== null) this.#take(depth, at);
    this.#stack.pop();
    const above = this.#stack.at(-1);
    if (above === undefined) {
      this.#value = frame.value ?? JSON.parse(this.#text.slice(frame.from, at + 1));
      this.#mustBeBlank(at + 1, this.#text.length);
      this.#at = this.#text.length;
    } else if (frame.value !== null) {
      add(above, above.key, frame.value);
      above.isApart = true;
      above.run = at + 1;
    }
  }

  /** Parses the members of a frame up to `end`. Its own place in the frames around it is settled by that. */
  #take(depth: number, end: number): void {
    const frame = this.#stack[depth];
    if (frame === undefined) return;
    this.#setApart(depth);
    const members = this.#text.slice(frame.run, end);
    if (isBlank(members)) throw new Refused();
    const some = entriesOf(frame.isArray ? `[${members}]` : `{${members}}`);
    for (const [key, value] of some) add(frame, key, value);
  }

  /** What comes before the frame in those around it is parsed; they get the frame itself when it closes. */
  #setApart(depth: number): void {
    const frame = this.#stack[depth];
    if (frame === undefined || frame.value !== null) return;
    frame.value = frame.isArray ? [] : {};
    const above = this.#stack[depth - 1];
    if (above === undefined) return;
    if (above.member > above.run) this.#take(depth - 1, above.member - 1);
    else this.#setApart(depth - 1);
    const before = this.#text.slice(above.member, frame.from);
    if (above.isArray && !isBlank(before)) throw new Refused();
    if (!above.isArray) [[above.key] = ["", 0]] = entriesOf(`{${before}0}`);
  }

  #mustBeBlank(from: number, to: number): void {
    if (!isBlank(this.#text.slice(from, to))) throw new Refused();
  }
}

function entriesOf(text: string): readonly (readonly [string, unknown])[] {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const isBlank = (text: string): boolean => /^[ \t\r\n]*$/u.test(text);

/** As `JSON.parse` does it: `__proto__` is a key like others. */
function add({ value }: Frame, key: string, member: unknown): void {
  if (Array.isArray(value)) value.push(member);
  else if (value !== null)
    Object.defineProperty(value, key, { value: member, writable: true, enumerable: true, configurable: true });
}

import { EscapedText, opensEscape } from "./escapes.ts";
import { isObject } from "./shapes.ts";

/** Shorter ones are part of every other line: to hide them would hide nothing but the text. */
export const SECRET_MIN = 4;

const MARK = "[secret]";

/** A node of the tree of all forms in which secrets are looked for: a step for each character (code point). */
interface Node {
  readonly steps: Map<number, Node>;
  /** Here a form ends. `wide`: it is a part of something encoded, all of which goes. */
  ends: "plain" | "wide" | null;
}

/** A form that stands somewhere in a text. */
interface Found {
  readonly end: number;
  readonly wide: boolean;
}

/** Ways to read one place that are followed at the same time. */
const WAYS_MAX = 32;
/** Size of the table by which most places of a text are passed over. */
const PAIRS = 0x1_0000;

/**
 * Takes secrets out of texts: as they are, escaped in JSON, in HTML or in an address, character by character in
 * whatever mixture, in hex and in base64, also within something longer (the login of SASL PLAIN holds the name before
 * the password).
 */
export class Scrubber {
  readonly #known = new Set<string>();
  readonly #root: Node = { steps: new Map(), ends: null };
  /** Which two code units may begin a form, so that a text is looked through once, whatever the number of secrets. */
  readonly #pairs = new Uint8Array(PAIRS);

  constructor(secrets: readonly string[] = []) {
    this.learn(secrets);
  }

  get hasSecrets(): boolean {
    return this.#known.size > 0;
  }

  /** More of them; what is known stays so. Those below SECRET_MIN characters are not scrubbed. */
  learn(secrets: readonly string[]): void {
    for (const secret of secrets) {
      if (secret.length < SECRET_MIN || this.#known.has(secret)) continue;
      this.#known.add(secret);
      for (const form of new Set([secret, secret.toWellFormed(), ...inHex(secret)])) this.#put(form, "plain");
      for (const form of inBase64(secret)) this.#put(form, "wide");
    }
  }

  /** The text with `[secret]` in the place of each of them. */
  readonly clean = (text: string): string => {
    if (this.#known.size === 0) return text;
    const escaped = new EscapedText(text);
    let out = "";
    let from = 0;
    // The end of what is to go and has not been cut out yet: secrets may overlap.
    let start = -1;
    let end = -1;
    for (let at = 0; at + 1 < text.length; at += 1) {
      const found = this.#mayBegin(text, at) ? this.#formAt(escaped, at) : null;
      if (found === null) continue;
      const cut = found.wide ? widened(text, escaped, { at, end: found.end, from }) : { at, end: found.end };
      if (start !== -1 && cut.at > end) {
        out += text.slice(from, start) + MARK;
        from = end;
        start = -1;
      }
      start = start === -1 ? Math.max(cut.at, from) : Math.min(start, Math.max(cut.at, from));
      end = Math.max(end, cut.end);
    }
    return start === -1 ? text : out + text.slice(from, start) + MARK + text.slice(end);
  };

  /** Plain data with `clean` texts; keys stay. */
  cleanAll<T>(value: T): T {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same data, of which only texts are others
    return this.#cleanOf(value) as T;
  }

  #cleanOf(value: unknown): unknown {
    if (typeof value === "string") return this.clean(value);
    if (Array.isArray(value)) return value.map((each) => this.#cleanOf(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#cleanOf(each)]));
  }

  #put(form: string, ends: "plain" | "wide"): void {
    if (form.length < SECRET_MIN) return;
    let node = this.#root;
    for (const character of form) {
      const code = character.codePointAt(0) ?? 0;
      const next = node.steps.get(code) ?? { steps: new Map<number, Node>(), ends: null };
      node.steps.set(code, next);
      node = next;
    }
    node.ends = ends;
    this.#pairs[pairAt(form, 0)] = 1;
  }

  /** Quick, and right whenever it says no. */
  #mayBegin(text: string, at: number): boolean {
    return (
      this.#pairs[pairAt(text, at)] === 1 || opensEscape(text.charCodeAt(at)) || opensEscape(text.charCodeAt(at + 1))
    );
  }

  /** The longest form that stands here, however it is escaped. */
  #formAt(text: EscapedText, at: number): Found | null {
    let found: Found | null = null;
    let ways: { readonly node: Node; readonly at: number }[] = [{ node: this.#root, at }];
    while (ways.length > 0) {
      const next: typeof ways = [];
      for (const way of ways) {
        for (const { code, end } of text.readings(way.at)) {
          const node = way.node.steps.get(code);
          if (node === undefined || next.length >= WAYS_MAX) continue;
          if (next.some((known) => known.node === node && known.at === end)) continue;
          next.push({ node, at: end });
          if (node.ends !== null && end > (found?.end ?? -1)) found = { end, wide: node.ends === "wide" };
        }
      }
      ways = next;
    }
    return found;
  }
}

const pairAt = (text: string, at: number): number => (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) % PAIRS;

const BYTES = ["utf8", "latin1"] as const;

function inHex(secret: string): readonly string[] {
  return BYTES.flatMap((encoding) => {
    const hex = Buffer.from(secret, encoding).toString("hex");
    return [hex, hex.toUpperCase()];
  });
}

/** In base64, also of what was escaped before: OAuth puts names and passwords into addresses and both into base64. */
function inBase64(secret: string): ReadonlySet<string> {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replaceAll(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const texts = [secret, component, strict, strict.replaceAll("%20", "+"), JSON.stringify(secret).slice(1, -1)];
  return new Set(texts.flatMap((text) => BYTES.flatMap((encoding) => asBase64(Buffer.from(text, encoding)))));
}

/**
 * What base64 makes of these bytes after 0, 1 and 2 others, without the characters that are shared with what stands
 * beside them.
 */
function asBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const first = Math.ceil((before * 8) / 6);
    const core = whole.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** What is encoded together with a secret: a part of it is in the characters on both sides. */
function widened(
  text: string,
  escaped: EscapedText,
  { at, end, from }: { readonly at: number; readonly end: number; readonly from: number },
): { readonly at: number; readonly end: number } {
  let left = at;
  while (left > from && BASE64.test(text.charAt(left - 1))) left -= 1;
  let right = end;
  for (;;) {
    const next = escaped.readings(right).findLast(({ code }) => BASE64.test(String.fromCodePoint(code)));
    if (next === undefined) return { at: left, end: right };
    right = next.end;
  }
}

const BASE64 = /^[A-Za-z0-9+/=_-]$/u;

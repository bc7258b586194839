/** Shorter ones are part of every other line: to hide them would hide nothing but the text. */
export const SECRET_MIN = 4;

const MARK = "[secret]";

/** How a secret may look in a text. `wide`: it is a part of something encoded, all of which goes. */
interface Form {
  readonly text: string;
  readonly wide: boolean;
}

/**
 * Takes secrets out of texts, in the forms in which programs repeat them: as they are, escaped in JSON, in HTML or in an address, and in base64, also
 * within something longer (the login of SASL PLAIN holds the name before the password).
 */
export class Scrubber {
  readonly #known = new Set<string>();
  /** By the first two code units, so that a text is looked through once, whatever the number of secrets. */
  readonly #forms = new Map<number, Form[]>();

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
      for (const form of formsOf(secret)) this.#put(form);
    }
    // The longest one that fits counts.
    for (const forms of this.#forms.values()) forms.sort((a, b) => b.text.length - a.text.length);
  }

  /** The text with `[secret]` in the place of each of them. */
  readonly clean = (text: string): string => {
    if (this.#known.size === 0) return text;
    let out = "";
    let from = 0;
    // The end of what is to go and has not been cut out yet: secrets may overlap.
    let start = -1;
    let end = -1;
    for (let at = 0; at + 1 < text.length; at += 1) {
      const form = this.#formAt(text, at);
      if (form === null) continue;
      const found = form.wide ? widened(text, at, at + form.text.length, from) : { at, end: at + form.text.length };
      if (start !== -1 && found.at > end) {
        out += text.slice(from, start) + MARK;
        from = end;
        start = -1;
      }
      start = start === -1 ? Math.max(found.at, from) : Math.min(start, Math.max(found.at, from));
      end = Math.max(end, found.end);
    }
    return start === -1 ? text : out + text.slice(from, start) + MARK + text.slice(end);
  };

  /** Plain data with `clean` texts; keys stay. */
  readonly cleanAll = <T>(value: T): T => {
    if (typeof value === "string") return this.clean(value) as T;
    if (Array.isArray(value)) return value.map(this.cleanAll) as T;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.cleanAll(each)])) as T;
  };

  #put(form: Form): void {
    const key = keyAt(form.text, 0);
    const forms = this.#forms.get(key);
    if (forms === undefined) this.#forms.set(key, [form]);
    else forms.push(form);
  }

  #formAt(text: string, at: number): Form | null {
    const forms = this.#forms.get(keyAt(text, at));
    return forms?.find((form) => text.startsWith(form.text, at)) ?? null;
  }
}

const keyAt = (text: string, at: number): number => text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);

function formsOf(secret: string): readonly Form[] {
  const written = [secret, ...inAddresses(secret), ...inHtml(secret)];
  // Twice: an answer in JSON that is quoted in a line of JSON.
  const plain = new Set(written.flatMap((text) => [text, inJson(text), inJson(inJson(text))]));
  const encoded = new Set(["utf8", "latin1"].flatMap((encoding) => inBase64(Buffer.from(secret, encoding as "utf8"))));
  const forms = (texts: ReadonlySet<string>, wide: boolean): readonly Form[] =>
    [...texts].filter(({ length }) => length >= SECRET_MIN).map((text) => ({ text, wide }));
  return [...forms(plain, false), ...forms(encoded, true)];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Percent-encoded, as much as is usual and as much as is possible, also in lower case; and as in forms. */
function inAddresses(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const component = encodeURIComponent(text);
  const strict = component.replaceAll(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const upper = [encodeURI(text), component, strict, strict.replaceAll("%20", "+")];
  return [...upper, ...upper.map((form) => form.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()))];
}

function inHtml(secret: string): readonly string[] {
  const text = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // Not everybody escapes what need not be.
  const both = (texts: readonly string[], sign: string, as: string): readonly string[] =>
    texts.flatMap((each) => [each, each.replaceAll(sign, as)]);
  const quoted = both(both([text], ">", "&gt;"), '"', "&quot;");
  return [...quoted, ...["&#39;", "&#x27;", "&apos;"].flatMap((sign) => quoted.map((it) => it.replaceAll("'", sign)))];
}

/** What base64 makes of these bytes behind 0, 1 and 2 others, without the characters that are shared with what stands beside them. */
function inBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const first = Math.ceil((before * 8) / 6);
    const core = whole.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** What is encoded together with a secret: a part of it is in the characters on both sides. */
function widened(text: string, at: number, end: number, from: number): { readonly at: number; readonly end: number } {
  let left = at;
  while (left > from && BASE64.test(text.charAt(left - 1))) left -= 1;
  let right = end;
  while (BASE64.test(text.charAt(right))) right += 1;
  return { at: left, end: right };
}

const BASE64 = /^[A-Za-z0-9+/=_-]$/u;

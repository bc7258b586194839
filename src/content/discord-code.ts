/** Code of a Discord text: a block between two fences, which may begin and end within lines, or a span. */
interface DiscordCodeFound {
  readonly is: "block" | "span";
  readonly end: number;
  readonly text: string;
  readonly lang: string | null;
}

const FENCE = "```";
const LANG = /([\w+#.-]{1,64})\n/y;

/** Finds the code of one text, in time proportional to it when it is asked from the beginning to the end. */
export class DiscordCode {
  readonly #text: string;
  /** Runs of one and of two backticks, the last first, once somebody asks. */
  #ticks: ReadonlyMap<number, number[]> | null = null;
  /** The first fence at or behind a place. */
  #fence: { readonly from: number; readonly at: number } | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** What begins with the backtick at a place and ends before `to`; null: nothing does. */
  at(place: number, to: number = this.#text.length): DiscordCodeFound | null {
    const length = ticksAt(this.#text, place);
    if (length >= FENCE.length) return this.#block(place, to);
    const closers = this.#closers(length);
    for (let close = closers.at(-1); close !== undefined; close = closers.at(-1)) {
      if (close >= place + length) {
        if (close + length > to) return null;
        const text = trimmed(this.#text.slice(place + length, close));
        return { is: "span", end: close + length, text, lang: null };
      }
      closers.pop();
    }
    return null;
  }

  #block(place: number, to: number): DiscordCodeFound | null {
    LANG.lastIndex = place + FENCE.length;
    const lang = LANG.exec(this.#text)?.[1] ?? null;
    const named = lang === null ? null : this.#content(LANG.lastIndex, to);
    if (named !== null) return { ...named, lang };
    return this.#content(place + FENCE.length, to);
  }

  #content(from: number, to: number): DiscordCodeFound | null {
    let begin = from;
    while (this.#text.charCodeAt(begin) === LINE) begin += 1;
    const close = begin >= to ? -1 : this.#fenceFrom(begin);
    if (close <= begin || close + FENCE.length > to) return null;
    let end = close;
    while (end > begin && this.#text.charCodeAt(end - 1) === LINE) end -= 1;
    return { is: "block", end: close + FENCE.length, text: this.#text.slice(begin, end), lang: null };
  }

  #fenceFrom(place: number): number {
    const known = this.#fence;
    if (known !== null && place >= known.from && (known.at === -1 || place <= known.at)) return known.at;
    const at = this.#text.indexOf(FENCE, place);
    this.#fence = { from: place, at };
    return at;
  }

  #closers(length: number): number[] {
    if (this.#ticks === null) {
      const all = new Map<number, number[]>([
        [1, []],
        [2, []],
      ]);
      for (const { index, 0: run } of this.#text.matchAll(/`+/g)) all.get(run.length)?.push(index);
      for (const places of all.values()) places.reverse();
      this.#ticks = all;
    }
    return this.#ticks.get(length) ?? [];
  }
}

const LINE = 0x0a;

function ticksAt(text: string, place: number): number {
  let end = place;
  while (end < place + FENCE.length && text.charAt(end) === "`") end += 1;
  return end - place;
}

/** The space that parts a backtick at its edge from the marks is none of it. */
function trimmed(text: string): string {
  const begin = /^ +`/.test(text) ? 1 : 0;
  return text.slice(begin, /` +$/.test(text.slice(-64)) ? -1 : undefined);
}

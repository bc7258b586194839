/**
 * Where a pattern matches next, for questions in the order of the text: each part of the text is looked through once,
 * however many questions there are.
 */
export class NextMatch {
  readonly #pattern: RegExp;
  readonly #text: string;
  #next = -1;

  /** `pattern`: with the flag `g`. */
  constructor(pattern: RegExp, text: string) {
    this.#pattern = pattern;
    this.#text = text;
  }

  /** The first place from `at` on, or the end of the text. */
  from(at: number): number {
    if (this.#next < at) {
      this.#pattern.lastIndex = at;
      this.#next = this.#pattern.exec(this.#text)?.index ?? this.#text.length;
    }
    return this.#next;
  }
}

const TRAILING = new Set(".,:;\"']");

/** Where an address ends that begins at a place, for Discord; `at`: none begins there. */
export function endOfDiscordUrl(text: string, at: number, to: number = text.length): number {
  const scheme = /https?:\/\//iy;
  scheme.lastIndex = at;
  if (!scheme.test(text)) return at;
  const begin = scheme.lastIndex;
  let end = begin;
  let open = 0;
  for (; end < to && /^[^\s<]$/.test(text.charAt(end)); end += 1) {
    const char = text.charAt(end);
    if (char === "(") open += 1;
    if (char === ")") open -= 1;
  }
  for (; end > begin; end -= 1) {
    const char = text.charAt(end - 1);
    if (char === ")" && open < 0) open += 1;
    else if (!TRAILING.has(char)) break;
  }
  return end > begin ? end : at;
}

export interface DiscordTarget {
  readonly href: string;
  readonly end: number;
}

const TARGET =
  /\(\s{0,8}(?:<(?<quiet>https?:\/\/[^\s<>]{1,2000})>|(?<bare>https?:\/\/(?:[^\s()<>\\]|\([^\s()<>\\]{0,500}\)){1,2000}))(?:\s{1,8}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?\s{0,8}\)/iy;

/** The address of a masked link: what is in the parentheses that begin at a place. */
export function targetAt(text: string, at: number): DiscordTarget | null {
  TARGET.lastIndex = at;
  const groups = TARGET.exec(text)?.groups;
  const href = groups?.["quiet"] ?? groups?.["bare"];
  return href === undefined ? null : { href, end: TARGET.lastIndex };
}

const QUIET = /<(?<href>https?:\/\/[^\s<>]{1,2000})>/iy;

/** An address between `<` and `>`, which gets no preview. */
export function quietUrlAt(text: string, at: number): DiscordTarget | null {
  QUIET.lastIndex = at;
  const href = QUIET.exec(text)?.groups?.["href"];
  return href === undefined ? null : { href, end: QUIET.lastIndex };
}

/** Where the bracket is that closes each other one. */
export function bracketsIn(text: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const { index, 0: sign } of text.matchAll(/\\[^]|[[\]]/g)) {
    if (sign === "[") open.push(index);
    const begin = sign === "]" ? open.pop() : undefined;
    if (begin !== undefined) pairs.set(begin, index);
  }
  return pairs;
}

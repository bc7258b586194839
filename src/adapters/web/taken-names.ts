import type { LinkedChannels } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import { skeleton } from "./look-alikes.ts";

/** Names of those who look after a room, of Rialto, and words that call everybody. */
const RESERVED: readonly string[] = [
  "admin",
  "administrator",
  "moderator",
  "operator",
  "system",
  "bridge",
  "bot",
  "guest",
  "web chat",
  "rialto",
  "all",
  "channel",
  "everyone",
  "here",
  "room",
];
const KNOWN_MAX = 20_000;

/** A label at the end or at the beginning of a name, and what sets it off: `ann (irc)`, `ann | irc`, `[irc] ann`. */
const TAGS: readonly RegExp[] = [
  /^(?<name>.*[\p{L}\p{N}].*?)\s*[\p{Ps}<@/|:·•~]\s*(?<tag>[^\p{Ps}<@/|:·•~]*[\p{L}\p{N}])[^\p{L}\p{N}]*$/u,
  /^[^\p{L}\p{N}]*(?<tag>[\p{L}\p{N}][^\p{Pe}>/|:·•~]*?)\s*[\p{Pe}>/|:·•~]\s*(?<name>.*[\p{L}\p{N}].*)$/u,
];

/** What names of guests must not look like. */
export class TakenNames {
  readonly #looks: ReadonlySet<string>;
  readonly #labels: ReadonlySet<string>;

  /** `others`: further names. */
  constructor({ people, labels }: Pick<LinkedChannels, "people" | "labels">, others: readonly string[]) {
    this.#labels = new Set([...RESERVED, ...labels].flatMap(looksOf));
    this.#looks = new Set([...this.#labels, ...[...people, ...others].flatMap(looksOf)]);
  }

  has(name: string): boolean {
    const looks = looksOf(name);
    return looks.length === 0 || looks.some((look) => this.#looks.has(look));
  }

  /** The name without the label that it ends or begins with; null: it has none. */
  withoutLabel(name: string): string | null {
    for (const pattern of TAGS) {
      const { name: rest = "", tag = "" } = pattern.exec(name)?.groups ?? {};
      if (rest !== "" && looksOf(tag).some((look) => this.#labels.has(look))) return rest.trim();
    }
    return null;
  }
}

const known = new Lru<string, readonly string[]>(KNOWN_MAX);

/** As it is, and without signs around it, as in `@ann`. Pure; the people of a room are asked for again and again. */
export function looksOf(name: string): readonly string[] {
  const found = known.get(name);
  if (found !== undefined) return found;
  const bare = name.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  const looks = [...new Set([skeleton(name), skeleton(bare)])].filter((look) => look !== "");
  known.set(name, looks);
  return looks;
}

import type { SharedFile } from "../../src/contract/content.ts";
import type { PostDraft } from "../../src/contract/ops.ts";
import type { Loss } from "../../src/contract/outcome.ts";
import type { FakeTraits } from "./fake-script.ts";
import type { FakeRoom } from "./fake-room.ts";
import { readAloud } from "./texts.ts";

/** One message of the fake network. */
interface Part {
  /** With the author before it. */
  readonly text: string;
  /** What comes natively with it. */
  readonly file: SharedFile | null;
}

/**
 * The messages a post makes on the fake network: the author before each, no text longer than `textMax` code points, or
 * what the room takes.
 */
export function partsOf(
  { author, body, textMax: roomMax }: PostDraft,
  { textMax, ops }: Pick<FakeTraits, "textMax" | "ops">,
): { readonly parts: readonly Part[]; readonly losses: readonly Loss[] } {
  const before = clean(author?.shown ?? "", " ");
  const isNative = ({ id }: SharedFile): boolean => ops === "native" && id !== null;
  const inWords = body.files.filter((file) => !isNative(file));
  const rows = [...clean(readAloud(body.blocks), "\n").split("\n"), ...inWords.map(fileLine)];
  const room = Math.max(1, (roomMax ?? textMax) - Array.from(before).length);
  const lines = rows
    .filter((row) => row.trim() !== "")
    .flatMap((row) => pieces(row, room).map((piece): Part => ({ text: before + piece, file: null })));
  const natives = body.files.filter(isNative).map((file): Part => {
    return { text: before + clean(file.comment, " "), file };
  });
  const homeless = inWords.filter(({ url }) => url === null);
  return {
    parts: [...lines, ...natives],
    losses: homeless.map(({ name }) => ({ what: "file", note: `${name} has no address` })),
  };
}

function fileLine({ name, comment, url }: SharedFile): string {
  return clean([comment, url ?? `(file ${name}, which has no public address)`].filter(Boolean).join(" "), " ");
}

/** Whom a text alerts, as far as it may: people in the room behind an `@`, and all of them behind `@everyone`. */
export function alertsOf(text: string, { mayPing }: Pick<PostDraft, "mayPing">, { people }: FakeRoom): Set<string> {
  if (mayPing.everyone && /@everyone\b/u.test(text)) return new Set(people);
  return new Set(mayPing.users ? [...people].filter((name) => text.includes(`@${name}`)) : []);
}

/** Line breaks of all kinds become `line`; other control characters go. */
function clean(text: string, line: " " | "\n"): string {
  return text
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/gu, line)
    .replaceAll(/\p{Cc}/gu, (char) => (char === "\n" ? "\n" : ""));
}

/** Splits at the last space that fits, or hard, never inside a code point. */
function pieces(row: string, max: number): readonly string[] {
  const rest = Array.from(row);
  const found: string[] = [];
  while (rest.length > max) {
    const space = rest.lastIndexOf(" ", max);
    found.push(rest.splice(0, space > 0 ? space : max).join(""));
    while (rest[0] === " ") rest.shift();
  }
  return rest.length === 0 ? found : [...found, rest.join("")];
}

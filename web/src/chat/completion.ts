import { signal } from "@preact/signals";
import { members } from "./people.ts";
import { blocks } from "./state.ts";

interface Suggestion {
  /** What stands for what was typed. */
  readonly text: string;
  readonly label: string;
}

interface Completion {
  readonly options: readonly Suggestion[];
  readonly chosen: number;
  /** Where what it completes begins. */
  readonly from: number;
}

export const completion = signal<Completion | null>(null);

const OPTIONS_MAX = 8;
const TOKEN = /(?:^|[\s(])(?<token>:[a-z0-9_+-]{2,30}|@[\p{L}\p{N}_.-]{0,30})$/u;
const WHOLE = /:(?<name>[a-z0-9_+-]{2,30}):$/u;

/** More than a token has: a long text is not searched as a whole. */
const TAIL = 64;

/** For what stands before the cursor. The table of emoji comes when the first is asked for. */
export async function suggest(before: string, isCurrent: () => boolean): Promise<void> {
  const token = TOKEN.exec(before.slice(-TAIL))?.groups?.["token"];
  if (token === undefined) {
    completion.value = null;
    return;
  }
  const options = token.startsWith("@") ? people(token.slice(1)) : await emoji(token.slice(1));
  if (!isCurrent()) return;
  completion.value = options.length === 0 ? null : { options, chosen: 0, from: before.length - token.length };
}

/** `:tada:`, typed whole: what stands for it. */
export async function wholeEmoji(before: string): Promise<{ readonly from: number; readonly text: string } | null> {
  const name = WHOLE.exec(before.slice(-TAIL))?.groups?.["name"];
  if (name === undefined) return null;
  const { EMOJI } = await import("./emoji.ts");
  const text = EMOJI.get(name);
  return text === undefined ? null : { from: before.length - name.length - 2, text };
}

export function choose(step: number): void {
  const { value } = completion;
  if (value === null) return;
  const { length } = value.options;
  completion.value = { ...value, chosen: (value.chosen + step + length) % length };
}

function people(begin: string): readonly Suggestion[] {
  const wanted = begin.toLowerCase();
  // Also those who have spoken on networks that do not list their members.
  const speakers = blocks.value.flatMap(({ messages }) => messages.map(({ author }) => author)).toReversed();
  const all = [...members.value, ...speakers.filter(({ network }) => network !== "")];
  const byName = new Map(all.toReversed().map((person) => [person.name, person]));
  return [...byName.values()]
    .filter(({ name, mine }) => !mine && name.toLowerCase().startsWith(wanted))
    .toReversed()
    .slice(0, OPTIONS_MAX)
    .map(({ name, network }) => ({ text: `@${name} `, label: network === "" ? name : `${name} · ${network}` }));
}

async function emoji(begin: string): Promise<readonly Suggestion[]> {
  const { EMOJI } = await import("./emoji.ts");
  const all = [...EMOJI];
  const first = all.filter(([name]) => name.startsWith(begin));
  const others = all.filter(([name]) => !name.startsWith(begin) && name.includes(begin));
  return [...first, ...others]
    .slice(0, OPTIONS_MAX)
    .map(([name, text]) => ({ text: `${text} `, label: `${text} ${name}` }));
}

import { REMOTE } from "../harness.ts";
import { verdict, wordsOf } from "../lines.ts";
import type { Account } from "./contents.ts";
import { ACCOUNT_OF, type Crowd } from "./crowd.ts";

/** What became of one round. */
export interface Findings {
  readonly accepted: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly disordered: readonly string[];
  /** Missing on IRC, and known as unconfirmed. */
  readonly missing: number;
  readonly unconfirmed: number;
  /** Given to the program that polls after later ones, because an answer broke on its way. */
  readonly late: number;
  /** Given to it again because the machine that gave it the last answer could not note that. */
  readonly again: number;
  /** Said on IRC while nobody of ours was there. */
  readonly unheard: number;
  /** Posts without a key that were not answered. */
  readonly unanswered: number;
  /** Longest silence of each account, in ms. */
  readonly pauses: Readonly<Record<string, number>>;
  /** Whatever else is not as it should be. */
  readonly wrong: readonly string[];
}

/** Holds what was said against what was heard, and against the log. */
export function judge(crowd: Crowd, { accepted, unconfirmed, refused }: Account): Findings {
  const { round } = crowd;
  const faults = { lost: [] as string[], doubled: [] as string[], disordered: [] as string[] };
  const unheard = new Set<string>();
  let missing = 0;
  let late = 0;
  const sources = [
    ...crowd.posters.map(({ name, said, unanswered }) => ({ name, said, unanswered })),
    ...REMOTE.map((name) => ({ name, said: crowd.said[name], unanswered: new Set<number>() })),
  ];
  for (const { name, said, unanswered } of sources) {
    for (const ear of crowd.ears.filter(({ network }) => network !== name)) {
      const found = verdict(said, ear.of(name));
      const words = (n: number): string => wordsOf({ round, from: name, n });
      const show = (n: number): string => `${name}→${ear.network} ${words(n)}`;
      for (const n of found.lost) {
        if (name === "irc" && !accepted.has(words(n))) unheard.add(words(n));
        else if (ear.network === "irc" && unconfirmed.has(`irc ${words(n)}`)) missing += 1;
        else if (!unanswered.has(n) || accepted.has(words(n))) faults.lost.push(show(n));
      }
      faults.doubled.push(...found.doubled.map(show));
      // What was not answered may be stored whenever the program gets to it.
      const disordered = found.disordered.filter((n) => !unanswered.has(n));
      late += disordered.filter((n) => ear.late.has(`${name}-${n}`)).length;
      faults.disordered.push(...disordered.filter((n) => !ear.late.has(`${name}-${n}`)).map(show));
    }
  }
  const pauses = crowd.ears.map(({ network, longestMs }) => [ACCOUNT_OF[network], longestMs] as const);
  return {
    accepted: crowd.accepted,
    ...faults,
    missing,
    late,
    again: crowd.again,
    unconfirmed: unconfirmed.size,
    unheard: unheard.size,
    unanswered: crowd.posters.reduce((sum, one) => sum + one.unanswered.size, 0),
    pauses: { ...Object.fromEntries(pauses), "api.writer": crowd.longestWriteMs },
    wrong: [...crowd.posters.flatMap(({ wrong }) => wrong), ...refused],
  };
}

/** One line; `moved`: accounts that the fault took from a machine. */
export function lineOf(name: string, goal: string, moved: readonly string[], findings: Findings): string {
  const { accepted, lost, doubled, disordered, unconfirmed, missing, unheard, unanswered, late, again, pauses } =
    findings;
  const longest = Object.entries(pauses).map(
    ([account, ms]) => `${account}${moved.includes(account) ? "*" : ""} ${Math.round(ms)}`,
  );
  return [
    name,
    `accepted ${accepted}`,
    `lost ${lost.length}`,
    `doubled ${doubled.length} (last answer again ${again})`,
    `out of order ${disordered.length} (behind a broken answer ${late})`,
    `unconfirmed ${unconfirmed} (missing on IRC ${missing})`,
    `unanswered ${unanswered}`,
    `unheard on IRC ${unheard}`,
    `longest pause in ms: ${longest.join(", ")}`,
    `goal: 0, 0, 0; ${goal}`,
  ].join(" | ");
}

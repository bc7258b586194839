import type { Message } from "../../src/contract/message.ts";
import { subjectOf } from "../../src/gateway/subject.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { SERVER_NAME } from "../servers/matrix/synapse.ts";
import type { Fault } from "./faults.ts";
import { type Line, lineIn, verdict, wordsOf } from "./lines.ts";
import { PAIRS, type Traffic } from "./traffic.ts";
import { GATEWAY, IRC_CHANNEL } from "./harness.ts";

/** One fault, and what people said around it. */
export interface Round {
  readonly round: number;
  readonly fault: Fault;
  readonly traffic: Traffic;
  /** Pairs that it was not to touch, and that went on meanwhile. */
  readonly wentOn: number;
  /** From its end until everybody heard everybody. */
  readonly backMs: number;
  /** Rialto lost its connection to IRC meanwhile. */
  readonly leftIrc: boolean;
}

/** What the log of the program says in the end. */
export interface Archive {
  /** Words of all lines that were accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Words of lines of which IRC may have had some or nothing. */
  readonly unconfirmed: ReadonlySet<string>;
  /** States in which a lane ended with a line although it should have delivered it, with its words. */
  readonly refused: readonly string[];
}

const SUBJECTS = [
  subjectOf("irc.net", IRC_CHANNEL),
  subjectOf("xmpp.net", "square"),
  subjectOf("matrix.net", `#square:${SERVER_NAME}`),
  subjectOf("api.writer", GATEWAY),
];

/** Reads the log of a program that has ended. */
export async function readArchive(dataPath: string): Promise<Archive> {
  const log = await openSqliteLog({
    dataPath,
    durability: "process",
    retentionDays: 7,
    retentionBytes: 1024 ** 3,
    messageIdDays: 30,
  });
  try {
    const words = new Map<number, string>();
    for (let after = 0, more = true; more;) {
      const entries = await log.read({ subjects: SUBJECTS, after, limit: 1_000 });
      for (const { seq, payload } of entries) {
        const line = lineIn((JSON.parse(payload) as Message).text);
        if (line !== null) words.set(seq, wordsOf(line));
      }
      after = entries.at(-1)?.seq ?? 0;
      more = entries.length > 0;
    }
    const unconfirmed = new Set<string>();
    const refused: string[] = [];
    for (const mark of (await log.marks("lane/")).keys()) {
      const lane = mark.slice("lane/".length);
      for (let after = 0, more = true; more;) {
        const receipts = await log.receipts({ lane, after, limit: 1_000 });
        for (const { seq, state } of receipts) {
          const said = words.get(seq);
          if (said === undefined || state === "sent") continue;
          if (state === "unconfirmed" && lane.includes("irc.net")) unconfirmed.add(said);
          else refused.push(`${said} ${state} in ${lane}`);
        }
        after = receipts.at(-1)?.seq ?? 0;
        more = receipts.length > 0;
      }
    }
    return { accepted: new Set(words.values()), unconfirmed, refused };
  } finally {
    await log.close();
  }
}

export interface Findings {
  readonly said: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly disordered: readonly string[];
  /** Said on IRC while Rialto was not there: IRC keeps nothing for it. */
  readonly unheard: number;
  /** Missing on IRC, and known as unconfirmed. */
  readonly unconfirmed: number;
}

export function judge({ round, fault, traffic, leftIrc }: Round, archive: Archive): Findings {
  const faults = { lost: [] as string[], doubled: [] as string[], disordered: [] as string[] };
  const unheard = new Set<number>();
  let unconfirmed = 0;
  for (const [from, to] of PAIRS) {
    const found = verdict(traffic.said[from], traffic.heard(from, to));
    const show = (n: number): string => `${from}→${to} ${wordsOf({ round, from, n })}`;
    for (const n of found.lost) {
      const line: Line = { round, from, n };
      if (from === "irc" && mayLeaveIrc(fault, leftIrc) && !archive.accepted.has(wordsOf(line))) unheard.add(n);
      else if (to === "irc" && archive.unconfirmed.has(wordsOf(line))) unconfirmed += 1;
      else faults.lost.push(show(n));
    }
    faults.doubled.push(...found.doubled.map(show));
    faults.disordered.push(...found.disordered.map(show));
  }
  const said = Object.values(traffic.said).reduce((sum, count) => sum + count, 0);
  return { said, ...faults, unheard: unheard.size, unconfirmed };
}

/** What holds IRC up may also last so long, on a busy machine, that the connection is given up. */
function mayLeaveIrc({ leavesIrc, touches }: Fault, leftIrc: boolean): boolean {
  return leavesIrc || (leftIrc && touches.includes("irc"));
}

const HEAD = [
  "fault",
  "said",
  "lost",
  "doubled",
  "disordered",
  "unheard on IRC",
  "unconfirmed on IRC",
  "went on",
  "back after",
];

/** One row for each fault. */
export function table(rounds: readonly Round[], findings: readonly Findings[]): string {
  const rows = rounds.map(({ fault, wentOn, backMs }, at) => {
    const found = findings[at];
    if (found === undefined) throw new Error(`nothing was found out about "${fault.name}"`);
    return [
      fault.name,
      found.said,
      found.lost.length,
      found.doubled.length,
      found.disordered.length,
      found.unheard,
      found.unconfirmed,
      `${wentOn} pairs`,
      `${(backMs / 1000).toFixed(1)} s`,
    ].map(String);
  });
  const widths = HEAD.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [HEAD, ...rows]
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
    )
    .join("\n");
}

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { logFile } from "../../../src/log/sqlite/database.ts";
import { lineIn, wordsOf } from "../lines.ts";
import type { Machine } from "./machine.ts";

/** What of a log must be the same on all machines that have applied as much, in an order of its own. */
const TABLES = {
  entry: `SELECT seq, at, n.text AS subject, a.text AS account, key, label, payload
    FROM entry JOIN name n ON n.id = entry.subject LEFT JOIN name a ON a.id = entry.account ORDER BY seq`,
  mark: "SELECT name, value FROM mark ORDER BY name",
  receipt: `SELECT seq, n.text AS lane, state, detail FROM receipt JOIN name n ON n.id = receipt.lane
    ORDER BY seq, n.text`,
} as const;
type Table = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as Table[];
/** Most differences that are shown of each table. */
const SHOWN = 3;

/** The contents of a log at one place of the stream. */
export interface Contents {
  readonly applied: number;
  readonly rows: Readonly<Record<Table, readonly string[]>>;
}

/** Reads a log that nobody has open. */
function contentsOf(dataPath: string): Contents {
  const db = new BetterSqlite3(logFile(dataPath));
  try {
    const applied = Number(db.prepare("SELECT applied FROM stream").pluck().get());
    const rows = NAMES.map((table) => {
      const all = db.prepare<[], Record<string, unknown>>(TABLES[table]).all();
      return [table, all.map((row) => JSON.stringify(row))];
    });
    return { applied, rows: Object.fromEntries(rows) as Contents["rows"] };
  } finally {
    db.close();
  }
}

/** Of all machines at one moment: nobody else may open their logs, so they stand still while those are copied. */
export function contentsNow(machines: readonly Machine[]): readonly Contents[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rialto-contents-"));
  try {
    for (const machine of machines) machine.signal("SIGSTOP");
    try {
      for (const { name, dataPath } of machines) copyLog(dataPath, path.join(folder, name));
    } finally {
      for (const machine of machines) machine.signal("SIGCONT");
    }
    return machines.map(({ name }) => contentsOf(path.join(folder, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyLog(from: string, to: string): void {
  mkdirSync(to);
  for (const end of ["", "-wal"]) {
    if (existsSync(`${logFile(from)}${end}`)) copyFileSync(`${logFile(from)}${end}`, `${logFile(to)}${end}`);
  }
}

/** What one log has and the other has not, of two that have applied as much. */
export function differences(one: Contents, other: Contents): readonly string[] {
  if (digest(one) === digest(other)) return [];
  return NAMES.flatMap((table) => {
    const [first, second] = [new Set(one.rows[table]), new Set(other.rows[table])];
    const only = (has: ReadonlySet<string>, lacks: ReadonlySet<string>): readonly string[] =>
      [...has].filter((row) => !lacks.has(row)).slice(0, SHOWN);
    return [
      ...only(first, second).map((row) => `only in the first, ${table}: ${row}`),
      ...only(second, first).map((row) => `only in the second, ${table}: ${row}`),
    ];
  });
}

const digest = ({ rows }: Contents): string =>
  createHash("sha256")
    .update(JSON.stringify(NAMES.map((table) => rows[table])))
    .digest("base64");

/** What a log says of one round. */
export interface Account {
  readonly accepted: ReadonlySet<string>;
  /** Words of lines that are unconfirmed somewhere, with where. */
  readonly unconfirmed: ReadonlySet<string>;
  /** Lines that a lane ended with otherwise than by delivering them. */
  readonly refused: readonly string[];
}

export function recordOf({ rows }: Contents, round: number): Account {
  const words = new Map<number, string>();
  for (const row of rows.entry) {
    const { seq, payload } = JSON.parse(row) as { readonly seq: number; readonly payload: string };
    const line = lineIn((JSON.parse(payload) as { readonly text?: string }).text ?? "");
    if (line?.round === round) words.set(seq, wordsOf(line));
  }
  const unconfirmed = new Set<string>();
  const refused: string[] = [];
  for (const row of rows.receipt) {
    const receipt = JSON.parse(row) as { readonly seq: number; readonly lane: string; readonly state: string };
    const said = words.get(receipt.seq);
    if (said === undefined || receipt.state === "sent") continue;
    const network = /(?:irc|xmpp|matrix)(?=\.net)/u.exec(receipt.lane)?.[0] ?? receipt.lane;
    if (receipt.state === "unconfirmed") unconfirmed.add(`${network} ${said}`);
    else refused.push(`${said} ${receipt.state} in ${receipt.lane}`);
  }
  return { accepted: new Set(words.values()), unconfirmed, refused };
}

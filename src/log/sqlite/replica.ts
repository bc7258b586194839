import { createHash } from "node:crypto";
import type { Database, Statement } from "better-sqlite3";
import { LogError } from "../errors.ts";
import type { Committed } from "./committed.ts";
import type { CommitFate, StreamPlace, StreamState } from "./stream-place.ts";

/** Places of the stream from one comparison of states to the next. */
const COMPARE_EVERY = 10_000;

/**
 * What a log knows of the stream that brings its commits: how far it was applied, whose epoch it is, and the last
 * commit of each node. Changed in the transaction of the commit itself, so that every node decides the same.
 */
export class Replica {
  readonly #state: Statement<[], StreamState>;
  readonly #advance: Statement<[number, number]>;
  readonly #raise: Statement<[number, string]>;
  readonly #last: Statement<[string], { readonly run: string; readonly number: number }>;
  readonly #putLast: Statement<[string, string, number]>;
  readonly #every: number;

  /**
   * `every`: in places of the stream, how often the state is compared. Throws a LogError `format` when the log has had
   * its commits from elsewhere.
   */
  constructor(db: Database, name: string, every = COMPARE_EVERY) {
    this.#every = every;
    const found = nameOf(db);
    const entries = db.prepare("SELECT max((SELECT seq FROM high), coalesce((SELECT max(seq) FROM entry), 0))");
    if (found === null && Number(entries.pluck().get()) > 0) {
      throw new LogError(
        "format",
        `The log ${db.name} has entries that are not of the stream ${name}. Give this node a data folder of its own (DataPath in [general]).`,
      );
    }
    if (found !== null && found !== name) throw otherStream(db.name, found, `the servers have ${name}`);
    db.prepare("INSERT OR IGNORE INTO stream VALUES (1, ?, 0, 0, 0, '')").run(name);
    this.#state = db.prepare<[], StreamState>("SELECT applied, resume, epoch, holder FROM stream");
    this.#advance = db.prepare("UPDATE stream SET applied = ?, resume = ?");
    this.#raise = db.prepare("UPDATE stream SET epoch = ?, holder = ?");
    this.#last = db.prepare("SELECT run, number FROM stream_node WHERE node = ?");
    this.#putLast = db.prepare("INSERT OR REPLACE INTO stream_node (node, run, number) VALUES (?, ?, ?)");
  }

  get state(): StreamState {
    return this.#state.get() ?? { applied: 0, resume: 0, epoch: 0, holder: "" };
  }

  /** Inside the transaction of the commit: notes its place, and says whether its batches are to be written. */
  take({ seq, after, resume, node, run, number, epoch }: StreamPlace): CommitFate {
    const { applied, epoch: current } = this.state;
    if (applied !== after || seq <= applied) {
      throw new LogError("io", `The commit ${seq} of the stream came behind ${applied}, and not behind ${after}.`);
    }
    this.#advance.run(seq, resume);
    if (number === 0) {
      if (epoch <= current) return "fenced";
      this.#raise.run(epoch, node);
      return "taken";
    }
    const last = this.#last.get(node);
    if (last?.run === run && number <= last.number) return "repeated";
    this.#putLast.run(node, run, number);
    return epoch < current ? "fenced" : "taken";
  }

  /**
   * Inside the transaction, behind all else: adds the commit and what it has done to the digest of all. Resolved the
   * same on all nodes as long as they had the same commits, and decided the same about each. What goes into it may not
   * change: nodes of the version before and of this one would not have the same digest ever again.
   */
  seal({ seq, sum }: StreamPlace, { first, absent, verdicts, fate }: Committed): void {
    const done = [seq, sum, fate, first, absent, verdicts.map(({ batch, is }) => [batch, is])];
    const digest = createHash("sha256").update(this.#chain).update(JSON.stringify(done)).digest("base64");
    this.#putLast.run(CHAIN, digest, seq);
  }

  /** Whether the states are compared behind this commit. */
  isCompared({ seq, after }: StreamPlace): boolean {
    return Math.floor(seq / this.#every) > Math.floor(after / this.#every);
  }

  get #chain(): string {
    return this.#last.get(CHAIN)?.run ?? "";
  }
}

/** In place of a node, the digest of all commits so far. */
const CHAIN = "";

/** A log that a stream has filled takes no commits of its own: its seqs would be those of other nodes. */
export function assertNoReplica(db: Database): void {
  const found = nameOf(db);
  if (found !== null) throw otherStream(db.name, found, "the configuration says that it is a log of its own");
}

function nameOf(db: Database): string | null {
  return db.prepare<[], string>("SELECT name FROM stream").pluck().get() ?? null;
}

function otherStream(file: string, found: string, instead: string): LogError {
  return new LogError(
    "format",
    `The log ${file} was filled from the stream ${found}, and ${instead}. Choose another DataPath in [general], or move the file away.`,
  );
}

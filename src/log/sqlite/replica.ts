import { createHash } from "node:crypto";
import type { Database, Statement } from "better-sqlite3";
import { LogError } from "../errors.ts";
import type { Committed } from "./committed.ts";
import { type EpochClaim, type Holder, isRaised, isVoid, NOBODY } from "../fence.ts";
import type { CommitFate, StreamPlace, StreamReach, StreamState } from "./stream-place.ts";

/** Places of the stream from one comparison of states to the next. */
const COMPARE_EVERY = 10_000;

/**
 * What a log knows of the stream that brings its commits: how far it was applied, who holds which account, and the last
 * commit of each node, by its last two processes. Changed in the transaction of the commit itself, so that every node
 * decides the same.
 */
export class Replica {
  readonly #reach: Statement<[], StreamReach>;
  readonly #advance: Statement<[number, number]>;
  readonly #holder: Statement<[string], Holder>;
  readonly #held: Statement<[], EpochClaim>;
  readonly #raise: Statement<[string, number, string, string]>;
  readonly #commits: Statement<[], StreamState["commits"][number]>;
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
    db.prepare("INSERT OR IGNORE INTO stream VALUES (1, ?, 0, 0)").run(name);
    this.#reach = db.prepare("SELECT applied, resume FROM stream");
    this.#advance = db.prepare("UPDATE stream SET applied = ?, resume = ?");
    this.#holder = db.prepare("SELECT epoch, node, run FROM stream_epoch WHERE account = ?");
    this.#held = db.prepare("SELECT account, epoch, node, run FROM stream_epoch");
    this.#raise = db.prepare("INSERT OR REPLACE INTO stream_epoch (account, epoch, node, run) VALUES (?, ?, ?, ?)");
    // Sorted, a node comes before what `formerOf` makes of it.
    this.#commits = db.prepare(
      "SELECT replace(node, '/former', '') AS node, run, number FROM stream_node WHERE node <> '' ORDER BY stream_node.node",
    );
    this.#last = db.prepare("SELECT run, number FROM stream_node WHERE node = ?");
    this.#putLast = db.prepare("INSERT OR REPLACE INTO stream_node (node, run, number) VALUES (?, ?, ?)");
  }

  get state(): StreamState {
    return { ...this.#reached, held: this.#held.all(), commits: this.#commits.all() };
  }

  /** Inside the transaction of the commit: notes its place, and says whether its batches are to be written. */
  take({ seq, after, resume, node, run, number }: StreamPlace): CommitFate {
    const { applied } = this.#reached;
    if (applied !== after || seq <= applied) {
      throw new LogError("io", `The commit ${seq} of the stream came behind ${applied}, and not behind ${after}.`);
    }
    this.#advance.run(seq, resume);
    if (number === 0) return "taken";
    const last = this.#last.get(node);
    const former = this.#last.get(formerOf(node));
    const known = [last, former].find((each) => each?.run === run);
    if (known !== undefined && number <= known.number) return "repeated";
    if (last !== undefined && last.run !== run) this.#putLast.run(formerOf(node), last.run, last.number);
    this.#putLast.run(node, run, number);
    return "taken";
  }

  /** Inside the transaction of the commit: those of the claims that count. */
  raise(claims: readonly EpochClaim[]): readonly EpochClaim[] {
    return claims.filter((claim) => {
      const { account, epoch, node, run } = claim;
      const counts = isRaised(this.#holderOf(account), claim);
      if (counts) this.#raise.run(account, epoch, node, run);
      return counts;
    });
  }

  /** Inside the transaction of the commit: which node holds the account, when what carries this epoch is void. */
  voidedBy(account: string, epoch: number): string | null {
    const holder = this.#holderOf(account);
    return isVoid(holder, epoch) ? holder.node : null;
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

  get #reached(): StreamReach {
    return this.#reach.get() ?? { applied: 0, resume: 0 };
  }

  #holderOf(account: string): Holder {
    return this.#holder.get(account) ?? NOBODY;
  }

  get #chain(): string {
    return this.#last.get(CHAIN)?.run ?? "";
  }
}

/** In place of a node, the digest of all commits so far. */
const CHAIN = "";
/** … the process of a node before the last: what it had published may come once more when another has followed it. */
const formerOf = (node: string): string => `${node}/former`;

/** What a copy of a log has of the stream that it came from; it is of no stream behind that. */
export function leaveStream(db: Database): void {
  db.exec("DELETE FROM stream; DELETE FROM stream_node; DELETE FROM stream_epoch");
}

/**
 * Makes a log of no stream that with which the stream `name` begins, behind its first message. `sum` tells it from all
 * others: nodes that began with another one do not have the same digest ever again.
 */
export function enterStream(db: Database, name: string, sum: string): void {
  db.prepare("INSERT INTO stream (id, name, applied, resume) VALUES (1, ?, 1, 2)").run(name);
  db.prepare("INSERT INTO stream_node (node, run, number) VALUES (?, ?, 1)").run(CHAIN, sum);
}

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

import type { MessageRef } from "../contract/ids.ts";
import type { OptionalKind, Standing } from "../contract/ops.ts";
import type { Why } from "../contract/outcome.ts";
import type { About, Stored } from "../gateway/codec.ts";
import type { Here, Needs, Planned } from "../gateway/planned.ts";
import type { Receipt, Seq, Subject } from "../log/log.ts";
import { LogError } from "../log/errors.ts";
import { Fetching } from "./fetching.ts";
import { revised, togetherWith } from "./folding.ts";
import { type LaneOptions, placeOf, reactionsOf } from "./lane-options.ts";
import type { Item } from "./window.ts";

/** What the destination is to be told of a message, or why that cannot be said. */
export type Prepared =
  | Planned
  | { readonly is: "unreadable" }
  /** The log does not answer: it is to be tried again. */
  | { readonly is: "later"; readonly why: Why };

type PreparingOptions = Pick<
  LaneOptions,
  "name" | "gateway" | "account" | "channel" | "subjects" | "plan" | "log" | "files" | "clock" | "logger"
> & {
  readonly fields: object;
  readonly durable: () => Promise<boolean>;
  /** As in starting.ts. */
  readonly newAfter: Seq;
};

/** What has no use at a destination that does not show what it is about. */
const POINTLESS: ReadonlySet<Receipt["state"]> = new Set(["expired", "cancelled", "withheld"]);

const GIVEN_UP: Why = { code: "stopping", message: "The channel was lost." };
const NOT_DURABLE: Why = { code: "network", message: "The log does not store what has been delivered so far." };

/**
 * Turns entries into ops. What an op needs to know of other messages and files is looked up first; an entry that needs nothing, which is
 * most of them, is planned at once.
 */
export class Preparing {
  readonly #options: PreparingOptions;
  readonly #place: Subject;
  readonly #fetching: Fetching;

  constructor(options: PreparingOptions) {
    this.#options = options;
    this.#place = placeOf(options);
    this.#fetching = new Fetching(options);
  }

  /** What the entry holds; null: it cannot be read, which was said. */
  read(item: Item): Stored | null {
    if (item.stored === undefined) item.stored = this.#sound(item, () => this.#options.plan.read(item.payload));
    return item.stored;
  }

  /** A value, where nothing has to be looked up. The promise never rejects, and is worth nothing once the signal is aborted. */
  start(item: Item, without: readonly OptionalKind[], signal: AbortSignal): Prepared | Promise<Prepared> {
    const { plan } = this.#options;
    const read = this.read(item);
    const stored = read === null ? null : revised(read, item.folded);
    const needs = stored === null ? null : this.#sound(item, () => plan.needs(stored, without));
    if (stored === null || needs === null) return { is: "unreadable" };
    if (isEmpty(needs) && stored.about === null) return this.#planned(item, stored, { ...NOTHING, without });
    return this.#lookUp(item, stored, { needs, without, signal });
  }

  #planned(item: Item, stored: Stored, here: Here): Prepared {
    item.here = here;
    const { plan, gateway } = this.#options;
    return this.#sound(item, () => plan.op(stored, gateway, here)) ?? { is: "unreadable" };
  }

  async #lookUp(item: Item, whole: Stored, { needs, without, signal }: Search): Promise<Prepared> {
    try {
      // What was delivered before this one must be on disk to be found.
      if (whole.about !== null && !(await this.#options.durable())) return { is: "later", why: NOT_DURABLE };
      // What an earlier attempt has begun goes on as it was begun.
      const begun = item.untouched ? null : item.here;
      const refs = begun ?? (await this.#refs(whole, needs));
      const about = await this.#aboutHere(whole, refs.about.length > 0);
      if (about === "pointless") return { is: "omitted", losses: [] };
      const stored = about === whole.about ? whole : { ...whole, about };
      const standing = begun?.standing ?? (await this.#standing(item, stored, needs));
      const files = fetched(item) ?? (await this.#fetching.all(stored, item.at, needs, signal));
      if (signal.aborted) return { is: "later", why: GIVEN_UP };
      const here = {
        about: refs.about,
        thread: refs.thread,
        standing,
        line: refs.line,
        together: togetherWith(item),
        files: files.files,
        avatar: files.avatar,
        without,
      };
      return this.#planned(item, stored, here);
    } catch (error) {
      if (!(error instanceof LogError)) return this.#unsound(item, error);
      return { is: "later", why: { code: "network", message: `The log does not answer: ${error.message}` } };
    }
  }

  async #refs({ about: of }: Stored, needs: Needs): Promise<Pick<Here, "about" | "thread" | "line">> {
    const { about: asked, thread, line } = needs;
    // A line that says an edit joins the copies there are.
    const about = of?.is === "edit" ? of.seq : asked;
    const found = await Promise.all([about, thread].map(async (seq) => (seq === null ? [] : await this.#refsOf(seq))));
    const { log, name } = this.#options;
    const said = line === null ? null : ((await log.ids.refs(line, reactionsOf(name))) as readonly MessageRef[]);
    return { about: found[0] ?? [], thread: found[1] ?? [], line: said };
  }

  /** By which refs the destination knows a message: our copies, or the message itself when it was said here. */
  async #refsOf(seq: Seq): Promise<readonly MessageRef[]> {
    const { ids } = this.#options.log;
    const copies = await ids.refs(seq, this.#options.name);
    if (copies.length > 0) return copies as readonly MessageRef[];
    const known = await ids.get(seq);
    return (known?.subject === this.#place ? await ids.refs(seq, null) : []) as readonly MessageRef[];
  }

  /**
   * What is to be said of the message that this one is about. A change of one that is gone, or that never came here, is pointless. Of one
   * that was said in another gateway nothing is told here: its words are not for these rooms.
   */
  async #aboutHere({ about }: Stored, isHere: boolean): Promise<Stored["about"] | "pointless"> {
    if (about === null || about.seq === null) return about;
    const { log, name: lane, subjects } = this.#options;
    const known = await log.ids.get(about.seq);
    const isReply = !isChange({ about });
    if (known?.gone === true && !isReply && about.is !== "delete") return "pointless";
    if (isHere) return about;
    const isForeign = known !== null && known.subject !== this.#place && !subjects.includes(known.subject);
    if (isReply) return isForeign ? null : about;
    return isForeign ? "pointless" : await this.#unlessPointless(about, about.seq, lane);
  }

  async #unlessPointless(about: About, seq: Seq, lane: string): Promise<About | "pointless"> {
    const [receipt] = await this.#options.log.receipts({ lane, after: seq - 1, limit: 1 });
    const ended = receipt?.seq === seq ? receipt.state : null;
    const isPointless = ended !== null && (POINTLESS.has(ended) || (ended === "failed" && about.is !== "edit"));
    return isPointless ? "pointless" : about;
  }

  async #standing(item: Item, { about, message }: Stored, { standing, line }: Needs): Promise<readonly Standing[]> {
    const seq = standing ? (about?.seq ?? null) : null;
    if (about === null || seq === null) return [];
    const byEmoji = new Map<string, string[]>();
    for (const { emoji, name, who } of await this.#options.log.ids.reactions(seq)) {
      if (!this.#isElsewhere(who)) continue;
      byEmoji.set(emoji, [...(byEmoji.get(emoji) ?? []), name]);
    }
    // An earlier run may have said it: then it is said once more, so that who took it back finds the line.
    const isAgain = line !== null && about.on && item.seq <= this.#options.newAfter;
    if (isAgain && byEmoji.size === 0) byEmoji.set(about.emoji, [message.username]);
    return Array.from(byEmoji, ([emoji, names]) => ({ emoji, names }));
  }

  /** Those of people at the destination stand there already, and what other gateways have is not for this one. `who`: as gateway/record.ts makes it. */
  #isElsewhere(who: string): boolean {
    const isOf = (subject: Subject): boolean => who.startsWith(`${subject} [`);
    return !isOf(this.#place) && this.#options.subjects.some(isOf);
  }

  #sound<T>(item: Item, make: () => T): T | null {
    try {
      return make();
    } catch (error) {
      this.#unsound(item, error);
      return null;
    }
  }

  #unsound({ seq }: Item, error: unknown): Prepared {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const told = { ...this.#options.fields, seq, error: said };
    this.#options.logger.error(told, "a stored message cannot be made into an op: this is a bug");
    return { is: "unreadable" };
  }
}

interface Search {
  readonly needs: Needs;
  readonly without: readonly OptionalKind[];
  readonly signal: AbortSignal;
}

const NOTHING: Here = {
  about: [],
  thread: [],
  standing: [],
  line: null,
  together: [],
  files: [],
  avatar: null,
  without: [],
};

/** What was fetched for an earlier try; what did not come then may have come since, but what was begun goes on as it was. */
function fetched({ here, untouched }: Item): Pick<Here, "files" | "avatar"> | null {
  if (here === null || here.files.length === 0) return null;
  return untouched && here.files.some(({ missing }) => missing !== null) ? null : here;
}

/** Whether it acts on another message, and is none by itself. */
function isChange({ about }: Pick<Stored, "about">): boolean {
  return about !== null && about.is !== "reply";
}

function isEmpty({ about, thread, standing, files, avatar }: Needs): boolean {
  return about === null && thread === null && !standing && files.length === 0 && avatar === null;
}

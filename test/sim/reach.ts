import type { Routes } from "../../src/gateway/routes.ts";
import { laneName } from "../../src/delivery/lanes.ts";
import type { Seq, Subject } from "../../src/log/log.ts";

/** Seqs above `after`, up to `upTo`. */
interface Span {
  readonly after: Seq;
  upTo: Seq;
}

/** A reader of the log, a lane or an API account in a gateway, and one subject that it hears. */
interface Way {
  readonly reader: string;
  readonly subject: Subject;
}

/** What an API account reads in a gateway goes by this name. */
export const readerName = (account: string, gateway: string): string => `${account} in ${gateway}`;

/**
 * Which entries may come to a reader, and which must, over all configurations. A change takes its time, in which the
 * program may be killed: what is new may begin when the file is written, and must have begun when the program runs with
 * it; what is gone may still come up to the same moment.
 */
export class Reach {
  readonly #may = new Map<string, Span[]>();
  readonly #must = new Map<string, Seq>();
  /** What the file says. */
  #filed: ReadonlySet<string> = new Set();

  /** The file is written. `head`: of the log. */
  propose(routes: Routes, accounts: Iterable<string>, head: Seq): void {
    this.#filed = new Set(waysOf(routes, accounts).map(keyOf));
    for (const key of this.#filed) {
      const spans = this.#may.get(key) ?? [];
      this.#may.set(key, spans);
      if (spans.at(-1)?.upTo !== Infinity) spans.push({ after: head, upTo: Infinity });
    }
  }

  /** The program runs with it. */
  begin(routes: Routes, accounts: Iterable<string>, head: Seq): void {
    const keys = new Set(waysOf(routes, accounts).map(keyOf));
    for (const [key, spans] of this.#may) {
      const last = spans.at(-1);
      if (last?.upTo !== Infinity || keys.has(key)) continue;
      last.upTo = head;
      // A newer file has it again.
      if (this.#filed.has(key)) spans.push({ after: head, upTo: Infinity });
    }
    for (const key of this.#must.keys()) if (!keys.has(key)) this.#must.delete(key);
    for (const key of keys) if (!this.#must.has(key)) this.#must.set(key, head);
  }

  may(reader: string, subject: Subject, seq: Seq): boolean {
    const spans = this.#may.get(keyOf({ reader, subject })) ?? [];
    return spans.some(({ after, upTo }) => seq > after && seq <= upTo);
  }

  must(reader: string, subject: Subject, seq: Seq): boolean {
    return seq > (this.#must.get(keyOf({ reader, subject })) ?? Infinity);
  }
}

const keyOf = ({ reader, subject }: Way): string => `${reader}\n${subject}`;

function waysOf(routes: Routes, accounts: Iterable<string>): readonly Way[] {
  const lanes = routes
    .lanes()
    .flatMap((route) => route.subjects.map((subject) => ({ reader: laneName(route), subject })));
  const readers = Array.from(accounts, (account) =>
    Array.from(routes.reads(account), ([subject, gateways]) =>
      gateways.map((gateway) => ({ reader: readerName(account, gateway), subject })),
    ),
  );
  return [...lanes, ...readers.flat(2)];
}

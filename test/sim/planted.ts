import type { Event } from "../../src/contract/events.ts";
import type { Host } from "../../src/contract/host.ts";
import type { Handler, Session } from "../../src/contract/session.ts";
import type { PostOp } from "../../src/contract/ops.ts";
import type { Batch, StoredEntry } from "../../src/log/log.ts";
import type { Bugs } from "./bugs.ts";
import { LogError } from "../../src/log/errors.ts";
import { logWith } from "./log-with.ts";
import { readOpId } from "./tokens.ts";

/** A bug between the real parts, and the invariant that it breaks. */
export interface Planted {
  readonly bug: string;
  readonly invariant: string;
  readonly bugs: Bugs;
  /** Some that met it when this was written; stories change with the harness. */
  readonly seeds: readonly number[];
}

const appending = (change: (batch: Batch) => Batch): Bugs => ({
  log: (log) => logWith(log, { append: async (batch) => await log.append(change(batch)) }),
});

const reading = (change: (entries: readonly StoredEntry[]) => readonly StoredEntry[]): Bugs => ({
  log: (log) => logWith(log, { read: async (query) => change(await log.read(query)) }),
});

const telling = (change: (event: Event) => Event): Bugs => ({
  host: (host) => hostWith(host, (events) => events.map(change)),
});

function hostWith(host: Host, change: (events: readonly Event[]) => readonly Event[]): Host {
  return { ...host, accept: async ({ events, cursor }) => await host.accept({ events: change(events), cursor }) };
}

const posting = (change: (post: Handler<PostOp>) => Handler<PostOp>): Bugs => ({
  session: (session) => sessionWith(session, change(session.handlers.post)),
});

function sessionWith(session: Session, post: Handler<PostOp>): Session {
  const handlers = { ...session.handlers, post };
  return new Proxy(session, {
    get: (target, key) => {
      if (key === "handlers") return handlers;
      const own: unknown = Reflect.get(target, key, target);
      return typeof own === "function" ? (own as () => unknown).bind(target) : own;
    },
  });
}

let turn: Promise<unknown> = Promise.resolve();

/** At least one for each invariant. */
export const PLANTED: readonly Planted[] = [
  {
    bug: "an append is answered, and nothing is stored",
    seeds: [1, 2, 3],
    invariant: "accepted is kept",
    bugs: {
      log: (log) =>
        logWith(log, {
          append: async (batch) =>
            batch.entries.length > 0
              ? { is: "stored", seqs: batch.entries.map((_, at) => log.head + at + 1) }
              : await log.append(batch),
        }),
    },
  },
  {
    bug: "a reader of the log passes over every other entry",
    seeds: [1, 7, 10],
    invariant: "nothing accepted is lost",
    bugs: reading((entries) => entries.filter(({ seq }, at) => at === entries.length - 1 || seq % 2 === 0)),
  },
  {
    bug: "the cursor is on the disk before the events",
    seeds: [8, 12, 21],
    invariant: "nothing said is lost",
    bugs: {
      host: (host) => ({
        ...host,
        accept: async ({ events, cursor }) => {
          await host.accept({ events: [], cursor });
          return await host.accept({ events, cursor: null });
        },
      }),
    },
  },
  {
    bug: "repeated events are not known again",
    seeds: [12, 25, 32],
    invariant: "accepted once",
    bugs: telling((event) => ({ ...event, key: null })),
  },
  {
    bug: "our own words are news",
    seeds: [1, 2, 3],
    invariant: "no echo",
    bugs: telling((event) => ({ ...event, echoOf: null })),
  },
  {
    bug: "every edit is vouched for",
    seeds: [5, 20, 22],
    invariant: "right author",
    bugs: telling((event) => (event.kind === "edited" ? { ...event, vouched: true } : event)),
  },
  {
    bug: "the intent is not written before a message leaves",
    seeds: [2, 13, 31],
    invariant: "once",
    bugs: appending((batch) => ({
      ...batch,
      marks: (batch.marks ?? []).filter(({ name }) => !name.startsWith("intent/")),
    })),
  },
  {
    bug: "the intent that goes with an entry does not come to the disk",
    seeds: [2, 13, 31],
    invariant: "once",
    bugs: appending((batch) => ({ ...batch, seqMarks: [] })),
  },
  {
    bug: "every other call is begun late",
    seeds: [2, 3, 7],
    invariant: "order",
    bugs: posting((post) => async (op, attempt) => {
      if (readOpId(op).seq % 2 === 0) for (let time = 0; time < 50; time += 1) await Promise.resolve();
      return await post(op, attempt);
    }),
  },
  {
    bug: "a chunk of the log comes back the wrong way round",
    seeds: [1, 3, 7],
    invariant: "content",
    bugs: reading((entries) => entries.map((entry, at) => ({ ...entry, payload: entries.at(-1 - at)?.payload ?? "" }))),
  },
  {
    bug: "a lane reads what is not for it",
    seeds: [1, 2, 3],
    invariant: "privacy",
    bugs: {
      routes: (routes) => {
        const all = [...new Set(routes.lanes().flatMap(({ subjects }) => subjects))];
        return { ...routes, lanes: () => routes.lanes().map((lane) => Object.assign({}, lane, { subjects: all })) };
      },
    },
  },
  {
    bug: "refs of the message before are taken for those of the message",
    seeds: [1, 21, 24],
    invariant: "right target",
    bugs: {
      log: (log) =>
        logWith(log, {
          ids: {
            find: async (place, refs) => await log.ids.find(place, refs),
            get: async (seq) => await log.ids.get(seq),
            reactions: async (seq) => await log.ids.reactions(seq),
            refs: async (seq, lane) => {
              const before = await log.ids.refs(seq - 1, lane);
              return before.length > 0 ? before : await log.ids.refs(seq, lane);
            },
          },
        }),
    },
  },
  {
    bug: "all networks share one turn",
    seeds: [1, 2, 3],
    invariant: "a stuck lane moves nobody else",
    bugs: posting((post) => async (op, attempt) => {
      const before = turn;
      const mine = before.then(async () => await post(op, attempt));
      turn = mine.catch(() => undefined);
      return await mine;
    }),
  },
  {
    bug: "each call is made twice",
    seeds: [2, 3, 4],
    invariant: "limits",
    bugs: posting((post) => async (op, attempt) => {
      void post(op, attempt).catch(() => undefined);
      return await post(op, attempt);
    }),
  },
  {
    bug: "receipts are written without their reasons",
    seeds: [1, 2, 3],
    invariant: "every end has a reason",
    bugs: appending((batch) => ({
      ...batch,
      receipts: batch.receipts?.map((receipt) => ({ ...receipt, detail: "{}" })) ?? [],
    })),
  },
  {
    bug: "what was sent is said to be taken back",
    seeds: [1, 2, 3],
    invariant: "ends are true",
    bugs: appending((batch) => ({
      ...batch,
      receipts:
        batch.receipts?.map((receipt) => (receipt.state === "sent" ? { ...receipt, state: "omitted" } : receipt)) ?? [],
    })),
  },
  {
    bug: "the position of polls is not written",
    seeds: [1, 49, 56],
    invariant: "poll once",
    bugs: {
      log: (log) =>
        logWith(log, {
          mark: async (marks) =>
            await log.mark(marks.filter(({ name, value }) => !name.endsWith("/poll") || value === "0")),
        }),
    },
  },
  {
    bug: "readers of the API are left out of the routes",
    seeds: [1, 2, 7],
    invariant: "readers get all",
    bugs: {
      routes: (routes) => ({
        ...routes,
        targets: (subject) =>
          routes.targets(subject).filter(({ account }, at) => at === 0 || account.protocol !== "api"),
      }),
    },
  },
  {
    bug: "the log does not close",
    seeds: [1, 2, 3],
    invariant: "stops in time",
    bugs: { log: (log) => logWith(log, { close: async () => await new Promise<void>(() => undefined) }) },
  },
  {
    bug: "marks cannot be read once there are some",
    seeds: [1, 2, 3],
    invariant: "starts",
    bugs: {
      log: (log) =>
        logWith(log, {
          marks: async (prefix) => (log.head > 2 ? await Promise.reject(new Error("no")) : await log.marks(prefix)),
        }),
    },
  },
  {
    bug: "payloads come back torn",
    seeds: [1, 2, 3],
    invariant: "no bug lines",
    bugs: reading((entries) => entries.map((entry) => ({ ...entry, payload: entry.payload.slice(0, -1) }))),
  },
  {
    bug: "a bridge that comes hears what was said before",
    seeds: [12, 52, 63],
    invariant: "privacy",
    bugs: {
      log: (log) =>
        logWith(log, {
          mark: async (marks) =>
            await log.mark(
              marks.map(({ name, value }) => ({
                name,
                value: name.startsWith("lane/")
                  ? value.replace(/\d+/u, "0")
                  : name.startsWith("sources/")
                    ? "0"
                    : value,
              })),
            ),
        }),
    },
  },
  {
    bug: "the marks of a change are never taken",
    seeds: [12, 33, 52],
    invariant: "a change comes through",
    bugs: {
      log: (log) =>
        logWith(log, {
          mark: async (marks) =>
            log.head > 2 && marks.some(({ name }) => name.startsWith("lane/"))
              ? await Promise.reject(new LogError("io", "no"))
              : await log.mark(marks),
        }),
    },
  },
];

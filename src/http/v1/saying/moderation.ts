import type { Access } from "../../../access/access.ts";
import { decodeStored } from "../../../gateway/codec.ts";
import type { Known, NewEntry, Seq, Subject } from "../../../log/log.ts";
import type { Said, SayScene } from "../../api/say.ts";
import type { V1Deps } from "../deps.ts";
import { ProblemError } from "../problems.ts";
import { deletionsOf, receiptsPath, targetOf } from "./acts.ts";
import { gatewaysOf } from "./places.ts";
import type { SayingAuthor } from "./shapes.ts";

type ModerationDeps = Pick<V1Deps, "ingest" | "log" | "routes" | "account" | "clock">;

/** Whose messages. */
interface ModeratedAuthor {
  /** `<protocol>.<name>`. */
  readonly account: string;
  /** As its network has the person; of who has none, the name. */
  readonly id: string;
}

export interface AuthorQuery {
  readonly author: ModeratedAuthor;
  /** Name of a gateway; null: all that the caller sees. */
  readonly gateway: string | null;
  /** Only what was said since then, Unix ms. */
  readonly sinceMs: number;
  /** Most messages. */
  readonly limit: number;
}

export interface DeletedMessages {
  readonly deleted: readonly string[];
  readonly receipts: readonly string[];
}

/** Entries of a place that one call looks through. */
const LOOKED_AT_MAX = 10_000;
const READ_MAX = 500;
const READ_BYTES = 4 * 1024 * 1024;

/** The newest messages of somebody, newest first. Rejects with a LogError. */
export async function messagesOf(query: AuthorQuery, access: Access, deps: ModerationDeps): Promise<readonly Seq[]> {
  const { routes, log } = deps;
  const account = deps.account();
  const scene = { account, routes };
  const isSeen = (subject: Subject): boolean => {
    const names = gatewaysOf({ subject }, access, scene);
    return query.gateway === null ? names.length > 0 : names.includes(query.gateway);
  };
  const subjects = [...routes.seen(account.key)]
    .filter(
      ([subject, seen]) =>
        seen.place === null && isSeen(subject) && seen.account === query.author.account.toLowerCase(),
    )
    .map(([subject]) => subject);
  if (subjects.length === 0) return [];
  const { entries } = await log.newest({ subjects, after: 0, limit: LOOKED_AT_MAX });
  const recent = entries.find(({ at }) => at >= query.sinceMs);
  if (recent === undefined) return [];
  const found: Seq[] = [];
  let after = recent.seq - 1;
  for (;;) {
    const page = await log.read({ subjects, after, limit: READ_MAX, bytes: READ_BYTES });
    for (const { seq, at, payload } of page) {
      if (at >= query.sinceMs && isBy(payload, query.author)) found.push(seq);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  return found.toReversed();
}

/** Whether it is a message of this person, and no edit or reaction. */
function isBy(payload: string, { id }: ModeratedAuthor): boolean {
  const { message, about } = decodeStored(payload);
  if (about !== null && about.is !== "reply") return false;
  return (message.userid === "" ? message.username : message.userid) === id;
}

/** Takes these messages back, all together; those that are gone already are passed over. Rejects as `remove` does. */
export function removeAll(
  ids: readonly string[],
  author: SayingAuthor | undefined,
  access: Access,
  { ingest }: ModerationDeps,
): Promise<DeletedMessages> {
  return new Promise((resolve, reject) => {
    const made: { readonly id: string; readonly entries: readonly NewEntry[] }[] = [];
    const make = async (scene: SayScene): Promise<Said> => {
      for (const id of new Set(ids)) {
        const target: Known = await targetOf(id, access, scene);
        if (!target.gone) made.push({ id, entries: deletionsOf(target, author, access, scene) });
      }
      const entries = made.flatMap((one) => one.entries);
      return { batch: entries.length === 0 ? null : { account: scene.account.key, entries }, dropped: null };
    };
    ingest.actThen({
      make,
      answered: ({ appended }) => {
        const seqs = appended?.is === "stored" ? appended.seqs.filter((seq) => seq !== null) : [];
        let at = 0;
        const receipts = made.map(({ entries }) => receiptsPath(seqs.slice(at, (at += entries.length))));
        resolve({ deleted: made.map(({ id }) => id), receipts });
      },
      failed: reject,
    });
  });
}

/** The ids of a query that are known, and not gone already, at most `limit`; `more`: there are others. */
export async function standing(
  found: readonly Seq[],
  limit: number,
  { log }: ModerationDeps,
): Promise<{ readonly ids: readonly string[]; readonly more: boolean }> {
  const ids: string[] = [];
  for (const seq of found) {
    const known = await log.ids.get(seq);
    if (known === null || known.gone) continue;
    if (ids.length === limit) return { ids, more: true };
    ids.push(String(seq));
  }
  return { ids, more: false };
}

export const NOT_BOTH = new ProblemError("unprocessable", "give either `messages` or `from`");

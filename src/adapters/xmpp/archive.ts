import { NS } from "./ns.ts";
import type { IqResult, Requests, StanzaError } from "./requests.ts";
import { delayMs } from "./receive.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/** A message of a room's archive (XEP-0313). */
interface Archived {
  readonly id: string;
  readonly atMs: number;
  readonly message: Stanza;
}

/** A page of an archive, oldest first. `complete`: there is nothing after it (or, read backwards, before it). */
export type ArchivePage =
  | { readonly ok: true; readonly items: readonly Archived[]; readonly complete: boolean; readonly last: string | null }
  | { readonly ok: false; readonly error: StanzaError };

/** Which page: after an id, from a time on, or the last one before an id (null: before the end). */
export type Which =
  | { readonly after: string }
  | { readonly fromMs: number; readonly after: string | null }
  | { readonly before: string | null };

const PAGE = 50;
/** More than we ask for. */
const ITEMS_MAX = 1000;

interface Query {
  readonly room: string;
  readonly items: Archived[];
}

/** Reads the archives of rooms, page by page. */
export class RoomArchive {
  readonly #requests: Requests;
  readonly #queries = new Map<string, Query>();
  #count = 0;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Never rejects. */
  async page(room: string, which: Which): Promise<ArchivePage> {
    this.#count += 1;
    const id = `q${this.#count}`;
    const query: Query = { room, items: [] };
    this.#queries.set(id, query);
    const answer = await this.#requests.ask("set", room, queryOf(id, which), 60_000);
    this.#queries.delete(id);
    return pageOf(answer, query.items);
  }

  /** A message with a result of a query. False: it is none of ours, and to be ignored (XEP-0313 §6). */
  take(message: Stanza): boolean {
    const result = child(message, "result", NS.mam);
    const query = this.#queries.get(attr(result, "queryid"));
    const forwarded = child(result, "forwarded", NS.forward);
    const inner = child(forwarded, "message");
    const id = attr(result, "id");
    if (query === undefined || attr(message, "from") !== query.room || query.items.length >= ITEMS_MAX) return false;
    if (forwarded === undefined || inner === undefined || id === "") return false;
    query.items.push({ id, atMs: delayMs(forwarded) ?? 0, message: inner });
    return true;
  }
}

function queryOf(queryid: string, which: Which): Stanza {
  const field = (name: string, value: string): Stanza => el("field", { var: name }, el("value", {}, value));
  const start = "fromMs" in which ? [field("start", new Date(which.fromMs).toISOString())] : [];
  const typed = el("field", { var: "FORM_TYPE", type: "hidden" }, el("value", {}, NS.mam));
  const form = el("x", { xmlns: NS.form, type: "submit" }, typed, ...start);
  const after = "after" in which && which.after !== null ? el("after", {}, which.after) : null;
  const before = "before" in which ? el("before", {}, which.before ?? "") : null;
  const set = el("set", { xmlns: NS.rsm }, el("max", {}, String(PAGE)), after, before);
  return el("query", { xmlns: NS.mam, queryid }, form, set);
}

function pageOf(answer: IqResult, items: readonly Archived[]): ArchivePage {
  if (!answer.ok) return answer;
  const fin = child(answer.iq, "fin", NS.mam);
  const last = childText(child(fin, "set", NS.rsm), "last");
  return { ok: true, items, complete: attr(fin, "complete") === "true" || items.length === 0, last };
}

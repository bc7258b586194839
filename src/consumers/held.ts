import type { ApiEvent, DurableType } from "../contract/api-v1.ts";
import type { Entry, Seq, Subject } from "../log/log.ts";
import type { FeedItem } from "./feed.ts";
import { type FilterPlan, within } from "./filter.ts";

/** Most readings of one entry by readers of other gateways that are kept. */
const NARROWED_MAX = 8;

/** Makes the event of an entry; null: there is none to show. */
export type Decode = (entry: Entry & { readonly payload: string }) => MadeEvent | null;

export interface MadeEvent {
  readonly event: ApiEvent;
  /** When links in it end; null: there are none. */
  readonly linksUntil: number | null;
}

/** An entry that readers may ask for, and what was made of it: once, whoever asks. */
export class HeldEvent {
  readonly seq: Seq;
  readonly subject: Subject;
  #entry: Entry | null;
  #item: FeedItem | null = null;
  #linksUntil: number | null = null;
  #narrowed: Map<string, FeedItem> | null = null;

  constructor(entry: Entry) {
    this.seq = entry.seq;
    this.subject = entry.subject;
    this.#entry = entry;
  }

  /** Of what was made of it. */
  get chars(): number {
    return this.#item?.json.length ?? 0;
  }

  /** `gone`: its text has to be read again. */
  item(decode: Decode, linksUntil: () => number | null): FeedItem | null | "gone" {
    // Links in it no longer hold for as long as those that are made now.
    if (this.#linksUntil !== null && this.#linksUntil !== linksUntil()) return "gone";
    const entry = this.#entry;
    if (entry === null) return this.#item;
    const { payload } = entry;
    if (payload === null) return "gone";
    const made = decode({ seq: entry.seq, subject: entry.subject, at: entry.at, label: entry.label, payload });
    this.#entry = null;
    if (made === null) return null;
    this.#linksUntil = made.linksUntil;
    this.#item = itemOf(this.seq, made.event);
    return this.#item;
  }

  /** As a reader of these gateways gets it; null: it does not. */
  narrowed(item: FeedItem, gateways: ReadonlySet<string>): FeedItem | null {
    if (item.event.gateways.every((name) => gateways.has(name))) return item;
    const event = within(item.event, gateways);
    if (event === null) return null;
    const key = event.gateways.join("\n");
    this.#narrowed ??= new Map();
    const known = this.#narrowed.get(key);
    if (known !== undefined) return known;
    const made = itemOf(this.seq, event);
    if (this.#narrowed.size < NARROWED_MAX) this.#narrowed.set(key, made);
    return made;
  }
}

function itemOf(seq: Seq, event: ApiEvent): FeedItem {
  const type: DurableType = event.type;
  return { seq, type, event, json: toJson(event) };
}

/** Compact JSON in which no character stands that some clients take for the end of a line. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  return LINE_ENDS.test(json) ? json.replaceAll(EACH_LINE_END, escape) : json;
}

const LINE_ENDS = /[\u0085\u2028\u2029]/;
const EACH_LINE_END = /[\u0085\u2028\u2029]/g;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What a filter leaves of an entry: `gone` and null as in `HeldEvent.item`. */
export function passing(
  held: HeldEvent,
  plan: FilterPlan,
  { decode, linksUntil }: { readonly decode: Decode; readonly linksUntil: () => number | null },
): FeedItem | null | "gone" {
  const item = held.item(decode, linksUntil);
  if (item === null || item === "gone") return item;
  if (!plan.takes(item.type)) return null;
  return plan.gateways === null ? item : held.narrowed(item, plan.gateways);
}

import type { Event } from "../../contract/events.ts";
import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import { isTs, slackTimeOf } from "./model.ts";

/** An event and a message that are as near to each other tell of the same coming or going. */
const NEAR_MS = 15_000;
const KEPT_MAX = 100;

/** Somebody came or went: when the event of it was, and its message; empty: none was told yet. */
interface Coming {
  readonly who: string;
  readonly event: string;
  readonly message: string;
}

/**
 * Who came and went lately, as it was told: by an event and, unless the workspace has turned that off, by a message,
 * which the history has as well. A part of the cursor.
 */
export class RecentComings {
  /** Oldest first. */
  #told: readonly Coming[];
  #moved = false;

  /** `cursor`: the whole of it. */
  constructor(cursor: Json) {
    this.#told = listIn(cursor, "comings").flatMap((raw) => comingIn(raw) ?? []);
  }

  /** They are other than when they were written last. */
  get moved(): boolean {
    return this.#moved;
  }

  /** False for a coming or going that was told; it counts as told then. All other events are news. */
  isNews(event: Event, by: "event" | "message", ts: string): boolean {
    if (event.kind !== "member" || !isTs(ts)) return true;
    const who = `${event.channel} ${event.author.id} ${event.change}`;
    const mine = this.#told.filter((one) => one.who === who);
    if (mine.some((one) => one[by] === ts)) return false;
    const other = by === "event" ? "message" : "event";
    const twin = mine.find((one) => one[by] === "" && isNear(one[other], ts)) ?? null;
    const coming = { ...(twin ?? { who, event: "", message: "" }), [by]: ts };
    this.#told = [...this.#told.filter((one) => one !== twin), coming].slice(-KEPT_MAX);
    this.#moved = true;
    return twin === null;
  }

  /** Their part of a cursor, which is up to date then. */
  write(): Json {
    this.#moved = false;
    return this.#told.length === 0 ? {} : { comings: this.#told };
  }
}

const isNear = (one: string, other: string): boolean => Math.abs(slackTimeOf(one) - slackTimeOf(other)) < NEAR_MS;

function comingIn(raw: unknown): Coming | null {
  if (!isObject(raw)) return null;
  const [who, event, message] = [textIn(raw, "who"), textIn(raw, "event"), textIn(raw, "message")];
  return who === null || event === null || message === null ? null : { who, event, message };
}

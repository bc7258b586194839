import type { AdapterLog } from "../../contract/host.ts";
import type { Client, Result } from "./client.ts";
import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import { isOwnJoin } from "./presence.ts";
import { type RoomEvent, roomEvent } from "./receive.ts";

/** Events of a page; fewer when a page was too large to be read. */
const PAGE_EVENTS = 100;
/** Pages that one outage may take in one room. */
const PAGES_MAX = 100;
/** … and what they may take as JSON: they are all held until the oldest is there. */
const CHARACTERS_MAX = 32 << 20;

interface Gap {
  readonly client: Client;
  readonly log: AdapterLog;
  readonly room: string;
  readonly user: string;
  /** Where the known events begin, and where those before the outage ended. */
  readonly from: string;
  readonly to: string;
  /** Ids of the known events. */
  readonly known: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

export interface Filled {
  /** Oldest first. */
  readonly events: readonly RoomEvent[];
  /** `m.room.member` of who wrote them. */
  readonly members: readonly Json[];
}

/** What was left out between two answers of /sync, read backwards; it ends where we entered the room. */
export async function fillGap(gap: Gap): Promise<Result<Filled>> {
  const pages: (readonly RoomEvent[])[] = [];
  const members: Json[] = [];
  const seen = new Set(gap.known);
  let from = gap.from;
  let characters = 0;
  let limit = PAGE_EVENTS;
  for (let page = 0; page < PAGES_MAX && characters < CHARACTERS_MAX; page += 1) {
    const answer = await gap.client.messages(gap.room, { from, to: gap.to, limit }, gap.signal);
    if (!answer.ok && answer.failure.why.code === "too_large" && limit > 1) {
      limit = Math.floor(limit / 10);
      continue;
    }
    if (!answer.ok) return answer;
    const { page: told } = answer.value;
    characters += answer.value.characters;
    const events = listIn(told, "chunk")
      .filter(isObject)
      .flatMap((raw) => roomEvent(raw) ?? []);
    const entered = events.findIndex((event) => isOwnJoin(event, gap.user));
    const news = (entered === -1 ? events : events.slice(0, entered + 1)).filter(({ id }) => !seen.has(id));
    for (const { id } of news) seen.add(id);
    pages.unshift(news.reverse());
    members.push(...listIn(told, "state").filter(isObject));
    const next = textIn(told, "end");
    if (next === null || next === from || entered !== -1) return { ok: true, value: { events: pages.flat(), members } };
    from = next;
  }
  gap.log.warn({ room: gap.room, events: seen.size }, "too many messages were missed: Rialto fetches only the newest");
  return { ok: true, value: { events: pages.flat(), members } };
}

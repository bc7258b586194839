import { onAbort } from "../../lib/abort.ts";
import { domainOf, isRoomJid, localOf } from "./jid.ts";
import { NS } from "./ns.ts";
import type { IqResult, Requests } from "./requests.ts";
import { attr, child, el } from "./xml.ts";

const ASK_MS = 10_000;
/** Of a service with very many, so many are looked at. */
const ROOMS_MAX = 1_000;

interface ListOptions {
  readonly requests: Pick<Requests, "ask">;
  readonly service: string;
  /** Addresses of the rooms that we are in. */
  readonly entered: readonly string[];
}

/**
 * The rooms that we are in, those of our bookmarks (XEP-0402), and those that the service tells everybody of (XEP-0045
 * §6.3); without the service where it is `service`.
 */
export async function listRooms(
  { requests, service, entered }: ListOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const over = Promise.withResolvers<null>();
  const release = onAbort(signal, () => over.resolve(null));
  const bookmarks = el("pubsub", { xmlns: NS.pubsub }, el("items", { node: NS.bookmarks }));
  const asked = Promise.all([
    requests.ask("get", null, bookmarks, ASK_MS).then(bookmarksIn),
    requests.ask("get", service, el("query", { xmlns: NS.discoItems }), ASK_MS).then(roomsIn),
  ]);
  const listed = (await Promise.race([asked, over.promise])) ?? [];
  release();
  const rooms = [...entered, ...listed.flat()].filter(isRoomJid);
  return rooms.map((jid) => (domainOf(jid) === service.toLowerCase() ? (localOf(jid) ?? jid) : jid));
}

function bookmarksIn(answer: IqResult): readonly string[] {
  if (!answer.ok) return [];
  const pubsub = child(answer.iq, "pubsub", NS.pubsub);
  const items = pubsub === undefined ? [] : (child(pubsub, "items", NS.pubsub)?.getChildren("item") ?? []);
  return items.slice(0, ROOMS_MAX).map((item) => attr(item, "id"));
}

function roomsIn(answer: IqResult): readonly string[] {
  if (!answer.ok) return [];
  const items = child(answer.iq, "query", NS.discoItems)?.getChildren("item") ?? [];
  return items.slice(0, ROOMS_MAX).map((item) => attr(item, "jid"));
}

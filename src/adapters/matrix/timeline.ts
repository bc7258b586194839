import type { Event } from "../../contract/events.ts";
import { roomRef } from "./ids.ts";
import type { Host } from "../../contract/host.ts";
import type { OpId } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import { Lru } from "../../lib/lru.ts";
import { pollAnswers } from "./body.ts";
import type { Client, Result } from "./client.ts";
import { quote } from "../kit/ends.ts";
import { FaultGuard } from "../kit/guard.ts";
import { TURNS } from "../kit/turn-budget.ts";
import { fillGap } from "./gap.ts";
import { isUnchanged } from "./hints.ts";
import { isObject, type Json, listIn, objectIn, textIn } from "../kit/json.ts";
import { authorOf } from "./names.ts";
import { ownChange, whilePresent } from "./presence.ts";
import {
  type Annotation,
  annotationIn,
  type MatrixReceiveContext,
  type RoomEvent,
  roomEvent,
  toEvents,
} from "./receive.ts";
import { replacementIn, type MatrixRoom } from "./room.ts";
import type { MatrixRooms } from "./rooms.ts";
import type { MatrixSettings } from "./settings.ts";

/** So many reactions are remembered, each of which can be taken back. */
const REACTIONS_MAX = 20_000;
/** So many events are known again: a room that we are back in is told from before we left it. */
const SEEN_MAX = 20_000;
/** So many polls are remembered, so that their ends can name the answers. */
const POLLS_MAX = 1_000;
const BANNED_MS = 30 * 60_000;

interface TimelineOptions {
  readonly client: Client;
  readonly host: Host;
  readonly rooms: MatrixRooms;
  readonly settings: MatrixSettings;
  readonly user: string;
  readonly isOwn: (user: string) => boolean;
  readonly opOf: (txn: string) => OpId | null;
}

/** Reads answers of /sync: what happened becomes events, and rooms change with it. */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #annotations = new Lru<string, Annotation>(REACTIONS_MAX);
  readonly #polls = new Lru<string, ReadonlyMap<string, string>>(POLLS_MAX);
  readonly #seen = new Lru<string, true>(SEEN_MAX);
  readonly #guard: FaultGuard;
  #undecrypted = 0;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#guard = new FaultGuard(options.host.log, "an event could not be read");
  }

  /** Reactions from before: they are told no more, but their end is understood. */
  recall(raw: readonly Json[]): void {
    for (const event of raw.flatMap((one) => roomEvent(one) ?? [])) {
      const annotation = annotationIn(event);
      if (annotation !== null) this.#annotations.set(event.id, annotation);
    }
  }

  /** All that an answer tells, oldest first in each room. Gaps are filled before anything counts. */
  async read(response: Json, since: string, signal: AbortSignal): Promise<Result<readonly Event[]>> {
    const rooms = objectIn(response, "rooms");
    const events: Event[] = [];
    const whole: [id: string, events: readonly RoomEvent[]][] = [];
    for (const [id, part] of partsOf(rooms)) {
      if (TURNS.isSpent) await TURNS.free();
      const found = await TURNS.spend(() => this.#whole(id, part, since, signal));
      if (!found.ok) return found;
      if (found.value.length > 0) whole.push([id, found.value]);
    }
    // Only now: what counts as told must not be asked for again because another room failed.
    for (const [id, found] of whole) {
      if (TURNS.isSpent) await TURNS.free();
      await TURNS.spend(() => this.#take(id, found, events));
    }
    await TURNS.each(Object.keys(objectIn(rooms, "leave")), (id) => this.#left(id));
    // The room is not ours yet: whatever waits to be joined is tried again.
    const invite = Object.keys(objectIn(rooms, "invite"));
    await TURNS.each(invite, (id) => this.#options.host.lost(roomRef(id), INVITED, 0));
    return { ok: true, value: events };
  }

  async #whole(id: string, part: Json, since: string, signal: AbortSignal): Promise<Result<readonly RoomEvent[]>> {
    if (isUnchanged(part)) return { ok: true, value: [] };
    const { client, host, rooms, user } = this.#options;
    const timeline = objectIn(part, "timeline");
    const { members } = rooms.get(id);
    const state = listIn(objectIn(part, "state"), "events").filter(isObject);
    const events = listIn(timeline, "events")
      .filter(isObject)
      .flatMap((raw) => roomEvent(raw) ?? []);
    const from = textIn(timeline, "prev_batch");
    const isWhole =
      timeline["limited"] !== true || from === null || events.some((event) => ownChange(event, user) === "enter");
    const known = new Set(events.map((event) => event.id));
    const gap = isWhole
      ? { ok: true as const, value: { events: [], members: [] } }
      : await fillGap({ client, log: host.log, room: id, user, from, to: since, known, signal });
    if (!gap.ok) {
      const { status, why } = gap.failure;
      const isPassing = ["rate_limited", "auth", "remote_error"].includes(why.code);
      // What the server will never tell must not stop the account: a room that we have left, or a position it knows no
      // more.
      if (status < 400 || status >= 500 || isPassing) return gap;
      host.log.warn({ room: id, why: why.message }, "missed messages cannot be fetched and are lost");
    }
    const earlier = gap.ok ? gap.value : { events: [], members: [] };
    await TURNS.each([...earlier.members, ...state], (raw) => {
      if (textIn(raw, "type") === "m.room.member") members.take(raw);
    });
    return { ok: true, value: whilePresent([...earlier.events, ...events], user) };
  }

  async #take(id: string, events: readonly RoomEvent[], told: Event[]): Promise<void> {
    const { rooms, user } = this.#options;
    const room = rooms.get(id);
    const context = this.#context(room);
    const isLeft = events.map((event) => ownChange(event, user)).findLast((change) => change !== null) === "leave";
    await TURNS.each(events, (event) => {
      if (this.#seen.get(event.id) === true) return;
      this.#seen.set(event.id, true);
      const annotation = annotationIn(event);
      if (annotation !== null) this.#annotations.set(event.id, annotation);
      const answers = event.type.endsWith("poll.start") ? pollAnswers(event.content) : null;
      if (answers !== null) this.#polls.set(event.id, answers);
      if (!room.unwanted) told.push(...this.#events(event, context));
      this.#follow(room, event, isLeft);
    });
  }

  /** One event must not hold up its room forever: every later answer would begin with it. */
  #events(event: RoomEvent, context: MatrixReceiveContext): readonly Event[] {
    return this.#guard.run(() => toEvents(event, context), { room: context.channel, type: event.type }) ?? [];
  }

  #context(room: MatrixRoom): MatrixReceiveContext {
    const { settings, isOwn, opOf } = this.#options;
    return {
      channel: roomRef(room.id),
      isOwn,
      opOf,
      author: (user, person) => authorOf(user, person, room.members, settings),
      annotation: (eventId) => this.#annotations.get(eventId) ?? null,
      answers: (eventId) => this.#polls.get(eventId) ?? null,
      keepQuotedReply: settings.KeepQuotedReply,
    };
  }

  /** What an event changes for us. `isLeft`: in the end we are not in the room. */
  #follow(room: MatrixRoom, event: RoomEvent, isLeft: boolean): void {
    const { rooms, user, host } = this.#options;
    if (event.type === "m.room.encrypted") {
      this.#undecrypted += 1;
      host.log.debug({ room: room.id, soFar: this.#undecrypted }, "an encrypted message cannot be read");
    }
    // Anybody may send messages of these types: only as state they mean something.
    if (event.stateKey === null || (event.type !== "m.room.member" && event.stateKey !== "")) return;
    switch (event.type) {
      case "m.room.member":
        room.members.take(event.raw);
        if (isLeft && ownChange(event, user) === "leave")
          rooms.leave(room.id, gone(event, user), isBan(event) ? BANNED_MS : 0);
        break;
      case "m.room.encryption":
        rooms.encrypted(room);
        break;
      case "m.room.tombstone":
        if (replacementIn(event.content) !== null) rooms.lose(room, REPLACED, 0);
        break;
      default:
    }
  }

  /** Mostly told by an event before; a room that was taken away by the server has none. */
  #left(id: string): void {
    this.#options.rooms.leave(id, { code: "not_found", message: "Rialto is no longer in the room" }, 0);
  }
}

/** A room that we left and joined again is in both parts of an answer: it counts as joined. */
function* partsOf(rooms: Json): Generator<readonly [id: string, part: Json]> {
  const [leave, join] = [objectIn(rooms, "leave"), objectIn(rooms, "join")];
  for (const id of Object.keys(leave)) if (!Object.hasOwn(join, id)) yield [id, objectIn(leave, id)];
  for (const id of Object.keys(join)) yield [id, objectIn(join, id)];
}

const INVITED: Reason = { code: "not_found", message: "Rialto is invited" };
const REPLACED: Reason = { code: "not_found", message: "the room was replaced by another; Rialto joins that one" };

const isBan = ({ content }: RoomEvent): boolean => textIn(content, "membership") === "ban";

function gone(event: RoomEvent, user: string): Reason {
  if (event.sender === user)
    return { code: "not_found", message: "Rialto's user left the room through another program" };
  const reason = quote(textIn(event.content, "reason") ?? "");
  const verb = isBan(event) ? "banned" : "kicked";
  return { code: "forbidden", message: `${event.sender} ${verb} Rialto${reason === "" ? "" : ` (${reason})`}` };
}

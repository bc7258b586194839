import type { Host } from "../../contract/host.ts";
import { roomRef } from "./ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined } from "../../contract/session.ts";
import type { Client } from "./client.ts";
import type { MatrixFailure } from "./failure.ts";
import { isObject, type Json, listIn } from "../kit/json.ts";
import { TURNS } from "../kit/turn-budget.ts";
import { personIn } from "./members.ts";
import { emptyRoom, hasEveryRight, missingRights, replacementIn, type MatrixRoom, serverOf } from "./room.ts";

/** Rooms that are known beside those that the core has joined: a homeserver may speak of any number. */
const OTHERS_MAX = 10_000;
/** A room may have been replaced by one that was replaced in turn. */
const UPGRADES_MAX = 8;
/** Whoever opens a room that stays shut, or decrypts one, is a person. */
const PERSON_MS = 30 * 60_000;

const ENCRYPTED: Reason = {
  code: "unsupported",
  message: "the room is encrypted: Rialto can neither read it nor write to it; use a room without encryption",
};

interface RoomsOptions {
  readonly client: Client;
  readonly host: Host;
  readonly user: string;
  readonly isOwn: (user: string) => boolean;
  /** Events from before we came, of types that later ones speak of. */
  readonly recall: (events: readonly Json[]) => void;
}

/** The rooms that we are in, and how we get into them. */
export class MatrixRooms {
  readonly #options: RoomsOptions;
  readonly #rooms = new Map<string, MatrixRoom>();

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** As the homeserver speaks of it. */
  get(id: string): MatrixRoom {
    let room = this.#rooms.get(id);
    if (room === undefined) {
      room = emptyRoom(id, this.#options.isOwn);
      this.#rooms.set(id, room);
      this.#forgetOldest();
    }
    return room;
  }

  #forgetOldest(): void {
    if (this.#rooms.size <= OTHERS_MAX) return;
    for (const { id, joined, unwanted } of this.#rooms.values()) {
      if (joined || unwanted) continue;
      this.#rooms.delete(id);
      return;
    }
  }

  /** The one that is this channel of the core's; null while there is none. */
  joined(id: string): MatrixRoom | null {
    const room = this.#rooms.get(id);
    return room?.joined === true ? room : null;
  }

  /** Nothing can be said anywhere any more. */
  end(): void {
    for (const room of this.#rooms.values()) room.joined = false;
  }

  /** We are no longer in it. */
  leave(id: string, why: Reason, retryInMs: number): void {
    const room = this.#rooms.get(id);
    this.#rooms.delete(id);
    if (room?.joined === true) this.#options.host.lost(roomRef(id), why, retryInMs);
  }

  /** It cannot be used any more, though we are in it. */
  lose(room: MatrixRoom, why: Reason, retryInMs: number): void {
    if (!room.joined) return;
    room.joined = false;
    this.#options.host.lost(roomRef(room.id), why, retryInMs);
  }

  /** It is no longer wanted. We stay there: who may come back only by an invitation would be out for good. */
  dismiss(id: string): void {
    const room = this.#rooms.get(id);
    if (room === undefined) return;
    room.joined = false;
    room.unwanted = true;
  }

  encrypted(room: MatrixRoom): void {
    this.lose(room, ENCRYPTED, PERSON_MS);
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const { client, host } = this.#options;
    let next = name;
    let via = serverOf(name);
    for (let upgrade = 0; upgrade <= UPGRADES_MAX; upgrade += 1) {
      const entered = await client.join(next, via, { signal });
      if (!entered.ok) return this.#refused(next, entered.failure);
      const tombstone = await client.state(entered.value, "m.room.tombstone", signal);
      const replacement = tombstone.ok ? replacementIn(tombstone.value) : null;
      if (replacement === null) return await this.#look(entered.value, signal);
      host.log.info(
        { channel: name, room: entered.value, replacement },
        "the room was replaced by another; Rialto joins that one",
      );
      via = serverOf(replacement) ?? serverOf(entered.value) ?? serverOf(this.#options.user);
      next = replacement;
    }
    return { ok: false, why: { code: "not_found", message: "the room was replaced too often" }, retryInMs: PERSON_MS };
  }

  /** We are in: can it be used, and who is there? */
  async #look(id: string, signal: AbortSignal): Promise<Joined> {
    const { client, host, user, recall } = this.#options;
    const [encryption, creation, levels, members, reactions] = await Promise.all([
      client.state(id, "m.room.encryption", signal),
      client.creation(id, signal),
      client.state(id, "m.room.power_levels", signal),
      client.joinedMembers(id, signal),
      client.newestReactions(id, signal),
    ]);
    if (encryption.ok) return { ok: false, why: ENCRYPTED, retryInMs: PERSON_MS };
    const failed = [encryption, members].find((result) => !result.ok && result.failure.status !== 404);
    if (failed?.ok === false) return { ok: false, why: failed.failure.why, retryInMs: failed.failure.retryInMs };
    // Without them, only the end of an older reaction is not understood.
    if (reactions.ok) recall(listIn(reactions.value, "chunk").filter(isObject).toReversed());
    const room = this.get(id);
    await TURNS.each(Object.entries(members.ok ? members.value : {}), ([person, profile]) => {
      if (isObject(profile)) room.members.put(person, personIn(profile));
    });
    room.ours = creation.ok && hasEveryRight(creation.value, user);
    const { cannotSpeak, without } = this.#rights(levels.ok && !room.ours ? levels.value : null, user);
    if (cannotSpeak) host.log.warn({ room: id, user }, "Rialto may not write in this room; raise its power level");
    room.joined = true;
    room.unwanted = false;
    return { ok: true, ref: roomRef(id), without };
  }

  #rights(levels: Json | null, user: string): ReturnType<typeof missingRights> {
    return levels === null ? { cannotSpeak: false, without: [] } : missingRights(levels, user);
  }

  #refused(name: string, failure: MatrixFailure): Joined {
    const { why, errcode, retryInMs } = failure;
    const { user } = this.#options;
    if (errcode === "M_BAD_STATE" && /\bban/u.test(why.message)) {
      return {
        ok: false,
        why: { code: "forbidden", message: `${why.message}; lift the ban of ${user}` },
        retryInMs: PERSON_MS,
      };
    }
    // An invitation makes the core try again at once.
    if (errcode === "M_FORBIDDEN") {
      return {
        ok: false,
        why: { code: "forbidden", message: `${why.message}; invite ${user}, or lift its ban` },
        retryInMs,
      };
    }
    if (failure.status === 404) {
      return {
        ok: false,
        why: { code: "not_found", message: `${why.message}; check the name ${JSON.stringify(name)}` },
        retryInMs,
      };
    }
    return { ok: false, why, retryInMs };
  }
}

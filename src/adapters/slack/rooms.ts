import type { Host } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined } from "../../contract/session.ts";
import { inTime } from "../kit/in-time.ts";
import { notJoined } from "../kit/joining.ts";
import { type Json, textIn } from "../kit/json.ts";
import type { SlackApi } from "./api.ts";
import { channelRef } from "./ids.ts";
import type { SlackIdentity } from "./login.ts";
import { channelIn, type SlackChannel } from "./model.ts";
import { codeOf, type SlackFailure, type SlackResult } from "./result.ts";
import type { SlackRoom } from "./room.ts";

/** Whoever opens a channel that stays shut is a person; an event says when it is open. */
const PERSON_MS = 30 * 60_000;
/** Whoever removes us should not see us back at once. */
const REMOVED_MS = 60_000;
/** For so long a list of channels is taken as it was. */
const LISTED_MS = 30_000;
/** A long list is read on when nobody waits for it any more: it is asked for again soon. */
const LIST_MS = 600_000;
/** So many channels that are named by their ids are asked for one by one. */
const FEW_IDS = 5;
const ID = "ID:";

const ARCHIVED: Reason = {
  code: "not_found",
  message: "the channel is archived; Rialto joins it again when somebody unarchives it",
};
const REMOVED: Reason = { code: "forbidden", message: "Rialto was removed from the channel" };
const RESTORED: Reason = { code: "not_found", message: "the channel is no longer archived" };
const ADDED: Reason = { code: "not_found", message: "Rialto was added to the channel" };
const RENAMED: Reason = { code: "not_found", message: "the channel has another name now" };
const RENEWED: Reason = { code: "not_found", message: "the app may do other things now" };
const DELETED: Reason = { code: "not_found", message: "the channel was deleted" };

interface SlackRoomsOptions {
  readonly api: Pick<SlackApi, "channel" | "channelsPage" | "enter">;
  readonly host: Pick<Host, "clock" | "lost">;
  readonly me: Pick<SlackIdentity, "userId" | "name" | "scopes">;
  /** We are in, and about to listen. */
  readonly onEntering: (id: string, signal: AbortSignal) => Promise<void>;
  /** We are in: what is said there counts. */
  readonly onEntered: (id: string) => void;
  /** We are out, or it is of no use any more. */
  readonly onLeft: (id: string) => void;
  /** Of the session. */
  readonly signal: AbortSignal;
}

/** A list of channels: those that we are in, or all that are public. */
interface Listing {
  readonly untilMs: number;
  /** Of all others nothing is kept. */
  readonly wanted: ReadonlySet<string>;
  readonly found: Promise<SlackResult<ReadonlyMap<string, SlackChannel>>>;
}

/** The channels that we are in, and how we get into them. */
export class SlackRooms {
  readonly #options: SlackRoomsOptions;
  readonly #rooms = new Map<string, SlackRoom>();
  /** Names of those that we could not get into. */
  readonly #shut = new Set<string>();
  /** Ids of those that we are getting into. */
  readonly #entering = new Set<string>();
  /** Names of those that were ever asked for; of ids, behind `ID`. */
  readonly #wanted = new Set<string>();
  #askedIds = 0;
  #couldReact: boolean;
  readonly #listings = new Map<"mine" | "public", Listing>();

  constructor(options: SlackRoomsOptions) {
    this.#options = options;
    this.#couldReact = this.#reacts;
  }

  /** Null while it is not joined. */
  joined(id: string): SlackRoom | null {
    const room = this.#rooms.get(id);
    return room?.joined === true ? room : null;
  }

  /** Its name, without `#`, as far as it was seen. */
  nameOf(id: string): string | null {
    return this.#rooms.get(id)?.name ?? null;
  }

  /** Nothing can be said anywhere any more. */
  end(): void {
    for (const room of this.#rooms.values()) room.joined = false;
  }

  /** It cannot be used any more. */
  lose(id: string, why: Reason, retryInMs: number): void {
    const room = this.#rooms.get(id);
    this.#rooms.delete(id);
    if (room?.joined !== true) return;
    room.joined = false;
    this.#options.onLeft(id);
    this.#options.host.lost(channelRef(id), why, retryInMs);
  }

  /** It is no longer wanted. We stay: in a private channel, nobody may be there to let us in again. */
  dismiss(id: string): void {
    const room = this.#rooms.get(id);
    if (room !== undefined) room.joined = false;
    this.#rooms.delete(id);
  }

  /** The app may do other things than before. What a channel can do is said when it is joined. */
  renewed(): void {
    if (this.#couldReact === this.#reacts) return;
    this.#couldReact = this.#reacts;
    for (const id of this.#rooms.keys()) this.lose(id, RENEWED, 0);
  }

  get #reacts(): boolean {
    return this.#options.me.scopes.has("reactions:write");
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const joined = await this.#join(name.replace(/^#/u, ""), signal);
    if (joined.ok) this.#shut.delete(name);
    else this.#shut.add(name);
    return joined;
  }

  async #join(name: string, signal: AbortSignal): Promise<Joined> {
    const found = await this.#find(name, signal);
    if (isAborted(signal)) return GIVEN_UP;
    if (!found.ok) return refusal(found.failure);
    const channel = found.value;
    if (channel === null) return this.#unseen(name);
    if (channel.isArchived) return refused(ARCHIVED, PERSON_MS);
    const { id } = channel;
    if (!channel.isMember) {
      this.#entering.add(id);
      const entered = await this.#enter(channel, signal);
      this.#entering.delete(id);
      if (entered !== null) return entered;
    }
    if (this.joined(id) === null) {
      await this.#options.onEntering(id, signal);
      if (isAborted(signal)) return GIVEN_UP;
      this.#rooms.set(id, { id, name: channel.name, isPrivate: channel.isPrivate, joined: true });
      this.#options.onEntered(id);
    }
    return { ok: true, ref: channelRef(id), without: this.#reacts ? [] : ["react"] };
  }

  /** Names of channels that we are in, then of public ones: a page of each. */
  async list(signal: AbortSignal): Promise<readonly string[]> {
    const { api } = this.#options;
    const names = new Set<string>();
    for (const mine of [true, false]) {
      const page = await api.channelsPage({ mine, cursor: "" }, signal);
      const rooms = page.ok ? page.value.channels.filter(({ isArchived }) => !isArchived) : [];
      for (const { name } of rooms) names.add(name);
    }
    return [...names];
  }

  /** What the server tells of channels, and of who is in them. `channel`: the id of the one. */
  take(event: Json, channel: string): void {
    const { me, host } = this.#options;
    const isMe = textIn(event, "user") === me.userId;
    switch (textIn(event, "type") ?? "") {
      case "channel_rename":
      case "group_rename":
        return this.#renamed(channelIn(event["channel"]));
      case "channel_archive":
      case "group_archive":
        return this.#over(channel, ARCHIVED, PERSON_MS);
      case "channel_deleted":
      case "group_deleted":
        return this.#over(channel, DELETED, PERSON_MS);
      case "channel_left":
      case "group_left":
        return this.#over(channel, REMOVED, REMOVED_MS);
      case "member_left_channel":
        if (isMe) this.#over(channel, REMOVED, REMOVED_MS);
        return;
      case "channel_id_changed": {
        this.#listings.clear();
        return this.lose(textIn(event, "old_channel_id") ?? channel, RENAMED, 0);
      }
      case "channel_unarchive":
      case "group_unarchive":
        this.#listings.clear();
        // Whatever waits to be joined is tried again.
        return host.lost(channelRef(channel), RESTORED, 0);
      case "member_joined_channel":
      case "channel_joined":
      case "group_joined":
        if (isMe || textIn(event, "user") === null) this.#added(channel);
        return;
      default:
    }
  }

  /** By somebody else, to one that we could not get into. */
  #added(channel: string): void {
    this.#listings.clear();
    if (this.#shut.size === 0 || this.joined(channel) !== null || this.#entering.has(channel)) return;
    this.#options.host.lost(channelRef(channel), ADDED, 0);
  }

  #over(channel: string, why: Reason, retryInMs: number): void {
    this.#listings.clear();
    this.lose(channel, why, retryInMs);
  }

  #renamed(channel: SlackChannel | null): void {
    if (channel === null) return;
    this.#listings.clear();
    const room = this.#rooms.get(channel.id);
    if (room !== undefined && channel.name !== "") room.name = channel.name;
    // A name that somebody waits for may be there now.
    if (this.#shut.has(channel.name) || this.#shut.has(`#${channel.name}`)) {
      this.#options.host.lost(channelRef(channel.id), RENAMED, 0);
    }
  }

  /** Null: there is none that we can see. */
  async #find(name: string, signal: AbortSignal): Promise<SlackResult<SlackChannel | null>> {
    const id = /^ID:(?<id>.*)$/isu.exec(name)?.groups?.["id"]?.toUpperCase();
    if (id !== undefined) return await this.#findById(id, signal);
    for (const list of ["mine", "public"] as const) {
      const found = await this.#findIn(list, name.toLowerCase(), signal);
      if (!found.ok || found.value !== null || signal.aborted) return found;
    }
    return NOT_FOUND;
  }

  /** A few are asked for; many are in the list of those that we are in. */
  async #findById(id: string, signal: AbortSignal): Promise<SlackResult<SlackChannel | null>> {
    this.#askedIds += 1;
    if (this.#askedIds > FEW_IDS) {
      const found = await this.#findIn("mine", ID + id, signal);
      if (found.ok && (found.value !== null || signal.aborted)) return found;
    }
    return await this.#options.api.channel(id, signal);
  }

  async #findIn(list: "mine" | "public", name: string, signal: AbortSignal): Promise<SlackResult<SlackChannel | null>> {
    this.#wanted.add(name);
    const { clock } = this.#options.host;
    return await inTime(this.#lookUp(list, name), { clock, ms: LIST_MS, signal }, () => NOT_FOUND);
  }

  /** Lists are read once for all who want one of them at about the same time. */
  async #lookUp(list: "mine" | "public", name: string): Promise<SlackResult<SlackChannel | null>> {
    for (;;) {
      const nowMs = this.#options.host.clock.monoMs();
      const known = this.#listings.get(list);
      if (known === undefined || known.untilMs < nowMs) {
        const wanted = new Set(this.#wanted);
        this.#listings.set(list, { untilMs: nowMs + LISTED_MS, wanted, found: this.#read(list === "mine", wanted) });
        continue;
      }
      const answer = await known.found;
      const isLatest = this.#listings.get(list) === known;
      if (!answer.ok || !known.wanted.has(name)) {
        if (isLatest) this.#listings.delete(list);
        if (!answer.ok) return answer;
        continue;
      }
      return { ok: true, value: answer.value.get(name) ?? null };
    }
  }

  async #read(mine: boolean, wanted: ReadonlySet<string>): Promise<SlackResult<ReadonlyMap<string, SlackChannel>>> {
    const { api, signal } = this.#options;
    const found = new Map<string, SlackChannel>();
    let cursor = "";
    do {
      const page = await api.channelsPage({ mine, cursor }, signal);
      if (!page.ok) return page;
      for (const channel of page.value.channels) {
        for (const name of [channel.name, ID + channel.id]) if (wanted.has(name)) found.set(name, channel);
      }
      if (page.value.next === cursor) break;
      cursor = page.value.next;
    } while (cursor !== "" && found.size < wanted.size);
    return { ok: true, value: found };
  }

  /** Null when we are in. */
  async #enter({ id, isPrivate }: SlackChannel, signal: AbortSignal): Promise<Joined | null> {
    const { api, me } = this.#options;
    const invite = `/invite @${me.name}`;
    if (isPrivate) {
      return refused(
        { code: "forbidden", message: `@${me.name} is not in the channel: write ${invite} there` },
        PERSON_MS,
      );
    }
    if (!me.scopes.has("channels:join")) {
      const message = `@${me.name} is not in the channel, and the app lacks the scope channels:join: write ${invite} there`;
      return refused({ code: "forbidden", message }, PERSON_MS);
    }
    const entered = await api.enter(id, signal);
    if (entered.ok) return null;
    const { failure } = entered;
    if (failure.error === "is_archived") return refused(ARCHIVED, PERSON_MS);
    if (failure.error === "" || failure.error === "ratelimited") return refusal(failure);
    const message = `@${me.name} cannot join the channel (${failure.message}): write ${invite} there`;
    return refused({ code: codeOf(failure), message }, PERSON_MS);
  }

  #unseen(name: string): Joined {
    const { me } = this.#options;
    const message = `there is no channel ${JSON.stringify(name)}, or @${me.name} cannot see it: check its name, or write /invite @${me.name} there if it is private`;
    return refused({ code: "not_found", message }, PERSON_MS);
  }
}

/** As it is now: it may be given up whenever somebody is waited for. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

const GIVEN_UP = notJoined("stopping", "joining was cancelled");

const NOT_FOUND: SlackResult<SlackChannel | null> = { ok: true, value: null };

const refused = (why: Reason, retryInMs: number | null = null): Joined => ({ ok: false, why, retryInMs });

const refusal = (failure: SlackFailure): Joined =>
  refused({ code: codeOf(failure), message: failure.message }, failure.retryAfterMs);

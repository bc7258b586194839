import type { Host } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Joined } from "../../contract/session.ts";
import { numberIn, textIn } from "../kit/json.ts";
import type { RestFailure } from "../kit/rest.ts";
import { aboutPosting } from "../kit/shut-channels.ts";
import type { MattermostApi, MattermostResult } from "./api.ts";
import { channelRef } from "./ids.ts";
import { codeOf } from "./login.ts";
import { channelIn, type MattermostChannel, type MattermostUser, recordIn } from "./model.ts";
import type { MattermostRoom } from "./room.ts";
import type { MattermostEvent } from "./stream.ts";

/** Whoever opens a channel that stays shut is a person; an event says when it is open. */
const PERSON_MS = 30 * 60_000;
/** Whoever removes us should not see us back at once. */
const REMOVED_MS = 60_000;

const ARCHIVED: Reason = {
  code: "not_found",
  message: "the channel is archived; Rialto joins it again when somebody unarchives it",
};

interface RoomsOptions {
  readonly api: MattermostApi;
  readonly host: Host;
  readonly me: MattermostUser;
  readonly team: { readonly id: string; readonly name: string };
  /** We are in: what is said there counts. */
  readonly onEntered: (channel: MattermostChannel) => void;
  /** We are out, or it is of no use any more. */
  readonly onLeft: (id: string) => void;
  /** We are no longer in the team. */
  readonly onTeamLeft: () => void;
}

/** The channels that we are in, and how we get into them. */
export class MattermostRooms {
  readonly #options: RoomsOptions;
  readonly #rooms = new Map<string, MattermostRoom>();
  /** Names of those that we could not get into. */
  readonly #shut = new Set<string>();
  /** Ids of those that we are getting into. */
  readonly #entering = new Set<string>();

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** Null while it is not joined. */
  joined(id: string): MattermostRoom | null {
    const room = this.#rooms.get(id);
    return room?.joined === true ? room : null;
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
    this.#options.host.degraded(null, aboutPosting(channelRef(id)));
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const joined = await this.#join(name, signal);
    if (joined.ok) this.#shut.delete(name);
    else this.#shut.add(name);
    return joined;
  }

  async #join(name: string, signal: AbortSignal): Promise<Joined> {
    const { api, me } = this.#options;
    const found = await this.#find(name, signal);
    if (!found.ok) return this.#unseen(name, found.failure);
    const channel = found.value;
    if (channel === null) return refused({ code: "remote_error", message: "the server answers without a channel" });
    if (channel.deleteAt > 0) return refused(ARCHIVED, PERSON_MS);
    const member = await api.isInChannel(channel.id, me.id, signal);
    if (!member.ok && member.failure.status !== 403) return refusal(member.failure);
    if (!member.ok || !member.value) {
      this.#entering.add(channel.id);
      const entered = await this.#enter(channel, signal);
      if (entered !== null) {
        this.#entering.delete(channel.id);
        return entered;
      }
    }
    const { id, type } = channel;
    if (this.joined(id) === null) {
      this.#rooms.set(id, { id, type, name: channel.name, joined: true });
      this.#options.onEntered(channel);
    }
    this.#entering.delete(id);
    return { ok: true, ref: channelRef(id), without: [] };
  }

  /** Names of channels that we are in, then of those that everybody may enter. */
  async list(signal: AbortSignal): Promise<readonly string[]> {
    const { api, me, team } = this.#options;
    const lists = await Promise.all([api.channelsOf(team.id, me.id, signal), api.openChannels(team.id, signal)]);
    // Others are talks of a few people.
    const rooms = lists
      .flatMap((list) => (list.ok ? list.value : []))
      .filter(({ type }) => type === "O" || type === "P");
    return [...new Set(rooms.filter(({ deleteAt }) => deleteAt === 0).map(({ name }) => name))];
  }

  /** What the server tells of channels, and of who is in them. */
  take({ event, data, channel, user }: MattermostEvent): void {
    const { me, host, team } = this.#options;
    const id = textIn(data, "channel_id") ?? channel;
    const isMe = (textIn(data, "user_id") ?? user) === me.id;
    switch (event) {
      case "channel_deleted":
        return this.lose(id, ARCHIVED, PERSON_MS);
      case "channel_updated":
        return this.#updated(channelIn(recordIn(data, "channel")));
      case "user_removed":
        if (isMe) this.lose(id, REMOVED, REMOVED_MS);
        return;
      case "channel_restored":
        // Whatever waits to be joined is tried again.
        return host.lost(channelRef(id), RESTORED, 0);
      case "user_added":
        // By somebody else, to one that we could not get into.
        if (isMe && this.#shut.size > 0 && this.joined(id) === null && !this.#entering.has(id))
          host.lost(channelRef(id), ADDED, 0);
        return;
      case "leave_team":
        if (isMe && textIn(data, "team_id") === team.id) this.#options.onTeamLeft();
        return;
      case "delete_team":
        if ((numberIn(data, "delete_at") ?? 1) > 0 && recordId(recordIn(data, "team")) === team.id)
          this.#options.onTeamLeft();
        return;
      default:
    }
  }

  #updated(channel: MattermostChannel | null): void {
    if (channel === null) return;
    if (channel.deleteAt > 0) return this.lose(channel.id, ARCHIVED, PERSON_MS);
    const room = this.#rooms.get(channel.id);
    if (room !== undefined)
      this.#rooms.set(channel.id, Object.assign(room, { name: channel.name, type: channel.type }));
  }

  async #find(name: string, signal: AbortSignal): Promise<MattermostResult<MattermostChannel | null>> {
    const { api, team } = this.#options;
    return name.startsWith("ID:")
      ? await api.channel(name.slice(3), signal)
      : await api.channelNamed(team.id, name.toLowerCase(), signal);
  }

  /** Null when we are in. */
  async #enter(channel: MattermostChannel, signal: AbortSignal): Promise<Joined | null> {
    const { api, me } = this.#options;
    if (channel.type === "O") {
      const entered = await api.enterChannel(channel.id, me.id, signal);
      if (entered.ok) return null;
      if (entered.failure.status !== 403) return refusal(entered.failure);
    }
    const message = `@${me.username} is not in the channel and may not join it: add it there (/invite @${me.username})`;
    return refused({ code: "forbidden", message }, PERSON_MS);
  }

  #unseen(name: string, failure: RestFailure): Joined {
    const { me, team } = this.#options;
    const add = `add @${me.username} to it if it is private`;
    if (failure.status === 404 || failure.status === 400) {
      const where = name.startsWith("ID:") ? "" : ` in the team ${team.name}`;
      const message = `there is no channel ${JSON.stringify(name)}${where}; check its name as its address has it, or ${add}`;
      return refused({ code: "not_found", message }, PERSON_MS);
    }
    if (failure.status === 403) {
      return refused({ code: "forbidden", message: `@${me.username} cannot see the channel; ${add}` }, PERSON_MS);
    }
    return refusal(failure);
  }
}

const REMOVED: Reason = { code: "forbidden", message: "Rialto was removed from the channel" };
const RESTORED: Reason = { code: "not_found", message: "the channel is no longer archived" };
const ADDED: Reason = { code: "not_found", message: "Rialto was added to the channel" };

const recordId = (raw: unknown): string | null =>
  typeof raw === "object" && raw !== null && "id" in raw && typeof raw.id === "string" ? raw.id : null;

const refused = (why: Reason, retryInMs: number | null = null): Joined => ({ ok: false, why, retryInMs });

const refusal = (failure: RestFailure): Joined =>
  refused({ code: codeOf(failure), message: failure.message }, failure.retryAfterMs);

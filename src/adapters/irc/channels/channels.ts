import type { ChannelRef } from "../../../contract/ids.ts";
import { channelRef } from "../ids.ts";
import type { Host } from "../../../contract/host.ts";
import type { OptionalKind } from "../../../contract/ops.ts";
import type { Reason } from "../../../contract/outcome.ts";
import type { ChannelRequest, Joined } from "../../../contract/session.ts";
import { quote } from "../quote.ts";
import { inTime, pause } from "../../kit/in-time.ts";
import { Joining, notJoined } from "../../kit/joining.ts";
import { isChannel } from "../wire/isupport.ts";
import { joinRefusal } from "./join-refusal.ts";
import type { ConnectionContext } from "../link.ts";
import { addressOf, ChannelMembers, type IrcPerson, nickOf } from "./members.ts";
import type { IrcLine } from "../wire/wire.ts";

const JOIN_TIMEOUT_MS = 30_000;
/**
 * Names of the people follow a JOIN at once (RFC 2812 §3.2.1); a server that leaves their end out is not waited for.
 */
const NAMES_TIMEOUT_MS = 10_000;
/** A server that does not answer to a PART has let us go all the same. */
const LEAVE_TIMEOUT_MS = 5000;
/** Servers say nothing to a JOIN where we are already: the list of names tells. */
const LOOK_MS = 5000;
/** Channels in which the server put us before anybody asked for them; of others we do not know that we are there. */
const UNASKED_MAX = 1000;
/** One name, or one key: `JOIN a,b` would be two channels, and `JOIN 0` leaves all (RFC 2812 §3.2.1). */
const PARAMETER = /^(?!:)[^\p{Cc} ,]+$/u;

interface Room {
  readonly ref: ChannelRef;
  readonly key: string;
  state: "asked" | "in" | "out";
  /** When somebody last said or did something there; Unix milliseconds. */
  seenAtMs: number;
  joining: Joining | null;
  /** The key of the channel in which the server will put us instead. */
  forward: string | null;
}

interface ChannelsOptions {
  readonly link: ConnectionContext;
  readonly host: Pick<Host, "clock" | "lost">;
  readonly joinDelayMs: number;
  readonly rejoinDelayMs: number;
  /** What waits for the channel cannot be sent. */
  readonly onGone: (key: string, why: Reason) => void;
  /** We have come into it. */
  readonly onEntered: (channel: ChannelRef) => void;
  /** What the server cannot do. */
  readonly without: () => readonly OptionalKind[];
}

/**
 * The channels we are in, or try to be in, and who else is there. A channel's ref is its name as the core first asked
 * for it.
 */
export class Channels {
  readonly #options: ChannelsOptions;
  readonly #rooms = new Map<string, Room>();
  readonly #members = new ChannelMembers();
  /** Where we are unasked, by key: a bouncer's channels, or those that services put us in. */
  readonly #unasked = new Set<string>();
  /** Channels that we have asked to leave, by key, and what to call when we are out. */
  readonly #leaving = new Map<string, () => void>();
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  /** Enters a channel; joins go one after the other, each after JoinDelay. Never rejects. */
  async join(request: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const { link } = this.#options;
    const key = link.key(request.name);
    const known = this.#rooms.get(key);
    if (known?.state === "in" && known.joining === null) return this.#inside(known);
    if (known?.joining) return await known.joining.result;
    const joining = new Joining();
    const ref = known?.ref ?? channelRef(request.name);
    const room: Room = { ref, key, state: "asked", seenAtMs: 0, joining, forward: null };
    this.#rooms.set(key, room);
    const before = this.#turn;
    this.#turn = joining.result;
    if (this.#ended) joining.cancel(request.name);
    const joined = await joining.run(request.name, signal, async () => {
      await Promise.race([before, joining.result]);
      await this.#ask(room, joining, request);
    });
    room.joining = null;
    if (!joined.ok) room.state = "out";
    return joined;
  }

  /**
   * Leaves a channel that is no longer wanted: it is unknown from now on. Resolves once we are out of it. Never
   * rejects.
   */
  async leave(ref: ChannelRef, signal: AbortSignal): Promise<void> {
    const { link, host, onGone } = this.#options;
    const key = link.key(ref);
    const room = this.#rooms.get(key);
    if (room === undefined) return;
    this.#rooms.delete(key);
    this.#members.drop(key);
    room.joining?.settle(notJoined("stopping", `Rialto leaves ${quote(ref)}`));
    onGone(key, LEFT);
    if (room.state === "out" || this.#ended) return;
    const out = Promise.withResolvers<void>();
    this.#leaving.set(key, out.resolve);
    link.send("PART", [ref]);
    await inTime(out.promise, { clock: host.clock, ms: LEAVE_TIMEOUT_MS, signal }, () => undefined);
    this.#leaving.delete(key);
  }

  /** Asks to enter, and waits for the answer. */
  async #ask(room: Room, joining: Joining, { name, options }: ChannelRequest): Promise<void> {
    const { link, host, joinDelayMs } = this.#options;
    if (joinDelayMs > 0) await pause(joinDelayMs, host.clock, joining.result);
    if (joining.settled) return;
    const key = options["key"] ?? "";
    const possible = isChannel(link.isupport, name) && PARAMETER.test(name) && (key === "" || PARAMETER.test(key));
    const isThere = this.#unasked.delete(room.key);
    if (!possible || !(isThere || link.send("JOIN", key === "" ? [name] : [name, key]))) {
      joining.settle(notJoined("config", `${quote(name)} or its key is not valid on this server`));
      return;
    }
    const look = (): void => void (room.state === "asked" && link.send("NAMES", [name]));
    if (isThere) look();
    const why = `the server does not answer the request to join ${quote(name)}`;
    const cancelLook = host.clock.after(LOOK_MS, look);
    const cancel = host.clock.after(JOIN_TIMEOUT_MS, () => joining.settle(notJoined("timeout", why)));
    await joining.result;
    cancelLook();
    cancel();
  }

  /** The ref of a channel that we are in, by any spelling; null for all others. */
  readonly refOf = (name: string): ChannelRef | null => {
    const room = this.#rooms.get(this.#options.link.key(name));
    return room?.state === "in" ? room.ref : null;
  };

  /** The channels in which we have seen this nick. */
  readonly channelsOf = (nick: string): readonly ChannelRef[] =>
    this.#members.channelsOf(this.#options.link.key(nick)).flatMap((key) => {
      const room = this.#rooms.get(key);
      return room?.state === "in" ? [room.ref] : [];
    });

  /** The others in a channel that we are in; null of all others. */
  people(ref: ChannelRef): readonly IrcPerson[] | null {
    const { link } = this.#options;
    const room = this.#rooms.get(link.key(ref));
    return room?.state === "in" ? this.#members.in(room.key).filter(({ nick }) => !link.isMe(nick)) : null;
  }

  /** The channel in which nothing has been seen for longest, when that is `silentMs` or more. */
  quietest(silentMs: number): ChannelRef | null {
    const before = this.#options.host.clock.monoMs() - silentMs;
    const quiet = [...this.#rooms.values()].filter(({ state, seenAtMs }) => state === "in" && seenAtMs <= before);
    return quiet.sort((one, other) => one.seenAtMs - other.seenAtMs)[0]?.ref ?? null;
  }

  /** Something was seen in the channel: we surely are in it. */
  touch(name: string): void {
    const room = this.#rooms.get(this.#options.link.key(name));
    if (room !== undefined) room.seenAtMs = this.#options.host.clock.monoMs();
  }

  /** Keeps the state true to what the server tells; after what it tells was made events of. */
  take(line: IrcLine): void {
    const { command, params, source } = line;
    const nick = source?.nick ?? "";
    const [first = "", second = ""] = params;
    switch (command) {
      case "JOIN":
        this.#onJoin(first, nick, source);
        break;
      case "PART":
        this.#onLeft(first, nick, "the server removed Rialto from the channel", 0);
        break;
      case "KICK": {
        const reason = quote(params[2] ?? "");
        const message = `kicked by ${quote(nick)}${reason === "" ? "" : ` (${reason})`}`;
        this.#onLeft(first, second, message, this.#options.rejoinDelayMs);
        break;
      }
      case "QUIT":
        this.#members.quit(this.#options.link.key(nick));
        break;
      case "NICK":
        this.#members.rename(this.#options.link.key(nick), this.#options.link.key(first), first);
        break;
      case "AWAY":
        this.#members.away(this.#options.link.key(nick), first !== "");
        break;
      case "PRIVMSG":
      case "NOTICE":
      case "TAGMSG":
        this.touch(first);
        this.#members.learn(this.#options.link.key(first), this.#options.link.key(nick), addressIn(source));
        break;
      case "353":
        this.#onNames(params[2] ?? "", params[3] ?? "");
        break;
      case "366":
        this.#onComplete(second);
        break;
      case "INVITE":
        this.#onInvite(first, second, nick);
        break;
      case "442":
        // Not there any more when we wanted to leave.
        this.#leaving.get(this.#options.link.key(second))?.();
        break;
      default:
        this.#onRefusal(line);
    }
  }

  /** We are not in a channel where we thought to be. */
  lose(key: string, why: Reason, retryInMs: number): void {
    const room = this.#rooms.get(key);
    if (room === undefined || room.state === "out") return;
    const wasIn = room.state === "in";
    room.state = "out";
    this.#members.drop(key);
    this.#options.onGone(key, why);
    if (room.joining?.settled === false) room.joining.settle({ ok: false, why, retryInMs });
    else if (wasIn && !this.#ended) this.#options.host.lost(room.ref, why, retryInMs);
  }

  end(why: Reason): void {
    this.#ended = true;
    for (const out of this.#leaving.values()) out();
    for (const room of this.#rooms.values()) room.joining?.settle({ ok: false, why, retryInMs: null });
  }

  #onJoin(channel: string, nick: string, source: IrcLine["source"]): void {
    const { link } = this.#options;
    const key = link.key(channel);
    const room = this.#rooms.get(key);
    if (link.isMe(nick)) {
      if (this.#isForward(key) && room?.state !== "asked") link.send("PART", [channel]);
      else if (room !== undefined) this.#onEntered(room);
      else if (this.#unasked.size < UNASKED_MAX) this.#unasked.add(key);
    } else if (room?.state === "in") {
      this.touch(channel);
      this.#members.add(key, link.key(nick), { nick, address: addressIn(source) });
    }
  }

  /** Whether it is where the server puts us in place of a channel that we asked for. */
  #isForward(key: string): boolean {
    const room = [...this.#rooms.values()].find(({ forward }) => forward === key);
    if (room !== undefined) room.forward = null;
    return room !== undefined;
  }

  #onEntered(room: Room): void {
    const { host } = this.#options;
    // Later than we waited for, or put there by somebody: the next join finds us in.
    const unexpected = room.state === "out" && room.joining === null;
    room.state = "in";
    room.seenAtMs = host.clock.monoMs();
    this.#members.drop(room.key);
    this.#options.onEntered(room.ref);
    if (unexpected) host.lost(room.ref, { code: "remote_error", message: "the server put Rialto into the channel" }, 0);
    else void this.#completeAnyway(room);
  }

  async #completeAnyway(room: Room): Promise<void> {
    const joining = room.joining;
    if (joining === null) return;
    await pause(NAMES_TIMEOUT_MS, this.#options.host.clock, joining.result);
    joining.settle(this.#inside(room));
  }

  #inside({ ref }: Room): Joined {
    return { ok: true, ref, without: this.#options.without() };
  }

  #onComplete(channel: string): void {
    const room = this.#rooms.get(this.#options.link.key(channel));
    if (room?.state === "in") room.joining?.settle(this.#inside(room));
  }

  #onLeft(channel: string, nick: string, message: string, retryInMs: number): void {
    const { link } = this.#options;
    const key = link.key(channel);
    if (link.isMe(nick)) {
      this.#unasked.delete(key);
      this.#leaving.get(key)?.();
      this.lose(key, { code: "forbidden", message }, retryInMs);
    } else this.#members.remove(key, link.key(nick));
  }

  /** RPL_NAMREPLY: nicks with the marks of their rank before them. */
  #onNames(channel: string, names: string): void {
    const { link } = this.#options;
    const key = link.key(channel);
    const room = this.#rooms.get(key);
    const people = names.split(" ").map((name) => ({ nick: nickOf(name, link.isupport), address: addressOf(name) }));
    if (room?.state === "asked" && people.some(({ nick }) => link.isMe(nick))) this.#onEntered(room);
    if (room?.state !== "in") return;
    for (const person of people) if (person.nick !== "") this.#members.add(key, link.key(person.nick), person);
  }

  #onInvite(invited: string, channel: string, by: string): void {
    const { link, host } = this.#options;
    const room = this.#rooms.get(link.key(channel));
    if (!link.isMe(invited) || room?.state !== "out" || room.joining !== null) return;
    host.lost(room.ref, { code: "forbidden", message: `invited by ${quote(by)}` }, 0);
  }

  #onRefusal(line: IrcLine): void {
    const refusal = joinRefusal(line);
    if (refusal === null) return;
    const room = this.#rooms.get(this.#options.link.key(refusal.channel));
    if (room?.state !== "asked") return;
    if (line.command === "470") room.forward = this.#options.link.key(line.params[2] ?? "");
    room.joining?.settle(refusal.joined);
  }
}

const addressIn = (source: IrcLine["source"]): string | null =>
  source === null || source.host === "" ? null : `${source.user}@${source.host}`;

const LEFT: Reason = { code: "stopping", message: "Rialto leaves the channel" };

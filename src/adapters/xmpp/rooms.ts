import type { Host } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { OptionalKind } from "../../contract/ops.ts";
import type { ChannelRequest, Joined } from "../../contract/session.ts";
import { quote } from "../kit/ends.ts";
import { inTime, pause } from "../kit/in-time.ts";
import { notJoined } from "../kit/joining.ts";
import { isRoomJid, resourceOf, roomJid } from "./jid.ts";
import { NS } from "./ns.ts";
import { lackOf, roomForm } from "./new-room.ts";
import { itemOf, statusOf } from "./occupants.ts";
import { joinRefused, whyOut } from "./refusals.ts";
import { errorOf, type Requests, type StanzaError } from "./requests.ts";
import { RoomJoining, XmppRoom } from "./room.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/** A room that does not answer to a join is given up after this long. */
const JOIN_TIMEOUT_MS = 45_000;
/** The subject ends an entry (XEP-0045 §7.2.15); a room that sends none is entered anyway. */
const SUBJECT_TIMEOUT_MS = 5_000;
/** A room that does not answer to our leaving has let us go all the same. */
const LEAVE_TIMEOUT_MS = 5_000;
const DISCOVER_TIMEOUT_MS = 20_000;
const CONFLICTS_MAX = 8;
const ROOMS_MAX = 1000;

interface RoomsOptions {
  readonly host: Host;
  readonly send: (stanza: Stanza) => void;
  readonly requests: Requests;
  readonly nick: string;
  readonly service: string;
  readonly joinDelayMs: number;
  readonly ownJid: () => string;
  /** What to ask the room for of what was said before (XEP-0045 §7.2.14). */
  readonly history: (room: XmppRoom) => Stanza;
  /** Called when we are in, before anything of the room continues: what was said before is to be read. */
  readonly onEntered: (room: XmppRoom) => void;
  /** What was written to the room and not shown by it never will be. */
  readonly onGone: (room: XmppRoom, why: Reason) => void;
}

/** The rooms of a session: entering them, and losing them. */
export class XmppRooms {
  readonly #options: RoomsOptions;
  readonly #rooms = new Map<string, XmppRoom>();
  readonly #nonce: string;
  #turn: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(options: RoomsOptions) {
    this.#options = options;
    this.#nonce = Math.floor(options.host.random() * 2 ** 48).toString(36);
  }

  /** Null for a room that was never joined. */
  get(jid: string): XmppRoom | null {
    return this.#rooms.get(jid) ?? null;
  }

  /** Those that we are in. */
  get entered(): readonly XmppRoom[] {
    return [...this.#rooms.values()].filter(({ state }) => state === "in");
  }

  /** Enters a room; with a JoinDelay each begins so long after the one before. Never rejects. */
  async join(request: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const { nick, service, ownJid } = this.#options;
    const jid = roomJid(request.name, service);
    if (!isRoomJid(jid)) return notJoined("config", `${quote(request.name)} is not a valid name for a room`);
    if (this.#ended) return notJoined("stopping", "the session has ended");
    const known = this.#rooms.get(jid);
    if (known?.joining) return await known.joining.result;
    if (known?.state === "in") return inside(known);
    if (known === undefined && this.#rooms.size >= ROOMS_MAX) return notJoined("config", "there are too many rooms");
    const room = known ?? new XmppRoom(jid, nick, this.#nonce, ownJid);
    const joining = new RoomJoining(request);
    this.#rooms.set(jid, room);
    room.joining = joining;
    room.ownNick = nick;
    const joined = await joining.run(request.name, signal, async () => await this.#enter(room, joining));
    room.joining = null;
    if (!joined.ok && room.state !== "out") this.#abandon(room);
    return joined;
  }

  async #enter(room: XmppRoom, joining: RoomJoining): Promise<void> {
    const { host, joinDelayMs } = this.#options;
    if (joinDelayMs > 0) {
      const turn = this.#turn.then(async () => await pause(joinDelayMs, host.clock, joining.result));
      this.#turn = turn;
      await turn;
    }
    if (joining.settled) return;
    const why = `the room ${room.jid} does not answer`;
    const cancel = host.clock.after(JOIN_TIMEOUT_MS, () => joining.settle(notJoined("timeout", why)));
    const silence = await Promise.race([this.#discover(room), joining.result.then(() => null)]);
    // Without knowing what the room has we would take its messages for others than they are.
    if (silence !== null) joining.settle(joinRefused(silence));
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- it may have been given up meanwhile
    if (!joining.settled) this.#ask(room, joining);
    await joining.result;
    cancel();
  }

  /** Asks what the room can do; one that does not exist yet refuses to say. Null, or why it may say so later. */
  async #discover(room: XmppRoom): Promise<StanzaError | null> {
    const query = el("query", { xmlns: NS.discoInfo });
    const answer = await this.#options.requests.ask("get", room.jid, query, DISCOVER_TIMEOUT_MS);
    room.discovered = answer.ok;
    if (!answer.ok)
      return answer.error.type === "wait" || answer.error.condition === "remote-server-timeout" ? answer.error : null;
    const features = child(answer.iq, "query", NS.discoInfo)?.getChildren("feature") ?? [];
    room.features = new Set(features.map((feature) => attr(feature, "var")));
    return null;
  }

  #ask(room: XmppRoom, joining: RoomJoining): void {
    const password = joining.request.options["key"] ?? "";
    room.state = "asked";
    room.entry += 1;
    room.occupants.clear();
    room.subject = null;
    room.backlog = [];
    const extension = el(
      "x",
      { xmlns: NS.muc },
      this.#options.history(room),
      password === "" ? null : el("password", {}, password),
    );
    this.#options.send(el("presence", { to: `${room.jid}/${room.ownNick}` }, extension));
  }

  /** A room that lets us in after we have given up is left again. */
  #abandon(room: XmppRoom): void {
    this.#options.send(el("presence", { to: `${room.jid}/${room.ownNick}`, type: "unavailable" }));
    this.#forget(room);
  }

  /** Our own presence in the room, or an error that answers our join. False: it is somebody else's. */
  takePresence(room: XmppRoom, presence: Stanza): boolean {
    const type = attr(presence, "type");
    if (type === "error") {
      this.#onError(room, presence);
      return true;
    }
    const nick = resourceOf(attr(presence, "from")) ?? "";
    const codes = statusOf(presence);
    const isOwn = codes.has("110") || nick === room.ownNick;
    if (!isOwn || room.state === "out") return isOwn;
    if (type === "") this.#onOwn(room, nick, presence, codes);
    // While we enter it is the end of an earlier stay.
    else if (type === "unavailable" && room.state !== "asked") this.#onOut(room, nick, presence, codes);
    return true;
  }

  /** The subject: the entry is complete. */
  takeSubject(room: XmppRoom): void {
    if (room.state === "entered" && room.discovered) this.#complete(room);
  }

  /** Leaves a room, to enter it again later. */
  leave(room: XmppRoom, why: Reason, retryInMs: number): void {
    this.#options.send(el("presence", { to: `${room.jid}/${room.ownNick}`, type: "unavailable" }));
    this.lose(room, why, retryInMs);
  }

  /**
   * Leaves a room that is no longer wanted: it is unknown afterwards. Resolves once we are out of it. Never rejects.
   */
  async part(jid: string, signal: AbortSignal): Promise<void> {
    const { host, send, onGone } = this.#options;
    const room = this.#rooms.get(jid);
    if (room === undefined || room.leaving !== null) return;
    if (room.joining !== null || room.state === "out") {
      this.#rooms.delete(jid);
      room.joining?.settle(notJoined("stopping", "Rialto leaves the room"));
      return;
    }
    const out = Promise.withResolvers<true>();
    room.leaving = () => out.resolve(true);
    // What this stay began, such as reading the archive, is over.
    room.entry += 1;
    send(el("presence", { to: `${room.jid}/${room.ownNick}`, type: "unavailable" }));
    const isOut = await inTime(out.promise, { clock: host.clock, ms: LEAVE_TIMEOUT_MS, signal }, () => false);
    this.#rooms.delete(jid);
    this.#forget(room);
    // The room has shown all that it took of ours; unless it has said nothing: then that stays in doubt.
    if (isOut) onGone(room, LEFT);
  }

  /** We are not in a room where we thought to be. */
  lose(room: XmppRoom, why: Reason, retryInMs: number): void {
    if (room.leaving !== null) {
      room.leaving();
      return;
    }
    if (room.state === "out") return;
    const wasIn = room.state === "in";
    this.#forget(room);
    this.#options.onGone(room, why);
    if (room.joining?.settled === false) room.joining.settle({ ok: false, why, retryInMs });
    else if (wasIn && !this.#ended) this.#options.host.lost(room.ref, why, retryInMs);
  }

  end(why: Reason): void {
    this.#ended = true;
    for (const room of this.#rooms.values()) {
      room.joining?.settle({ ok: false, why, retryInMs: null });
      room.leaving?.();
      this.#forget(room);
    }
  }

  #forget(room: XmppRoom): void {
    room.state = "out";
    room.entry += 1;
    room.backlog = null;
    room.typing.clear();
    room.occupants.clear();
  }

  #onOwn(room: XmppRoom, nick: string, presence: Stanza, codes: ReadonlySet<string>): void {
    room.ownNick = nick;
    room.occupants.put(nick, presence);
    room.seenAtMs = this.#options.host.clock.monoMs();
    if (room.state !== "asked") return;
    room.state = "entered";
    const isNew = codes.has("201");
    if (isNew)
      this.#options.host.log.warn(
        { room: room.jid },
        "there was no such room, so Rialto created it; check the name if you meant another",
      );
    // What it can do is known only now that it exists.
    if (isNew || !room.discovered) void this.#furnish(room, isNew);
    else void this.#completeAnyway(room, room.entry);
  }

  async #furnish(room: XmppRoom, isNew: boolean): Promise<void> {
    const { entry } = room;
    room.discovered = false;
    if (isNew) await this.#configure(room);
    await this.#discover(room);
    const lack = isNew ? lackOf(room.features) : null;
    if (lack !== null) this.#tellLack(room, lack);
    if (room.entry === entry && room.state === "entered") this.#complete(room);
  }

  /** A new room is locked until its owner says what it is to be (XEP-0045 §10.1.2). */
  async #configure(room: XmppRoom): Promise<void> {
    const { requests } = this.#options;
    const offered = await requests.ask("get", room.jid, el("query", { xmlns: NS.mucOwner }));
    const answer = await requests.ask("set", room.jid, roomForm(offered.ok ? offered.iq : null));
    // What is refused in a form is refused whole.
    if (!answer.ok) await requests.ask("set", room.jid, roomForm(null));
  }

  #tellLack(room: XmppRoom, lack: string): void {
    const message = `the room ${room.jid}, which Rialto created, ${lack}`;
    this.#options.host.degraded({ code: "unsupported", message }, `room ${room.jid}`);
  }

  async #completeAnyway(room: XmppRoom, entry: number): Promise<void> {
    await pause(SUBJECT_TIMEOUT_MS, this.#options.host.clock, room.joining?.result ?? Promise.resolve());
    if (room.entry === entry && room.state === "entered") this.#complete(room);
  }

  #complete(room: XmppRoom): void {
    room.state = "in";
    const { joining } = room;
    if (joining === null || joining.settled) return;
    this.#options.onEntered(room);
    joining.settle(inside(room));
  }

  #onError(room: XmppRoom, presence: Stanza): void {
    const { joining } = room;
    if (room.state !== "asked" || joining === null) return;
    const error = errorOf(presence);
    if (error.condition === "conflict" && joining.conflicts < CONFLICTS_MAX) {
      joining.conflicts += 1;
      room.ownNick += "_";
      this.#ask(room, joining);
      return;
    }
    this.#forget(room);
    joining.settle(joinRefused(error));
  }

  #onOut(room: XmppRoom, nick: string, presence: Stanza, codes: ReadonlySet<string>): void {
    const item = itemOf(presence);
    const newNick = attr(item, "nick");
    if (codes.has("303") && newNick !== "") {
      room.occupants.rename(nick, newNick);
      room.ownNick = newNick;
      return;
    }
    const destroy = child(child(presence, "x", NS.mucUser), "destroy");
    const reason = childText(destroy ?? item, "reason") ?? "";
    const by = attr(child(item, "actor"), "nick");
    const { why, retryInMs } = whyOut(codes, { by, reason, destroyed: destroy !== undefined });
    this.lose(room, why, retryInMs);
  }
}

const LEFT: Reason = { code: "stopping", message: "Rialto leaves the room" };

/** Without ids of the room nobody would know which message is meant (XEP-0424 §4, XEP-0444 §4.2). */
function inside(room: XmppRoom): Joined {
  const without: readonly OptionalKind[] = room.stableIds ? [] : ["delete", "react"];
  return { ok: true, ref: room.ref, without };
}

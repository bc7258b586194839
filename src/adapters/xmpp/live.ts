import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, FileRef } from "../../contract/ids.ts";
import type { Hint } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, OpenedFile, Session } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { RoomArchive } from "./archive.ts";
import { Avatars } from "./avatars.ts";
import { RoomCatchUp } from "./catch-up.ts";
import { ASKED, givenUp } from "../kit/ends.ts";
import { capabilities } from "./capabilities.ts";
import type { XmppSettings } from "./settings.ts";
import { FaultGuard } from "../kit/guard.ts";
import { EventIntake } from "../kit/intake.ts";
import { bareOf, domainOf, resourceOf } from "./jid.ts";
import { Liveness } from "../kit/liveness.ts";
import { RoomCheck } from "./room-check.ts";
import { NS } from "./ns.ts";
import { Outbox } from "./outbox.ts";
import { ArchivePositions } from "./positions.ts";
import { XmppSender } from "./posting.ts";
import { joined, left } from "./presence.ts";
import { reachOf } from "./put.ts";
import { readMessage } from "./receive.ts";
import { OwnIds } from "./refs.ts";
import { awayHint, chatState, membersOf, typingHint } from "./hints.ts";
import { isNotThere } from "./refusals.ts";
import { errorOf, Requests } from "./requests.ts";
import type { XmppRoom } from "./room.ts";
import { listRooms } from "./room-list.ts";
import { XmppRooms } from "./rooms.ts";
import type { Stream } from "./stream.ts";
import { XmppUploads } from "./upload.ts";
import { attr, child, childText, el, type Stanza } from "./xml.ts";

/** A room whose archive does not answer is entered again, so that nothing is missed. */
const ARCHIVE_RETRY_MS = 10_000;
/**
 * So many events may wait to be on disk before we stop reading, and so long a position in an archive that moved without
 * an event.
 */
const WAITING = { waitingMax: 600, lateMs: 2_000 };
/**
 * How long the server may be silent before it is asked; then how long until it is in doubt, and until it is given up.
 */
const SILENCE = { silentMs: 60_000, doubtMs: 20_000, deadMs: 90_000 };

type XmppHandlers = Handlers<typeof capabilities>;

interface LiveOptions extends Pick<OpenArgs<XmppSettings>, "settings" | "host" | "since"> {
  readonly stream: Stream;
}

/**
 * One stream of an account that is logged in: rooms, messages out (`Posting`), events in (`CatchUp`). All stanzas come
 * through `#read`, in order.
 */
export class XmppSession implements Session<XmppHandlers> {
  readonly as: string;
  readonly ended: Promise<Ended>;
  readonly handlers: XmppHandlers;
  readonly typing = {
    lastsMs: Infinity,
    show: (channel: ChannelRef, on: boolean): void => {
      const { stream } = this.#options;
      const room = this.#rooms.get(channel);
      const isIn = room?.state === "in" && room.leaving === null;
      // A user without voice would get an error each time.
      const mayTalk = isIn && room.occupant(room.ownNick)?.role !== "visitor";
      if (mayTalk && !this.#quiet && stream.isClear) stream.send(chatState(room, on));
    },
  };
  readonly #options: LiveOptions;
  readonly #ids: OwnIds;
  readonly #requests: Requests;
  readonly #rooms: XmppRooms;
  readonly #archive: RoomArchive;
  readonly #outbox: Outbox;
  readonly #catchUp: RoomCatchUp;
  readonly #intake: EventIntake;
  readonly #liveness: Liveness;
  readonly #avatars: Avatars;
  readonly #uploads: XmppUploads;
  #over: Reason | null = null;
  #closing = false;
  #quiet = false;

  constructor(options: LiveOptions) {
    const { stream, settings, host, since } = options;
    const { clock, log } = host;
    this.#options = options;
    this.as = settings.Nick;
    this.#ids = new OwnIds(`${bareOf(settings.Jid)} ${settings.Muc} ${settings.Nick}`);
    const send = (stanza: Stanza): void => stream.send(stanza);
    const positions = new ArchivePositions(since);
    const requests = new Requests({ send, clock, random: host.random, self: () => stream.jid });
    this.#requests = requests;
    this.#archive = new RoomArchive(requests);
    this.#avatars = new Avatars(requests);
    this.#outbox = new Outbox(send);
    const onFull = (full: boolean): void => this.#onFull(full);
    this.#intake = new EventIntake({ host, cursor: positions, ...WAITING, onFull });
    this.#catchUp = new RoomCatchUp({
      archive: this.#archive,
      intake: this.#intake,
      positions,
      ids: this.#ids,
      clock,
      log,
      onUnreadable: (room, why) => this.#rooms.leave(room, why, ARCHIVE_RETRY_MS),
    });
    this.#rooms = new XmppRooms({
      host,
      send,
      requests,
      nick: settings.Nick,
      service: settings.Muc,
      joinDelayMs: settings.JoinDelay,
      ownJid: () => bareOf(stream.jid),
      history: (room) => this.#catchUp.history(room),
      onEntered: (room) => this.#catchUp.begin(room),
      onGone: (room, why) => this.#outbox.gone(room, why),
    });
    const check = new RoomCheck({ clock, requests, rooms: this.#rooms });
    this.#liveness = new Liveness({
      clock,
      ...SILENCE,
      ask: () => this.#probe(),
      onLook: () => check.look(),
      onDoubt: (why) => host.degraded(why),
      onDead: (why) => stream.end({ cause: "lost", why }),
    });
    // A server of our own network may name others there.
    this.#uploads = new XmppUploads({ requests, host, domain: domainOf(stream.jid), reach: reachOf(stream, settings) });
    const posting = new XmppSender({
      room: (channel) => this.#rooms.get(channel),
      outbox: this.#outbox,
      ids: this.#ids,
      uploads: this.#uploads,
      textMax: capabilities.limits.textMax,
      over: () => this.#over,
    });
    this.handlers = {
      post: async (op, attempt) => await posting.post(op, attempt),
      edit: async (op, attempt) => await posting.edit(op, attempt),
      delete: async (op, attempt) => await posting.delete(op, attempt),
      react: async (op, attempt) => await posting.react(op, attempt),
      topic: async (op, attempt) => await posting.topic(op, attempt),
    };
    this.ended = this.#watch();
    stream.onTraffic = () => this.#liveness.heard();
    const guard = new FaultGuard(log, "a stanza could not be read");
    stream.onStanza = (stanza) => guard.run(() => this.#read(stanza), { name: stanza.name });
    this.#liveness.heard();
    this.#liveness.start();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    // Not waited for: some service of the server may not answer.
    void this.#uploads.look();
    const joined = await this.#rooms.join(channel, signal);
    const fileBytesMax = this.#uploads.max;
    return joined.ok && fileBytesMax !== null ? { ...joined, limits: { fileBytesMax } } : joined;
  }

  async leave(channel: ChannelRef, signal: AbortSignal): Promise<void> {
    await this.#rooms.part(channel, signal);
    this.#catchUp.forget(channel);
  }

  async members(channel: ChannelRef): Promise<readonly Member[] | null> {
    const room = this.#rooms.get(channel);
    return await Promise.resolve(room?.state === "in" ? membersOf(room) : null);
  }

  async rooms(signal: AbortSignal): Promise<readonly string[]> {
    const entered = this.#rooms.entered.map(({ jid }) => jid);
    return await listRooms({ requests: this.#requests, service: this.#options.settings.Muc, entered }, signal);
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    if (signal.aborted) return { ok: false, why: givenUp().why };
    return await this.#avatars.open(ref);
  }

  async quiesce(): Promise<void> {
    this.#quiet = true;
    await this.#intake.stop();
  }

  async close(signal: AbortSignal): Promise<void> {
    const { stream } = this.#options;
    if (!this.#closing) {
      this.#closing = true;
      this.#intake.end();
      stream.goodbye();
    }
    const release = onAbort(signal, () => stream.end(ASKED));
    await this.ended;
    release();
  }

  /** The end of the stream ends all that waits. */
  async #watch(): Promise<Ended> {
    const ended = await this.#options.stream.ended;
    const final = this.#closing ? ASKED : ended;
    this.#over = final.why;
    this.#liveness.stop();
    this.#requests.end();
    this.#outbox.end(final.why);
    this.#rooms.end(final.why);
    this.#intake.end();
    return final;
  }

  #probe(): void {
    const { stream } = this.#options;
    if (stream.acks.on) stream.acks.ask();
    else void this.#requests.ask("get", domainOf(stream.jid), el("ping", { xmlns: NS.ping }));
  }

  #onFull(full: boolean): void {
    const { stream } = this.#options;
    if (full) stream.pause();
    else stream.resume();
    this.#liveness.reading(!full);
  }

  #read(stanza: Stanza): void {
    const type = attr(stanza, "type");
    if (stanza.name === "iq") {
      if (type === "result" || type === "error") this.#requests.take(stanza);
      return;
    }
    const room = this.#rooms.get(bareOf(attr(stanza, "from")));
    if (room === null || room.state === "out") return;
    room.seenAtMs = this.#options.host.clock.monoMs();
    if (stanza.name === "presence") this.#presence(room, stanza);
    else if (stanza.name === "message") this.#message(room, stanza, type);
  }

  #message(room: XmppRoom, message: Stanza, type: string): void {
    const { clock, log } = this.#options.host;
    if (type === "error") {
      // Somebody in the room can send us one as well.
      if (attr(message, "from") !== room.jid) return;
      const error = errorOf(message);
      const id = attr(message, "id");
      log.debug({ room: room.jid, condition: error.condition, text: error.text }, "the room refuses a message");
      const isLost = this.#outbox.has(id) && isNotThere(error);
      this.#outbox.refused(id, error);
      if (isLost) this.#rooms.lose(room, { code: "network", message: "the room dropped Rialto without saying so" }, 0);
    } else if (child(message, "result", NS.mam) !== undefined) {
      this.#archive.take(message);
    } else if (type === "groupchat") {
      const received = readMessage(message, { room, ids: this.#ids, nowMs: clock.nowMs(), archived: null });
      if (received.own && received.id !== null) this.#outbox.shown(room, received.id, received.sid);
      if (room.leaving !== null) return;
      this.#hint(received.own || received.old ? null : typingHint(message, received, room));
      const isSubject = child(message, "subject") !== undefined && child(message, "body") === undefined;
      if (isSubject) {
        room.subject = childText(message, "subject");
        // Prosody shows the subject without the id that we gave it.
        const isNamed = received.id !== null && this.#ids.isOurs(received.id);
        if (received.own && !isNamed) this.#outbox.subjectShown(room, (id) => this.#ids.isSubject(id));
      }
      // The subject of before is no news.
      if (isSubject && room.state === "entered") this.#rooms.takeSubject(room);
      else this.#catchUp.take(room, received);
    }
  }

  #presence(room: XmppRoom, presence: Stanza): void {
    if (this.#rooms.takePresence(room, presence)) return;
    const nick = resourceOf(attr(presence, "from"));
    if (nick === null) return;
    const atMs = this.#options.host.clock.nowMs();
    if (attr(presence, "type") === "unavailable") {
      room.typing.delete(nick);
      const isKnown = room.occupants.has(nick);
      const event = left(presence, room, atMs);
      const newNick = event.change === "rename" ? attr(child(child(presence, "x", NS.mucUser), "item"), "nick") : "";
      if (newNick === "") room.occupants.remove(nick);
      else room.occupants.rename(nick, newNick);
      if (isKnown) this.#tell(room, event);
    } else if (attr(presence, "type") === "") {
      const isNew = !room.occupants.has(nick);
      const before = room.occupant(nick);
      room.occupants.put(nick, presence);
      if (before !== null) this.#hint(awayHint(nick, before, room));
      // Those who were there before us did not come now.
      if (isNew && room.state !== "asked") this.#tell(room, joined(nick, room, atMs));
    }
  }

  #hint(hint: Hint | null): void {
    if (hint !== null && !this.#quiet) this.#options.host.hint?.(hint);
  }

  #tell(room: XmppRoom, event: ReturnType<typeof joined>): void {
    if (room.leaving !== null) return;
    if (room.backlog === null) this.#intake.hand([event]);
    else room.backlog.push({ is: "events", events: [event] });
  }
}

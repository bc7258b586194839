import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, Cursor, FileRef } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, OpenedFile, Session } from "../../contract/session.ts";
import type { Client } from "./client.ts";
import { Editor } from "./editor.ts";
import type { Ghosts } from "./ghosts.ts";
import { ASKED } from "../kit/ends.ts";
import { membersOf, Typing } from "./hints.ts";
import type { Http } from "../kit/http.ts";
import type { capabilities } from "./capabilities.ts";
import { endOf } from "./login.ts";
import { Reactor } from "./reactor.ts";
import { listRooms } from "./room-list.ts";
import { MatrixRooms } from "./rooms.ts";
import { Sender } from "./sender.ts";
import { loginWay, type MatrixSettings } from "./settings.ts";
import { Sync } from "./sync.ts";
import { Timeline } from "./timeline.ts";
import { setTopic } from "./topic.ts";
import { MatrixUploads } from "./uploads.ts";
import { SenderIdentities } from "./identities.ts";
import { TypingRequests } from "../kit/typing-requests.ts";

/** How long the homeserver is to show that we type, in ms. */
const TYPING_MS = 30_000;

type MatrixHandlers = Handlers<typeof capabilities>;

interface LiveOptions extends Pick<OpenArgs<MatrixSettings>, "settings" | "host"> {
  readonly http: Http;
  readonly client: Client;
  /** Our whole id. */
  readonly user: string;
  /** Files are fetched with the token, as servers since v1.11 want it. */
  readonly authenticatedMedia: boolean;
  readonly ghosts: Ghosts | null;
  readonly since: Cursor;
}

/**
 * One login: `Sync` brings events in, `Sender` and its kin bring ops out, `Rooms` is what both know. The end of `Sync`
 * is the session's end.
 */
export class MatrixSession implements Session<MatrixHandlers> {
  readonly as: string;
  readonly handlers: MatrixHandlers;
  readonly typing: TypingRequests;
  readonly ended: Promise<Ended>;
  readonly #options: LiveOptions;
  readonly #rooms: MatrixRooms;
  readonly #uploads: MatrixUploads;
  readonly #sync: Sync;
  readonly #isOwn: (user: string) => boolean;
  readonly #closing = Promise.withResolvers<Ended>();

  constructor(options: LiveOptions) {
    const { client, host, settings, user, ghosts, since } = options;
    this.#options = options;
    this.as = user;
    const isOwn = (other: string): boolean => other === user || ghosts?.owns(other) === true;
    this.#isOwn = isOwn;
    const rooms = new MatrixRooms({ client, host, user, isOwn, recall: (events) => timeline.recall(events) });
    this.#rooms = rooms;
    const uploads = new MatrixUploads(client, host);
    this.#uploads = uploads;
    const identities = new SenderIdentities({ client, settings, user, uploads, ghosts });
    const sender = new Sender({ client, host, rooms, settings, uploads, identities, ghosts, user });
    const editor = new Editor(sender);
    const reactor = new Reactor(sender);
    this.handlers = {
      post: async (op, attempt) => await sender.post(op, attempt),
      edit: async (op, attempt) => await editor.edit(op, attempt),
      delete: async (op, attempt) => await sender.delete(op, attempt),
      react: async (op, attempt) => await reactor.react(op, attempt),
      topic: async (op, attempt) => await setTopic(sender, op, attempt),
    };
    const timeline = new Timeline({
      client,
      host,
      rooms,
      settings,
      user,
      isOwn,
      opOf: (txn) => sender.opOf(txn),
    });
    const typing = new Typing({ room: (id) => rooms.get(id), settings, isOwn });
    this.#sync = new Sync({
      client,
      host,
      since,
      read: async (response, from, signal) => {
        const found = await timeline.read(response, from, signal);
        if (found.ok && !signal.aborted) for (const hint of typing.take(response)) host.hint?.(hint);
        return found;
      },
      judge: (failure) => endOf(failure, loginWay(settings)),
    });
    this.typing = new TypingRequests({
      clock: host.clock,
      lastsMs: TYPING_MS,
      ends: true,
      send: async (channel, on, signal) =>
        rooms.joined(channel) === null || (await client.typing(channel, user, on ? TYPING_MS : null, signal)).ok,
    });
    this.ended = this.#follow();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    if (signal.aborted) return { ok: false, why: GIVEN_UP, retryInMs: null };
    const [joined, fileBytesMax] = await Promise.all([this.#rooms.join(channel, signal), this.#uploads.max()]);
    return joined.ok && fileBytesMax !== null ? { ...joined, limits: { fileBytesMax } } : joined;
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#rooms.dismiss(channel);
    await Promise.resolve();
  }

  async members(channel: ChannelRef): Promise<readonly Member[] | null> {
    const room = this.#rooms.get(channel);
    return await Promise.resolve(room.joined ? membersOf(room, this.#options.settings, this.#isOwn) : null);
  }

  async rooms(signal: AbortSignal): Promise<readonly string[]> {
    return await listRooms(this.#options.client, signal);
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const { client, authenticatedMedia } = this.#options;
    return await client.download(ref, authenticatedMedia, signal);
  }

  async quiesce(): Promise<void> {
    this.typing.end();
    this.#sync.stop();
    await Promise.resolve();
  }

  /** There is nobody to say goodbye to: the device stays, so that it is known by its transactions next time. */
  async close(signal: AbortSignal): Promise<void> {
    this.#closing.resolve(ASKED);
    this.typing.end();
    this.#sync.stop();
    this.#options.http.close();
    if (!signal.aborted) await this.ended;
  }

  async #follow(): Promise<Ended> {
    const failed = this.#sync.run().then(async (ended) => ended ?? (await this.#closing.promise));
    const ended = await Promise.race([this.#closing.promise, failed]);
    this.typing.end();
    this.#sync.stop();
    this.#options.http.close();
    this.#rooms.end();
    return ended;
  }
}

const GIVEN_UP: Reason = { code: "stopping", message: "joining was cancelled" };

import type { Opened, OpenArgs } from "../../contract/adapter.ts";
import type { FileRef } from "../../contract/ids.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { ChannelRequest, Ended, Handlers, Joined, Member, OpenedFile, Session } from "../../contract/session.ts";
import { ASKED, givenUp, lost, misconfigured } from "../kit/ends.ts";
import { actAgain } from "./acts.ts";
import type { capabilities } from "./capabilities.ts";
import { Chat } from "./chat.ts";
import { WebDesk } from "./desk.ts";
import { channelRef, userRef } from "./ids.ts";
import { Outgoing } from "./outgoing.ts";
import { Presence } from "./presence.ts";
import { shownName } from "./receive.ts";
import { recoverCases } from "./moderators.ts";
import { publish, tellModerators } from "./publishing.ts";
import { ChatServer } from "./server/chat-server.ts";
import type { WebSettings } from "./settings.ts";

type WebHandlers = Handlers<typeof capabilities>;

/** So often it is asked whether the store is still there, and what is too old goes. */
const LOOK_MS = 2_000;
const SWEEP_MS = 10 * 60_000;

/** Listens, and opens the store. Whoever listens has the store to itself. */
export async function open({ settings, host, folder, signal }: OpenArgs<WebSettings>): Promise<Opened<WebHandlers>> {
  if (signal.aborted) return { ok: false, ended: givenUp() };
  if (folder === undefined) return { ok: false, ended: misconfigured("the web chat has no folder for its store") };
  const server = new ChatServer(settings, host);
  const failure = await server.listen();
  if (failure !== null) return { ok: false, ended: failure };
  const { promise: ended, resolve: end } = Promise.withResolvers<Ended>();
  try {
    const chat = new Chat(settings, host, folder, (why) => end(lost("remote_error", `the web chat's store: ${why}`)));
    const session = new WebSession(chat, server, ended, end);
    server.serve(chat);
    return { ok: true, session };
  } catch (error) {
    await server.close();
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, ended: lost("remote_error", `the web chat's store in ${folder} cannot be opened: ${why}`) };
  }
}

class WebSession implements Session<WebHandlers> {
  readonly as: string;
  readonly ended: Promise<Ended>;
  readonly guests: WebDesk;
  readonly handlers: WebHandlers;
  readonly #chat: Chat;
  readonly #server: ChatServer;
  readonly #presence: Presence;
  readonly #end: (ended: Ended) => void;
  #cancelLook: () => void;
  #sweptMs: number;

  constructor(chat: Chat, server: ChatServer, ended: Promise<Ended>, end: (ended: Ended) => void) {
    this.#chat = chat;
    this.#server = server;
    this.#end = end;
    this.as = chat.url;
    this.guests = new WebDesk(chat);
    this.#presence = new Presence(chat);
    const outgoing = new Outgoing(chat);
    this.handlers = {
      post: async (op, attempt) => await outgoing.post(op, attempt),
      edit: async (op, attempt) => await outgoing.edit(op, attempt),
      delete: async (op, attempt) => await outgoing.delete(op, attempt),
      react: async (op, attempt) => await outgoing.react(op, attempt),
      topic: async (op, attempt) => await outgoing.topic(op, attempt),
    };
    this.ended = ended.then(async (why) => {
      await this.#close();
      return why;
    });
    this.#sweptMs = chat.host.clock.monoMs();
    this.#cancelLook = chat.host.clock.after(LOOK_MS, () => void this.#look());
  }

  async join({ name }: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const room = name.toLowerCase();
    if (this.#chat.store.closed || signal.aborted) return closed("the web chat is closed");
    if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(room)) {
      return { ok: false, why: { code: "config", message: "this is no name of a room" }, retryInMs: null };
    }
    this.#chat.rooms.add(room);
    this.#presence.watch(room);
    this.#chat.linked.open(room);
    void this.#recover(room);
    const limits = { fileBytesMax: Math.max(1, this.#chat.settings.MaxFileSize) };
    return await Promise.resolve({ ok: true, ref: channelRef(room), without: [], limits });
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#chat.rooms.delete(channel);
    this.#chat.linked.close(channel);
    this.#server.dismissRoom(channel);
    await Promise.resolve();
  }

  async openFile(ref: FileRef): Promise<OpenedFile> {
    if (this.#chat.store.closed) return { ok: false, why: { code: "network", message: "the web chat is closed" } };
    return await this.#chat.uploads.open(ref);
  }

  async members(channel: ChannelRef): Promise<readonly Member[]> {
    if (this.#chat.store.closed) return [];
    const guests = this.#chat.people.all(channel).filter(({ present }) => present);
    return await Promise.resolve(
      guests.map(({ id, name }) => ({ id: userRef(id), name: shownName(name), bot: false, present: true })),
    );
  }

  async quiesce(): Promise<void> {
    this.#chat.quiet();
    await Promise.resolve();
  }

  async close(): Promise<void> {
    this.#end(ASKED);
    await this.ended;
  }

  async #close(): Promise<void> {
    this.#chat.quiet();
    this.#cancelLook();
    this.#presence.stop();
    this.#chat.linked.stop();
    // What is on its way to the disk gets there, and is told.
    await this.#chat.store.close();
    await this.#server.close();
  }

  /** What a crash has left between the store and the log. The core knows what it has already. */
  async #recover(room: string): Promise<void> {
    try {
      if (!(await actAgain(this.#chat, room))) return;
      this.#chat.store.check();
      if (room === this.#chat.moderators) await recoverCases(this.#chat);
      for (const message of this.#chat.timeline.inState("new")) {
        if (message.room === room && !(await publish(this.#chat, message, "left"))) return;
      }
    } catch (error) {
      this.#chat.unexpected(error);
    }
  }

  async #look(): Promise<void> {
    const { store, host } = this.#chat;
    if (store.closed) return;
    if (!store.isThere) return store.fail("its file was replaced or taken away");
    this.#cancelLook = host.clock.after(LOOK_MS, () => void this.#look());
    void tellModerators(this.#chat);
    if (host.clock.monoMs() - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = host.clock.monoMs();
    try {
      await this.#chat.prune();
      await this.#chat.uploads.sweep(this.#chat.nowMs);
    } catch (error) {
      this.#chat.unexpected(error);
    }
  }
}

const closed = (message: string): Joined => ({ ok: false, why: { code: "network", message }, retryInMs: null });

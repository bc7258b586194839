import type { OpenArgs } from "../../contract/adapter.ts";
import type { ChannelRef, FileRef } from "../../contract/ids.ts";
import type { ChannelRequest, Ended, Handlers, Joined, OpenedFile, Session } from "../../contract/session.ts";
import { ASKED } from "../kit/ends.ts";
import { inTime } from "../kit/in-time.ts";
import type { TypingRequests } from "../kit/typing-requests.ts";
import type { TelegramApi } from "./api.ts";
import type { capabilities } from "./capabilities.ts";
import { ChatIdAnswers } from "./chat-id.ts";
import { doersOf } from "./handlers.ts";
import { readFileRef } from "./ids.ts";
import type { TelegramLink } from "./link.ts";
import type { TelegramIdentity } from "./me.ts";
import { TelegramPeople } from "./people.ts";
import { TelegramPoll } from "./poll.ts";
import type { TelegramPositions } from "./positions.ts";
import { TelegramRooms } from "./rooms.ts";
import { isTelegramItself, type TelegramSettings } from "./settings.ts";
import { asPng, asStill, type StickerPainters } from "./stickers.ts";
import { TelegramTimeline } from "./timeline.ts";

/** Leaving takes no longer, whatever the server does. */
const GOODBYE_MS = 5_000;
const MEGA = 1024 * 1024;
/** Bytes of one file to send, at Telegram's own servers and at others. */
const [UPLOAD_MAX, UPLOAD_MAX_OWN] = [50 * MEGA, 2_000 * MEGA];
const DOWNLOAD_MAX = 20 * MEGA;

type TelegramHandlers = Handlers<typeof capabilities>;

interface TelegramLiveOptions extends Pick<OpenArgs<TelegramSettings>, "settings" | "host"> {
  readonly api: TelegramApi;
  /** Asks for what happens, and for nothing else: files take no connection from it. */
  readonly poller: Pick<TelegramApi, "updates">;
  /** Ends their connections. */
  readonly close: () => void;
  readonly me: TelegramIdentity;
  readonly positions: TelegramPositions;
  readonly painters: StickerPainters;
}

/**
 * One login of a bot: `TelegramPoll` asks for what happens and `TelegramTimeline` tells it, the handlers bring ops out,
 * `TelegramRooms` is what both know. When Telegram cannot be asked any more, the session is over.
 */
export class TelegramSession implements Session<TelegramHandlers> {
  readonly as: string;
  readonly handlers: TelegramHandlers;
  readonly typing: TypingRequests;
  readonly ended: Promise<Ended>;
  readonly #options: TelegramLiveOptions;
  readonly #rooms: TelegramRooms;
  readonly #timeline: TelegramTimeline;
  readonly #isItself: boolean;
  /** Of the poll, which ends first. */
  readonly #quiet = new AbortController();
  readonly #stop = new AbortController();
  readonly #ending = Promise.withResolvers<Ended>();
  #closing = false;

  constructor(options: TelegramLiveOptions) {
    const { settings, host, api, me, positions, painters } = options;
    this.#options = options;
    this.#isItself = isTelegramItself(settings);
    this.as = me.username;
    const uploadMax = this.#isItself ? UPLOAD_MAX : UPLOAD_MAX_OWN;
    this.#rooms = new TelegramRooms({ api, host, me, positions, uploadMax });
    const people = new TelegramPeople({ api, clock: host.clock, settings });
    this.#timeline = new TelegramTimeline({
      api,
      host,
      me,
      positions,
      people,
      stickersAsPng: painters.webp !== null,
      stickersAsStills: painters.tgs !== null,
      places: this.#rooms,
      onMoved: (from, to) => this.#rooms.moved(from, to),
      onOther: (update) => this.#rooms.take(update),
    });
    const link: TelegramLink = {
      api,
      host,
      settings,
      me,
      people,
      uploadMax,
      room: (channel) => this.#rooms.joined(channel),
      lose: (channel, why, retryInMs) => this.#rooms.lose(channel, why, retryInMs),
      migrated: (from, to) => this.#rooms.moved(from, to),
    };
    const { handlers, typing } = doersOf(link);
    this.handlers = handlers;
    this.typing = typing;
    this.ended = this.#follow();
  }

  async join(channel: ChannelRequest, signal: AbortSignal): Promise<Joined> {
    const joined = await this.#rooms.join(channel, AbortSignal.any([signal, this.#stop.signal]));
    // The next session is to know it before it is asked for it.
    this.#timeline.keep();
    return joined;
  }

  async leave(channel: ChannelRef): Promise<void> {
    this.#rooms.dismiss(channel);
    this.#timeline.keep();
    await Promise.resolve();
  }

  async count(channel: ChannelRef, signal: AbortSignal): Promise<number | null> {
    const room = this.#rooms.joined(channel);
    const found = room === null ? null : await this.#options.api.count(room.chat, signal);
    return found?.ok === true ? Math.max(0, found.value - 1) : null;
  }

  async openFile(ref: FileRef, signal: AbortSignal): Promise<OpenedFile> {
    const wanted = readFileRef(ref);
    if (wanted === null) return { ok: false, why: { code: "bad_content", message: "this is no file of Telegram" } };
    if (this.#isItself && (wanted.bytes ?? 0) > DOWNLOAD_MAX) {
      return { ok: false, why: { code: "too_large", message: "Telegram gives bots only files of up to 20 MB" } };
    }
    const { api, host, painters } = this.#options;
    const opened = await api.openFile(wanted.id, signal);
    const how = { log: host.log, signal };
    // An earlier session may have told it as PNG, too.
    if (wanted.to === "still") return await asStill(opened, painters.tgs, how);
    return wanted.to === "png" && painters.webp !== null ? await asPng(opened, painters.webp, how) : opened;
  }

  async quiesce(): Promise<void> {
    this.#quiet.abort();
    this.typing.end();
    await this.#timeline.quiesce();
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing = true;
    this.#ending.resolve(ASKED);
    await inTime(this.ended, { clock: this.#options.host.clock, ms: GOODBYE_MS, signal }, () => ASKED);
  }

  async #follow(): Promise<Ended> {
    const ended = await Promise.race([this.#ending.promise, this.#ask()]);
    this.#stop.abort();
    this.#quiet.abort();
    this.typing.end();
    this.#timeline.end();
    this.#rooms.end();
    this.#options.close();
    return this.#closing ? ASKED : ended;
  }

  /** Until it fails; one that was ended by `quiesce` has no end of its own. */
  async #ask(): Promise<Ended> {
    const { api, poller, host, me, positions } = this.#options;
    const { signal } = this.#quiet;
    const answers = new ChatIdAnswers({ api, clock: host.clock, me, signal });
    await this.#rooms.settled(signal);
    const poll = new TelegramPoll({
      api: poller,
      host,
      at: () => positions.at,
      onUpdates: (updates) => {
        answers.take(updates);
        this.#timeline.push(updates);
      },
      ready: async () => await this.#timeline.ready(),
      signal,
    });
    const ended = await poll.run();
    return ended === ASKED ? await this.#ending.promise : ended;
  }
}

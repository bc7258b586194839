import type { OpenArgs } from "../../contract/adapter.ts";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { IrcBatch, Batches } from "./wire/batches.ts";
import type { Channels } from "./channels/channels.ts";
import { EventIntake } from "../kit/intake.ts";
import { hintsOf } from "./hints.ts";
import { History } from "./channels/history.ts";
import type { ConnectionContext } from "./link.ts";
import { isSplit, Netsplits } from "./channels/netsplits.ts";
import { type IrcReceiveContext, taggedTimeMs, toEvents } from "./receive.ts";
import { Profiles } from "./channels/profiles.ts";
import { Replays } from "./channels/replays.ts";
import type { IrcSettings } from "./settings.ts";
import { UsersCommand } from "./channels/users-command.ts";
import type { IrcLine } from "./wire/wire.ts";

const AHEAD_MAX_MS = 5 * 60_000;
/** So many events may wait to be on disk before we stop reading. */
const WAITING_MAX = 1000;

interface InboundOptions extends Pick<OpenArgs<IrcSettings>, "settings" | "host" | "since"> {
  readonly link: ConnectionContext;
  readonly batches: Batches;
  readonly channels: Pick<Channels, "refOf" | "channelsOf">;
  /** Whether reading is to pause. */
  readonly onFull: (full: boolean) => void;
  readonly isRelayed: (nick: string) => boolean;
}

/**
 * From lines to events: what is said now, what was said while we were away, netsplits as one line, and the answer to
 * `!users`.
 */
export class IrcInbound {
  readonly replays: Replays;
  readonly #options: InboundOptions;
  readonly #intake: EventIntake;
  readonly #history: History;
  readonly #netsplits: Netsplits;
  readonly #users: UsersCommand;
  readonly #profiles: Profiles;
  /** What comes late of these is not wanted. */
  readonly #left = new Set<ChannelRef>();
  #isStopped = false;
  /** What the server's clock says, as far as we know; Unix milliseconds. */
  #serverNowMs: number;

  constructor(options: InboundOptions) {
    const { host, link, since, isRelayed } = options;
    this.#options = options;
    this.#profiles = new Profiles({ link, clock: host.clock, showsNames: options.settings.UseDisplayNames });
    this.replays = new Replays(link, host.clock);
    this.#serverNowMs = host.clock.nowMs();
    const history = new History({
      link,
      clock: host.clock,
      log: host.log,
      since,
      isRelayed,
      onReleased: (events) => {
        this.#add(events);
        this.flush();
      },
    });
    this.#history = history;
    this.#intake = new EventIntake({
      host,
      cursor: {
        get moved() {
          return history.moved;
        },
        take: () => history.takeCursor(),
      },
      lateMs: 0,
      waitingMax: WAITING_MAX,
      onFull: options.onFull,
    });
    this.#netsplits = new Netsplits(host.clock, (events) => {
      this.#add(this.#history.pass(events, -Infinity));
      this.flush();
    });
    this.#users = new UsersCommand(link, host.clock);
  }

  /** A line of now; before the membership of channels changes by it. */
  take(line: IrcLine): void {
    const nowMs = this.#options.host.clock.nowMs();
    // One time too far ahead must not hide all that is said before that.
    this.#serverNowMs = Math.min(taggedTimeMs(line.tags) ?? nowMs, nowMs + AHEAD_MAX_MS);
    this.#history.take(line, this.#options.batches.labelOf(line));
    const events = this.#events(line, false).map((event) => this.#profiles.shown(event, line.source?.nick ?? ""));
    this.#profiles.take(line, this.#options.channels.channelsOf);
    const left = events.length === 0 ? events : this.#netsplits.take(events, this.#splitOf(line));
    this.#add(this.#history.pass(left, this.#serverNowMs));
    this.#add(this.#users.take(line));
    for (const hint of this.#isStopped ? [] : hintsOf(line, this.#context(false)))
      if (!this.#left.has(hint.channel)) this.#options.host.hint?.(hint);
  }

  /** A line that is played back. */
  takeOld(line: IrcLine, batch: IrcBatch): void {
    if (this.#history.wants(line, batch, taggedTimeMs(line.tags))) this.#add(this.#events(line, true));
  }

  batchEnded(batch: IrcBatch): void {
    this.#history.ended(batch);
  }

  entered(channel: ChannelRef): void {
    this.#left.delete(channel);
    this.#history.entered(channel, this.#serverNowMs);
  }

  /** It is left for good: nothing of it is handed over, and its past is none of ours should we come back. */
  left(channel: ChannelRef): void {
    this.#left.add(channel);
    this.#history.forget(channel);
  }

  /** We have sent this to the channel. */
  sent(text: string, channel: ChannelRef): void {
    this.#users.heard(text, channel);
  }

  flush(): void {
    this.#intake.flush();
  }

  /** Nothing is handed over any more. */
  stop(): void {
    this.#isStopped = true;
    this.#netsplits.flush();
    this.#netsplits.stop();
    this.#history.stop();
    this.#profiles.stop();
    this.#users.stop();
    this.#intake.end();
  }

  #events(line: IrcLine, isOld: boolean): readonly Event[] {
    return toEvents(line, this.#context(isOld));
  }

  #context(isOld: boolean): IrcReceiveContext {
    const { link, channels, settings, host } = this.#options;
    return {
      ownNick: link.nick,
      isupport: link.isupport,
      channelRef: channels.refOf,
      channelsOf: channels.channelsOf,
      verboseJoinPart: settings.VerboseJoinPart,
      nowMs: host.clock.nowMs(),
      isOld,
    };
  }

  #add(events: readonly Event[]): void {
    this.#intake.add(this.#left.size === 0 ? events : events.filter(({ channel }) => !this.#left.has(channel)));
  }

  #splitOf(line: IrcLine): { readonly split: boolean; readonly join: boolean } {
    const { batches } = this.#options;
    return {
      split: line.command === "QUIT" && (batches.isIn(line, "netsplit") || isSplit(line.params[0] ?? "")),
      join: batches.isIn(line, "netjoin"),
    };
  }
}

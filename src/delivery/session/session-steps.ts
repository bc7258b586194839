import type { Account } from "../../config/config.ts";
import type { Adapter, Opened } from "../../contract/adapter.ts";
import type { Clock, Host } from "../../contract/host.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Member, Session } from "../../contract/session.ts";
import type { Logger } from "../../logger.ts";
import { within } from "../deadline.ts";
import type { PlaceDisplay } from "../typing.ts";
import type { JoinedLane } from "./channel.ts";

const OPEN_MS = 60_000;
const QUIESCE_MS = 1_500;
const CLOSE_MS = 1_500;
const LEAVE_MS = 5_000;
const MEMBERS_MS = 10_000;
const MEMBERS_MAX = 10_000;

export const STOPPING: Reason = { code: "stopping", message: "Rialto is stopping" };

export const MISSED: Reason = {
  code: "network",
  message: "Rialto asks again for what was said before the channel was joined",
};

interface StepOptions {
  readonly account: Account;
  readonly adapter: Adapter;
  /** As in OpenArgs. */
  readonly folder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * What an adapter is asked when a session begins and ends: always within a time, and always with a value, whatever it
 * does.
 */
export class SessionSteps {
  readonly #options: StepOptions;

  constructor(options: StepOptions) {
    this.#options = options;
  }

  /** Always a value, within a minute. A session that comes after that is closed at once. */
  async open(host: Host, since: Cursor | null, stop: AbortSignal): Promise<Opened> {
    const { clock, adapter, account, logger, folder } = this.#options;
    let opening: Promise<Opened> | null = null;
    try {
      const opened = await within({ clock, ms: OPEN_MS, signal: stop }, async (signal) => {
        const args = { settings: account.settings, host, since, signal, ...(folder !== undefined && { folder }) };
        opening = adapter.load().then((code) => code.open(args));
        return await opening;
      });
      // One that came together with the stop has come too late as well.
      if (!opened.late && !(opened.value.ok && stop.aborted)) return opened.value;
    } catch (error) {
      const stack = error instanceof Error ? error.stack : undefined;
      logger.debug({ account: account.name, stack }, "an adapter failed to open a session: this is a bug");
      return failed({ code: "bug", message: `the session could not be opened: ${String(error)}` });
    }
    void this.#closeLate(opening);
    const message = `not connected and logged in within ${OPEN_MS / 1000} s`;
    return failed(stop.aborted ? STOPPING : { code: "timeout", message });
  }

  /** As `Session.members`, within a time, the first 10 000; null too where that fails. */
  async members(session: Session, channel: ChannelRef): Promise<readonly Member[] | null> {
    const all = await this.#ask(async (signal) => (await session.members?.(channel, signal)) ?? null);
    return all?.slice(0, MEMBERS_MAX) ?? null;
  }

  /** As `Session.count`, within a time; null too where that fails. */
  async count(session: Session, channel: ChannelRef): Promise<number | null> {
    return await this.#ask(async (signal) => (await session.count?.(channel, signal)) ?? null);
  }

  async #ask<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const { clock, account, logger } = this.#options;
    try {
      const asked = await within({ clock, ms: MEMBERS_MS }, task);
      return asked.late ? null : asked.value;
    } catch (error) {
      const fields = { account: account.name, error: String(error) };
      logger.warn(fields, "an adapter failed to say who is in a channel: this is a bug");
      return null;
    }
  }

  /** What shows typing in a joined channel; null: the network cannot show it. */
  typing({ typing }: Pick<Session, "typing">, channel: ChannelRef): PlaceDisplay | null {
    const { account, logger } = this.#options;
    if (typing === undefined) return null;
    const show = (on: boolean): boolean => {
      try {
        typing.show(channel, on);
      } catch (error) {
        const fields = { account: account.name, error: String(error) };
        logger.warn(fields, "an adapter failed to show that somebody types: this is a bug");
      }
      return true;
    };
    return { lastsMs: typing.lastsMs, show };
  }

  /** Before a session is ended that is not lost: what is under way comes to its end, if the time is enough. */
  async underWay(lanes: readonly Pick<JoinedLane, "underWay">[]): Promise<void> {
    const { clock } = this.#options;
    const all = lanes.map(async (lane) => await lane.underWay());
    await within({ clock, ms: LEAVE_MS }, async () => void (await Promise.all(all)));
  }

  async quiesce(session: Session): Promise<void> {
    await this.#bounded(QUIESCE_MS, async () => await session.quiesce(), "quiesce");
  }

  async close(session: Session): Promise<void> {
    await this.#bounded(CLOSE_MS, async (signal) => await session.close(signal), "close");
  }

  async #closeLate(opening: Promise<Opened> | null): Promise<void> {
    const opened = await opening?.catch(() => null);
    if (opened?.ok === true) await this.close(opened.session);
  }

  /** A step of a session's end, which must not hold up anything whatever the adapter does. */
  async #bounded(ms: number, task: (signal: AbortSignal) => Promise<void>, step: string): Promise<void> {
    const { clock, logger, account } = this.#options;
    try {
      const done = await within({ clock, ms }, task);
      if (done.late) logger.debug({ account: account.name, step }, "a session took too long to end and was abandoned");
    } catch (error) {
      logger.warn(
        { account: account.name, step, error: String(error) },
        "a session did not end cleanly: this is a bug",
      );
    }
  }
}

const failed = (why: Reason): Opened => ({ ok: false, ended: { cause: "lost", why } });

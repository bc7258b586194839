import type { Clock, Host } from "../../contract/host.ts";
import type { Ended } from "../../contract/session.ts";
import { onAbort } from "../../lib/abort.ts";
import { ASKED, givenUp, lost } from "../kit/ends.ts";
import { Liveness } from "../kit/liveness.ts";
import { PUBLIC, type ServerTrust } from "../kit/trust.ts";
import { endOfClose } from "./endings.ts";
import type { DiscordResume } from "./positions.ts";
import { type DiscordEvent, DiscordShard, type ShardEnd } from "./shard.ts";

/** From the first byte to the login. */
const ENTRY_MS = 45_000;
/** … where it has another address besides. */
const FIRST_MS = 15_000;
/** A new session waits so long for its server (guild): what is said there before that may never be told. */
const GUILD_MS = 10_000;
/** Close codes of the gateway's, and not of the connection's. */
const OWN_CODES = 4_000;
/** A server that has not answered its heartbeat for so long is in doubt, and given up. */
const DOUBT_MS = 10_000;
const DEAD_MS = 25_000;
/** Whoever is refused a session is asked to wait one to five seconds. */
const REFUSED_MS = 1_000;
const REFUSED_MORE_MS = 4_000;
const GOODBYE_MS = 1_000;

interface GatewayOptions {
  readonly host: Pick<Host, "clock" | "random" | "degraded" | "log">;
  /** For a new session. */
  readonly url: string;
  /** Absent: in the usual way. */
  readonly trust?: ServerTrust;
  /** Of the API, such as `10`. */
  readonly version: string;
  readonly token: string;
  readonly intents: number;
  /** The server whose events are wanted. */
  readonly guild: string;
  /** For people: where bots are made. */
  readonly portal: string;
  /** Why no new session can be begun; null: one can. */
  readonly full: Ended | null;
  readonly signal: AbortSignal;
}

export type OpenedGateway =
  | {
      readonly ok: true;
      readonly gateway: DiscordGateway;
      /** Nothing is missing since `from`. */
      readonly resumed: boolean;
    }
  | { readonly ok: false; readonly ended: Ended };

/** Logs in at the gateway, and takes up its events from there if that is possible. Never rejects. */
export async function openGateway(options: GatewayOptions, from: DiscordResume | null): Promise<OpenedGateway> {
  const gateway = new DiscordGateway(options);
  if (from !== null) {
    const end = await takeUp(gateway, from, options);
    if (end === null) return { ok: true, gateway, resumed: true };
    // What the network has kept from us can be taken up when it lets us: a new session would have a gap.
    if (isFinal(end) || !isVerdict(end)) return { ok: false, ended: gateway.stop(end) };
    const { clock, random } = options.host;
    await wait(clock, REFUSED_MS + random() * REFUSED_MORE_MS, options.signal);
  }
  if (options.full !== null) return { ok: false, ended: gateway.stop(options.full) };
  const end = await gateway.enter(null, options.signal);
  return end === null ? { ok: true, gateway, resumed: false } : { ok: false, ended: gateway.stop(end) };
}

/**
 * Null once the session goes on. The address that it was given may be out of use by now, so it is asked for at the
 * gateway's own as well.
 */
async function takeUp(
  gateway: DiscordGateway,
  from: DiscordResume,
  { url, signal }: Pick<GatewayOptions, "url" | "signal">,
): Promise<ShardEnd | Ended | null> {
  const end = await gateway.enter(from, signal, FIRST_MS);
  if (end === null || isRefusal(end) || isFinal(end)) return end;
  return await gateway.enter({ ...from, url }, signal);
}

/** Ends of a connection on which a session was to be taken up that say: it cannot be. */
function isRefusal(end: ShardEnd | Ended): boolean {
  return "is" in end && (end.is === "refused" || (end.is === "closed" && REFUSALS.has(end.code)));
}

/** Said by the gateway itself, which closes with codes of its own. */
function isVerdict(end: ShardEnd | Ended): boolean {
  return isRefusal(end) || ("is" in end && end.is === "closed" && end.code >= OWN_CODES);
}

/** Ends that a new session would have as well, or that ask us not to try. */
function isFinal(end: ShardEnd | Ended): boolean {
  const { cause, why } = endOf(end, "");
  return cause !== "lost" || why.code === "stopping" || why.code === "rate_limited";
}

/** A sequence that the server does not know, and a session that has timed out. */
const REFUSALS: ReadonlySet<number> = new Set([4007, 4009]);

/** The events of one session of the gateway. It ends with its connection, unless we have paused it. */
export class DiscordGateway {
  readonly ended: Promise<Ended>;
  readonly #options: GatewayOptions;
  readonly #ending = Promise.withResolvers<Ended>();
  readonly #liveness: Liveness;
  #shard: DiscordShard | null = null;
  #seen: DiscordResume | null = null;
  #onEvent: ((event: DiscordEvent) => void) | null = null;
  /** What came before anybody listened. */
  #early: DiscordEvent[] = [];
  #entered: ((end: ShardEnd | Ended | null) => void) | null = null;
  #stopWaiting: () => void = () => undefined;
  /** Whether a session is taken up, rather than begun. */
  #goesOn = false;
  /** Events come. */
  #isIn = false;
  #paused = false;
  /** How often it was paused. */
  #pauses = 0;
  #over = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.ended = this.#ending.promise;
    const { host } = options;
    this.#liveness = new Liveness({
      clock: host.clock,
      // Each heartbeat is answered, so there is never more silence than between two of them.
      silentMs: SILENT_MS,
      doubtMs: DOUBT_MS,
      deadMs: DEAD_MS,
      ask: () => this.#shard?.ask(),
      onDoubt: (why) => host.degraded(why, "silence"),
      onDead: ({ code, message }) => this.#finish(lost(code, message)),
    });
  }

  /** Events come from now on, those from before at once. */
  listen(onEvent: (event: DiscordEvent) => void): void {
    this.#onEvent = onEvent;
    for (const event of this.#early.splice(0)) onEvent(event);
  }

  /** A socket cannot be paused: it is closed, and the session taken up again by `resume`. */
  pause(): void {
    if (this.#paused || this.#over) return;
    this.#paused = true;
    this.#pauses += 1;
    this.#options.host.log.debug({ seq: this.#seen?.seq }, "the gateway is left for a while");
    this.#liveness.stop();
    const shard = this.#shard;
    this.#shard = null;
    this.#entered?.({ is: "again" });
    this.#entered = null;
    void shard?.close(AbortSignal.timeout(GOODBYE_MS));
  }

  async resume(): Promise<void> {
    if (!this.#paused || this.#over) return;
    this.#paused = false;
    const [seen, pauses] = [this.#seen, this.#pauses];
    const never = new AbortController().signal;
    const end = seen === null ? ({ is: "refused" } as const) : await this.enter(seen, never);
    if (end !== null && pauses === this.#pauses) this.#finish(endOf(end, this.#options.portal));
  }

  /** Null once events come; else why they do not. */
  async enter(from: DiscordResume | null, signal: AbortSignal, ms = ENTRY_MS): Promise<ShardEnd | Ended | null> {
    const { clock } = this.#options.host;
    if (signal.aborted) return givenUp();
    const result = Promise.withResolvers<ShardEnd | Ended | null>();
    this.#entered = result.resolve;
    this.#goesOn = from !== null;
    this.#isIn = false;
    // What an attempt before has brought comes again.
    this.#early = [];
    const cancel = clock.after(ms, () => result.resolve(lost("timeout", "the gateway does not let Rialto in")));
    const release = onAbort(signal, () => result.resolve(givenUp()));
    this.#connect(from);
    const end = await result.promise;
    cancel();
    release();
    this.#stopWaiting();
    // Paused, and taken up again meanwhile.
    if (this.#entered !== result.resolve) return end;
    this.#entered = null;
    if (end !== null) this.#dropShard();
    else if (!this.#over) this.#liveness.start();
    return end;
  }

  /** It did not come so far. */
  stop(end: ShardEnd | Ended): Ended {
    const ended = endOf(end, this.#options.portal);
    this.#finish(ended);
    return ended;
  }

  /** At once, without a word. */
  end(): void {
    this.#finish(ASKED);
  }

  /** Says goodbye, so that the session can be taken up later. */
  async close(signal: AbortSignal): Promise<void> {
    const shard = this.#shard;
    this.#shard = null;
    this.#over = true;
    this.#liveness.stop();
    this.#entered?.(givenUp());
    await shard?.close(signal);
    this.#ending.resolve(ASKED);
  }

  #connect(from: DiscordResume | null): void {
    const { url, trust = PUBLIC, version, token, intents } = this.#options;
    const shard: DiscordShard = new DiscordShard({
      url,
      trust,
      version,
      token,
      intents,
      from,
      onEvent: (event) => {
        if (this.#shard === shard) this.#take(event);
      },
      onHeard: () => this.#liveness.heard(),
      onEnd: (end) => {
        if (this.#shard === shard) this.#ended(end);
      },
    });
    this.#shard = shard;
    shard.open();
  }

  #take(event: DiscordEvent): void {
    if (!this.#isIn) {
      // Whoever goes on is told at once what was missed, however long that takes.
      if (!this.#goesOn && event.type !== "READY") return;
      this.#isIn = true;
      const { clock } = this.#options.host;
      const entered = (): void => this.#entered?.(null);
      if (this.#goesOn) entered();
      else this.#stopWaiting = clock.after(GUILD_MS, entered);
    }
    this.#seen = event.behind;
    if (this.#onEvent === null) this.#early.push(event);
    else this.#onEvent(event);
    if (GUILD_EVENTS.has(event.type) && event.data["id"] === this.#options.guild) this.#entered?.(null);
  }

  #ended(end: ShardEnd): void {
    if (this.#isIn) this.#finish(endOf(end, this.#options.portal));
    else this.#entered?.(end);
  }

  #finish(ended: Ended): void {
    this.#over = true;
    this.#liveness.stop();
    this.#entered?.(ended);
    this.#dropShard();
    this.#ending.resolve(ended);
  }

  #dropShard(): void {
    this.#shard?.end();
    this.#shard = null;
  }
}

/** The server is there, or Discord has trouble with it. */
const GUILD_EVENTS: ReadonlySet<string> = new Set(["GUILD_CREATE", "GUILD_DELETE"]);

/** Longer than between two heartbeats, of which each is answered. */
const SILENT_MS = 60_000;

function endOf(end: ShardEnd | Ended, portal: string): Ended {
  if (!("is" in end)) return end;
  if (end.is === "again") return lost("network", "Discord wants another connection");
  if (end.is === "refused") return lost("remote_error", "Discord has ended the session");
  return endOfClose(end.code, end.words, portal);
}

/** Resolves early when it is given up. */
async function wait(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const release = onAbort(signal, () => {
      cancel();
      resolve();
    });
    const cancel = clock.after(ms, () => {
      release();
      resolve();
    });
  });
}
